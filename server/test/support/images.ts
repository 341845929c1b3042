import { crc32, deflateSync } from 'node:zlib';

interface Size {
  readonly width?: number;
  readonly height?: number;
}

export function pngChunk(name: string, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const chunk = Buffer.alloc(content.length + 12);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(name, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function pngOf(
  { height = 3, width = 2 }: Size = {},
  colour: readonly number[] = [0, 0, 0],
  more: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from(colour))]);
  const pixels = deflateSync(Buffer.alloc(row.length * height, row), { level: 1 });
  return Buffer.concat([PNG_SIGNATURE, pngChunk('IHDR', header), ...more, pngChunk('IDAT', pixels), pngChunk('IEND')]);
}

export function pngSaying(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(8))),
    pngChunk('IEND'),
  ]);
}

export function gifOf({ height = 3, width = 2 }: Size = {}, frames = 1): Buffer {
  const screen = Buffer.alloc(13);
  screen.write('GIF89a', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen.writeUInt8(0x80, 10);
  const picture = Buffer.alloc(10);
  picture.writeUInt8(0x2c, 0);
  picture.writeUInt16LE(width, 5);
  picture.writeUInt16LE(height, 7);
  const extension = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);
  const shown = Buffer.concat([extension, picture, Buffer.from([2, 2, 0x4c, 0x01, 0])]);
  return Buffer.concat([screen, Buffer.alloc(6), ...Array.from({ length: frames }, () => shown), Buffer.from([0x3b])]);
}

export function jpegOf({ height = 3, width = 2 }: Size = {}): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xff, 0, 0xff, 0xd0, 0x34, 0xff, 0xd9]);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff]), frame, scan]);
}

/** Builds an ICO file of these pictures. Its directory gives `side` as width and height, whatever the true size is. */
export function icoOf(...pictures: readonly (readonly [side: number, picture: Buffer])[]): Buffer {
  const header = Buffer.alloc(6 + pictures.length * 16);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let start = header.length;
  for (const [index, [side, picture]] of pictures.entries()) {
    header.set([side, side], 6 + index * 16);
    header.writeUInt32LE(picture.length, 14 + index * 16);
    header.writeUInt32LE(start, 18 + index * 16);
    start += picture.length;
  }
  return Buffer.concat([header, ...pictures.map(([, picture]) => picture)]);
}
