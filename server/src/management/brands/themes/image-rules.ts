import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { Sentence } from '../../../kernel/errors/problems.ts';

import { iconSideIn } from '../../../kernel/texts/icons.ts';
import { type RasterType, rasterIn } from '../../../kernel/texts/images.ts';

export type ThemeImageType = RasterType | 'image/x-icon';

interface Measures {
  readonly type: ThemeImageType;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

interface ImageRule {
  readonly path: string;
  /** The contract says "less than", and sets no limit for the favicon. */
  readonly bytesBelow: number;
  readonly size: string;
  readonly formats: string;
  readonly types: readonly ThemeImageType[];
  readonly maximumSidePixels: number;
  readonly isSquare: boolean;
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif'] as const;
const picture = { formats: 'PNG, JPG or GIF', types: PICTURES, maximumSidePixels: 4_096, isSquare: false } as const;
const icon = { formats: 'PNG or ICO', types: ['image/png', 'image/x-icon'], maximumSidePixels: 512 } as const;

export const THEME_IMAGES = {
  logo: { ...picture, path: 'logo', bytesBelow: 100_000, size: '100 kB' },
  favicon: { ...icon, path: 'favicon', bytesBelow: 250_000, size: '250 kB', isSquare: true },
  backgroundImage: { ...picture, path: 'background-image', bytesBelow: 2_000_000, size: '2 MB' },
} as const satisfies Record<string, ImageRule>;
export type ThemeImageName = keyof typeof THEME_IMAGES;
export const THEME_IMAGE_NAMES = Object.keys(THEME_IMAGES) as ThemeImageName[];

export function describeImage(name: ThemeImageName): Sentence {
  const { formats, isSquare, maximumSidePixels, size } = THEME_IMAGES[name];
  const shape = isSquare ? 'square' : 'not animated';
  return `${formats}, smaller than ${size}, at most ${maximumSidePixels} pixels wide and high, ${shape}.`;
}

function measure(content: Uint8Array): Measures | null {
  const side = iconSideIn(content);
  return side === null ? rasterIn(content) : { type: 'image/x-icon', width: side, height: side, isAnimated: false };
}

/** Determines the type of an image from its bytes. Animated images are refused (WCAG 2.2, 2.2.2). */
export function readThemeImage(name: ThemeImageName, content: Uint8Array): ThemeImageType {
  const { bytesBelow, formats, isSquare, maximumSidePixels, size, types }: ImageRule = THEME_IMAGES[name];
  if (content.length === 0) throw required('file');
  if (content.length >= bytesBelow) throw invalid('file', `must be smaller than ${size}.`);
  const image = measure(content);
  if (image === null || !types.includes(image.type)) {
    throw invalid('file', `must be one complete image in ${formats} format.`);
  }
  const { height, isAnimated, type, width } = image;
  if (isAnimated) throw invalid('file', 'must not be animated.');
  if (Math.min(height, width) < 1 || Math.max(height, width) > maximumSidePixels) {
    throw invalid('file', `must be 1 to ${maximumSidePixels} pixels wide and high.`);
  }
  if (isSquare && height !== width) throw invalid('file', 'must be square.');
  return type;
}
