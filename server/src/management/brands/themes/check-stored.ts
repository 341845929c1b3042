import type { Context } from '../../../kernel/context.ts';
import { isAbsent, type Members, refused } from '../../../kernel/members.ts';
import { readTheme } from './read-theme.ts';

const colourOf = (row: Members, column: string): string | null => {
  const value = row[column];
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') throw refused(column, 'must be text.');
  return value;
};

/** Judges the colours of a theme's row, out of a file: they stand in the style of pages and mails. 400 E0000001. */
export function checkStoredTheme(row: Members, { namespace }: Context): void {
  const colours = {
    primaryColorHex: colourOf(row, 'primary_color'),
    primaryColorContrastHex: colourOf(row, 'primary_color_contrast'),
    secondaryColorHex: colourOf(row, 'secondary_color'),
    secondaryColorContrastHex: colourOf(row, 'secondary_color_contrast'),
  };
  readTheme(colours, namespace.upper);
}
