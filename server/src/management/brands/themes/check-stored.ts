import type { Context } from '../../../kernel/context.ts';
import { ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { wrongType } from '../../../kernel/errors/field-errors.ts';
import { storedBytes } from '../../../kernel/stored.ts';
import { isAbsent, type Members } from '../../../kernel/words/members.ts';
import { describeImage, readThemeImage, THEME_IMAGE_NAMES, THEME_IMAGES, type ThemeImageName } from './image-rules.ts';
import { readTheme } from './read-theme.ts';

const colourOf = (row: Members, column: string): string | null => {
  const value = row[column];
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') throw wrongType(column, 'a string');
  return value;
};

export function checkStoredTheme(row: Members, { namespace }: Context): void {
  const colours = {
    primaryColorHex: colourOf(row, 'primary_color'),
    primaryColorContrastHex: colourOf(row, 'primary_color_contrast'),
    secondaryColorHex: colourOf(row, 'secondary_color'),
    secondaryColorContrastHex: colourOf(row, 'secondary_color_contrast'),
  };
  readTheme(colours, namespace.upper);
}

const LARGEST_IMAGE = Math.max(...THEME_IMAGE_NAMES.map((name) => THEME_IMAGES[name].bytesBelow));

function readAs(name: ThemeImageName, content: Uint8Array): string | ApiError {
  try {
    return readThemeImage(name, content);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The places in a theme for which each imported image is valid, by the digest of the image. */
export type ImagePlaces = Map<unknown, readonly ThemeImageName[]>;

/** Records in `places` where an image is valid. */
export function checkStoredThemeImage(row: Members, places: ImagePlaces): void {
  const content = storedBytes(row, 'content', LARGEST_IMAGE);
  const read = THEME_IMAGE_NAMES.map((name) => [name, readAs(name, content)] as const);
  const fitting = read.filter(([, type]) => typeof type === 'string');
  const [refusal] = read.flatMap(([, type]) => (type instanceof ApiError ? [type] : []));
  if (fitting.length === 0 && refusal !== undefined) throw refusal;
  if (!fitting.some(([, type]) => type === row['media_type'])) {
    throw invalid('media_type', 'must be that of the content.');
  }
  places.set(
    row['digest'],
    fitting.map(([name]) => name),
  );
}

const COLUMNS = { logo: 'logo', favicon: 'favicon', backgroundImage: 'background_image' } as const;

/** The images precede the theme in an imported file, so `places` already contains them. */
export function checkStoredThemeImages(row: Members, places: ImagePlaces): void {
  for (const name of THEME_IMAGE_NAMES) {
    const column = COLUMNS[name];
    if (places.get(row[column])?.includes(name) === false)
      throw invalid(column, `must be an image: ${describeImage(name)}`);
  }
}
