import { describe, expect, test } from 'vitest';
import { gifOf, icoOf, jpegOf, pngOf, pngSaying } from '../../../../test/support/images.ts';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { readThemeImage, THEME_IMAGE_NAMES, type ThemeImageName } from './image-rules.ts';

const ICON = icoOf([16, pngOf({ width: 16, height: 16 })]);
const square = pngOf({ width: 512, height: 512 });
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

function read(name: ThemeImageName, content: Buffer): string {
  try {
    return readThemeImage(name, content);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    return error.causes[0]?.errorSummary ?? '';
  }
}

test.each<[ThemeImageName, Buffer, string]>([
  ['logo', pngOf(), 'image/png'],
  ['logo', jpegOf(), 'image/jpeg'],
  ['logo', gifOf(), 'image/gif'],
  ['logo', pngSaying(4_096, 1), 'image/png'],
  ['backgroundImage', jpegOf(), 'image/jpeg'],
  ['favicon', square, 'image/png'],
  ['favicon', ICON, 'image/x-icon'],
])('%s takes an image: %#', (name, content, type) => expect(read(name, content)).toBe(type));

test.each<[ThemeImageName, Buffer, string]>([
  ['logo', ICON, 'file: must be one complete image in PNG, JPG or GIF format.'],
  ['favicon', jpegOf({ width: 3, height: 3 }), 'file: must be one complete image in PNG or ICO format.'],
  ['favicon', pngOf(), 'file: must be square.'],
  ['favicon', pngOf({ width: 513, height: 513 }), 'file: must be 1 to 512 pixels wide and high.'],
  ['logo', pngSaying(4_097, 1), 'file: must be 1 to 4096 pixels wide and high.'],
  ['logo', pngSaying(100_000, 100_000), 'file: must be 1 to 4096 pixels wide and high.'],
  ['logo', pngSaying(0, 1), 'file: must be 1 to 4096 pixels wide and high.'],
  ['logo', gifOf({}, 2), 'file: must not be animated.'],
])('%s refuses an image: %#', (name, content, cause) => expect(read(name, content)).toBe(cause));

describe.each(THEME_IMAGE_NAMES)('%s', (name) => {
  test('is never an SVG, nor half of an image, nor nothing', () => {
    expect(read(name, SVG)).toMatch(/^file: must be one complete image/);
    expect(read(name, square.subarray(0, -1))).toMatch(/^file: must be one complete image/);
    expect(read(name, Buffer.concat([square, SVG]))).toMatch(/^file: must be one complete image/);
    expect(read(name, Buffer.alloc(0))).toBe('file: The field cannot be left blank');
    expect(read(name, Buffer.concat([square, Buffer.alloc(2_000_000)]))).toMatch(/^file: must be smaller than/);
  });
});
