import { crc32 } from 'node:zlib';

export type RasterType = 'image/png' | 'image/jpeg' | 'image/gif';

export interface Raster {
  readonly type: RasterType;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

type Read = (content: Uint8Array) => Raster | null;

export const startsWith = (content: Uint8Array, signature: readonly number[]): boolean =>
  content.length > signature.length && signature.every((byte, index) => content[index] === byte);

const latin1 = (content: Uint8Array): string =>
  Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');

export const viewOf = (content: Uint8Array): DataView =>
  new DataView(content.buffer, content.byteOffset, content.byteLength);

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The bytes of a chunk apart from its data: the length, the name and the checksum. */
const PNG_CHUNK_BYTES = 12;

/** Reads a PNG file chunk by chunk, from its header to its end, and checks each checksum (PNG 5.3, 5.6). */
const readPng: Read = (content) => {
  if (!startsWith(content, PNG_SIGNATURE)) return null;
  const view = viewOf(content);
  const names = new Set<string>();
  for (let at = PNG_SIGNATURE.length; at + PNG_CHUNK_BYTES <= content.length; ) {
    const length = view.getUint32(at);
    const end = at + PNG_CHUNK_BYTES + length;
    if (end > content.length || crc32(content.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return null;
    const name = latin1(content.subarray(at + 4, at + 8));
    if ((name === 'IHDR') !== (names.size === 0) || (name === 'IHDR' && length !== 13)) return null;
    names.add(name);
    if (name === 'IEND') {
      if (end !== content.length || !names.has('IDAT')) return null;
      const [width, height] = [view.getUint32(16), view.getUint32(20)];
      return { type: 'image/png', width, height, isAnimated: names.has('acTL') };
    }
    at = end;
  }
  return null;
};

/** Finds the end of a sequence of blocks, each of which starts with its length. An empty block ends the sequence. */
function endOfBlocks(content: Uint8Array, from: number): number {
  let at = from;
  for (let length = content[at]; length !== undefined; length = content[at]) {
    at += 1 + length;
    if (length === 0) return at;
  }
  return -1;
}

const colourTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

const GIF_HEADER_BYTES = 13;
const GIF_IMAGE_BYTES = 10;

/** Reads a GIF file block by block to its trailer (GIF89a, appendix B). A frame may exceed the declared screen. */
const readGif: Read = (content) => {
  const isGif = ['GIF87a', 'GIF89a'].includes(latin1(content.subarray(0, 6)));
  if (!isGif || content.length < GIF_HEADER_BYTES) return null;
  const view = viewOf(content);
  let [width, height, frames] = [view.getUint16(6, true), view.getUint16(8, true), 0];
  let at = GIF_HEADER_BYTES + colourTableBytes(view.getUint8(10));
  while (at >= 0 && at < content.length) {
    const kind = content[at];
    if (kind === 0x3b) {
      if (at + 1 !== content.length || frames === 0) return null;
      return { type: 'image/gif', width, height, isAnimated: frames > 1 };
    }
    if (kind === 0x21) at = endOfBlocks(content, at + 2);
    else if (kind === 0x2c && at + GIF_IMAGE_BYTES < content.length) {
      frames += 1;
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      // The colour table is followed by one byte, the initial code size of the image data.
      at = endOfBlocks(content, at + GIF_IMAGE_BYTES + colourTableBytes(view.getUint8(at + 9)) + 1);
    } else return null;
  }
  return null;
};

/** Tells whether a marker starts a frame. Three markers in the range have other meanings (ITU-T T.81 table B.1). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Tells whether a marker has no length. The caller has already handled the end of the image, which has none either. */
const isBare = (marker: number): boolean => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);

function endOfScan(content: Uint8Array, from: number): number {
  for (let at = content.indexOf(0xff, from); at >= 0; at = content.indexOf(0xff, at + 1)) {
    const next = content[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return -1;
}

/** Reads a JPEG file segment by segment and scan by scan to the end of the image (ITU-T T.81, annex B). */
const readJpeg: Read = (content) => {
  if (!startsWith(content, [0xff, 0xd8, 0xff])) return null;
  const view = viewOf(content);
  let size: { width: number; height: number } | null = null;
  let scans = 0;
  for (let at = 2; at >= 0 && at + 1 < content.length; ) {
    if (content[at] !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xd9) {
      if (at + 2 !== content.length || size === null || scans === 0) return null;
      return { type: 'image/jpeg', ...size, isAnimated: false };
    }
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isBare(marker) || at + 4 > content.length) return null;
    const end = at + 2 + view.getUint16(at + 2);
    if (end > content.length) return null;
    if (isFrame(marker)) {
      if (end - at < 10) return null;
      size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    scans += marker === 0xda ? 1 : 0;
    at = marker === 0xda ? endOfScan(content, end) : end;
  }
  return null;
};

/** A pattern of markup that could run as a page or a program if a browser or server misread the image. */
const MARKUP = /<(?:!doctype|\?php|script|html|head|body|iframe|object|embed|svg)[\s>/]/i;

const READERS = [readPng, readJpeg, readGif];

/**
 * Recognizes a PNG, JPEG or GIF image. Returns null for any other file, and for an image that contains `MARKUP` or
 * trailing bytes.
 */
export function rasterIn(content: Uint8Array): Raster | null {
  for (const read of READERS) {
    const raster = read(content);
    if (raster !== null) return MARKUP.test(latin1(content)) ? null : raster;
  }
  return null;
}
