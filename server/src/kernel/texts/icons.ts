import { rasterIn, startsWith, viewOf } from './images.ts';

const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
const MAXIMUM_PICTURES = 16;
/** The size of a bitmap's header when the bitmap has no file header. */
const BITMAP_HEADER_BYTES = 40;

/**
 * Returns the side of a square PNG or bitmap in pixels, or null for other pictures. In an icon, a bitmap's height
 * includes its mask.
 */
function sideOf(picture: Uint8Array): number | null {
  const png = rasterIn(picture);
  if (png !== null) return png.type === 'image/png' && png.width === png.height ? png.width : null;
  if (picture.length <= BITMAP_HEADER_BYTES) return null;
  const view = viewOf(picture);
  const [length, width, height] = [view.getUint32(0, true), view.getInt32(4, true), view.getInt32(8, true)];
  return length === BITMAP_HEADER_BYTES && height === 2 * width ? width : null;
}

/**
 * Returns the side of the largest picture of an ICO file, in pixels. Returns null unless the file consists of 1 to 16
 * square PNGs or bitmaps, each with an entry that does not contradict its side.
 */
export function iconSideIn(content: Uint8Array): number | null {
  if (!startsWith(content, [0, 0, 1, 0]) || content.length < HEADER_BYTES + ENTRY_BYTES) return null;
  const view = viewOf(content);
  const count = view.getUint16(4, true);
  let end = HEADER_BYTES + count * ENTRY_BYTES;
  if (count === 0 || count > MAXIMUM_PICTURES || end > content.length) return null;
  let largest = 0;
  for (let at = HEADER_BYTES; at < HEADER_BYTES + count * ENTRY_BYTES; at += ENTRY_BYTES) {
    const [length, start] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
    // Pictures must follow one another without a gap, so that there is no room for other bytes.
    if (start !== end || start + length > content.length) return null;
    end = start + length;
    const side = sideOf(content.subarray(start, end));
    // A side of 256 pixels or more is written as 0.
    const told = [view.getUint8(at), view.getUint8(at + 1)].map((one) => (one === 0 ? side : one));
    if (side === null || side < 1 || told.some((one) => one !== side)) return null;
    largest = Math.max(largest, side);
  }
  return end === content.length ? largest : null;
}
