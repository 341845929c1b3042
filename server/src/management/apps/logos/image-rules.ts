import { invalid } from '../../../kernel/errors/errors.ts';
import { type RasterType, rasterIn } from '../../../kernel/texts/images.ts';
import { judgeSvg } from './svg-rules.ts';

/** Kinds of images that browsers show without being told twice (contract: PNG, JPG, GIF, SVG). */
export type ImageType = RasterType | 'image/svg+xml';

/** "Less than one MB". */
export const MAXIMUM_IMAGE_BYTES = 1_000_000;
const MAXIMUM_SIDE_PIXELS = 4_096;

function isSvg(content: Uint8Array): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return false;
  }
  const verdict = judgeSvg(text);
  // It is served inert all the same.
  if (verdict === 'active') {
    throw invalid('file', 'file: an SVG must not hold a document type, scripts or addresses of other places.');
  }
  return verdict === 'picture';
}

/**
 * What kind of image the bytes are; what the sender says of them is not asked. 400 E0000001 where they are none, are
 * 1 MB or more, wider or higher than 4,096 pixels, or an SVG that is more than a picture.
 */
export function readImage(content: Uint8Array): ImageType {
  if (content.length === 0) throw invalid('file', 'file: The field cannot be left blank');
  if (content.length >= MAXIMUM_IMAGE_BYTES) throw invalid('file', 'file: must be smaller than 1 MB.');
  const raster = rasterIn(content);
  if (raster === null) {
    if (isSvg(content)) return 'image/svg+xml';
    throw invalid('file', 'file: must be a whole image in PNG, JPG, GIF or SVG format, and nothing else.');
  }
  const { height, type, width } = raster;
  if (Math.min(height, width) >= 1 && Math.max(height, width) <= MAXIMUM_SIDE_PIXELS) return type;
  throw invalid('file', `file: each side must have 1 to ${MAXIMUM_SIDE_PIXELS} pixels.`);
}
