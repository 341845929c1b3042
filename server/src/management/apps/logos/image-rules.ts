import { invalid } from '../../../kernel/errors.ts';

/** Kinds of images that browsers show without being told twice (contract: PNG, JPG, GIF, SVG). */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/svg+xml';

/** "Less than one MB". */
export const MAXIMUM_IMAGE_BYTES = 1_000_000;
/** A few bytes can ask a browser for gigabytes of pixels. */
const MAXIMUM_SIDE_PIXELS = 4_096;

interface Image {
  readonly type: ImageType;
  /** Null: it has no size of its own. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

const startsWith = (content: Uint8Array, signature: readonly number[]): boolean =>
  content.length > signature.length && signature.every((byte, index) => content[index] === byte);

const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

const viewOf = (content: Uint8Array): DataView => new DataView(content.buffer, content.byteOffset, content.byteLength);

/** The first chunk of a PNG is its header (PNG 11.2.1). */
function readPng(content: Uint8Array): Image | null {
  if (!startsWith(content, [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a]) || content.length < 33) return null;
  if (!startsWith(content.subarray(12), ascii('IHDR'))) return null;
  const view = viewOf(content);
  return { type: 'image/png', size: { width: view.getUint32(16), height: view.getUint32(20) } };
}

function readGif(content: Uint8Array): Image | null {
  const isGif = startsWith(content, ascii('GIF87a')) || startsWith(content, ascii('GIF89a'));
  if (!isGif || content.length < 13) return null;
  const view = viewOf(content);
  return { type: 'image/gif', size: { width: view.getUint16(6, true), height: view.getUint16(8, true) } };
}

/** Start of frame, but for the three markers of that range that are something else (ITU-T T.81 table B.1). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpeg(content: Uint8Array): Image | null {
  if (!startsWith(content, [0xff, 0xd8, 0xff])) return null;
  const view = viewOf(content);
  let position = 2;
  while (position + 9 < content.length && content[position] === 0xff) {
    const marker = view.getUint8(position + 1);
    if (isFrame(marker)) {
      return {
        type: 'image/jpeg',
        size: { height: view.getUint16(position + 5), width: view.getUint16(position + 7) },
      };
    }
    // Filling bytes stand before a marker; the others say how long what follows is.
    position += marker === 0xff ? 1 : 2 + view.getUint16(position + 2);
  }
  return null;
}

/** What a picture has no use for: entities, code, frames and addresses elsewhere. It is served inert all the same. */
const ACTIVE = new RegExp(
  [
    String.raw`<!DOCTYPE|<!ENTITY|<\?xml-stylesheet|@import|(?:java|vb)script:`,
    String.raw`<(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|handler|listener)\b`,
    String.raw`[\s"'/]on[a-z]+\s*=`,
    String.raw`(?:href|src)\s*=\s*["']?\s*(?:[a-z][a-z\d+.-]*:(?!image\/(?:png|jpeg|gif);)|\/\/)`,
  ].join('|'),
  'i',
);
const SVG_START = /^\uFEFF?\s*(?:<\?xml[^<>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:[\w-]+:)?svg[\s>/]/i;

function readSvg(content: Uint8Array): Image | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
  if (!SVG_START.test(text)) return null;
  if (ACTIVE.test(text)) {
    throw invalid('file', 'file: an SVG must not hold a document type, scripts or addresses of other places.');
  }
  return { type: 'image/svg+xml', size: null };
}

const READERS = [readPng, readJpeg, readGif, readSvg];

/**
 * What kind of image the bytes are; what the sender says of them is not asked. 400 E0000001 where they are none, are
 * 1 MB or more, wider or higher than 4,096 pixels, or an SVG that is more than a picture.
 */
export function readImage(content: Uint8Array): ImageType {
  if (content.length === 0) throw invalid('file', 'file: The field cannot be left blank');
  if (content.length >= MAXIMUM_IMAGE_BYTES) throw invalid('file', 'file: must be smaller than 1 MB.');
  for (const read of READERS) {
    const image = read(content);
    if (image === null) continue;
    const { height, width } = image.size ?? { height: 1, width: 1 };
    if (Math.min(height, width) >= 1 && Math.max(height, width) <= MAXIMUM_SIDE_PIXELS) return image.type;
    throw invalid('file', `file: each side must have 1 to ${MAXIMUM_SIDE_PIXELS} pixels.`);
  }
  throw invalid('file', 'file: must be an image in PNG, JPG, GIF or SVG format.');
}
