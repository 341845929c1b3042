import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { type RasterType, rasterIn } from '../../../kernel/texts/images.ts';
import { findSvgProblem } from './svg-rules.ts';

export type ImageType = RasterType | 'image/svg+xml';

/** An uploaded image must be smaller than this. */
export const MAXIMUM_IMAGE_BYTES = 1_000_000;
const MAXIMUM_SIDE_PIXELS = 4_096;

function isSvg(content: Uint8Array): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return false;
  }
  const verdict = findSvgProblem(text);
  // This check is not the only defence: even an accepted file is served without permission to run scripts.
  if (verdict === 'active') {
    throw invalid('file', 'must not contain a document type, scripts or external references.');
  }
  return verdict === 'picture';
}

/** Determines the type of an image from its bytes. */
export function readImage(content: Uint8Array): ImageType {
  if (content.length === 0) throw required('file');
  if (content.length >= MAXIMUM_IMAGE_BYTES) throw invalid('file', 'must be smaller than 1 MB.');
  const raster = rasterIn(content);
  if (raster === null) {
    if (isSvg(content)) return 'image/svg+xml';
    throw invalid('file', 'must be one complete image in PNG, JPG, GIF or SVG format.');
  }
  const { height, type, width } = raster;
  if (Math.min(height, width) >= 1 && Math.max(height, width) <= MAXIMUM_SIDE_PIXELS) return type;
  throw invalid('file', `must be 1 to ${MAXIMUM_SIDE_PIXELS} pixels wide and high.`);
}
