import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The test that shows an effect: its file, its title as it stands there, and which row of it, where it has a table. */
export interface Proof {
  readonly file: string;
  readonly title: string;
  /** The text that the row begins with. A title that says nothing by itself (`%s`) is told apart by it. */
  readonly row?: string;
}

/** Which test shows what a setting does; a text: it changes nothing, and why. */
export type Word = Proof | string;

/** What settings do, by their places. */
export type Settings = Readonly<Record<string, Word>>;

/** A test over HTTP. */
export const shown = (file: string, title: string, row?: string): Proof => ({
  file: `server/test/api/${file}.test.ts`,
  title,
  ...(row === undefined ? {} : { row }),
});

/** A test beside the code of `server/src`. */
export const ruled = (file: string, title: string, row?: string): Proof => ({
  ...shown(file, title, row),
  file: `server/src/${file}.test.ts`,
});

/** One word for many places. */
export const all = (places: string, word: Word): Settings =>
  Object.fromEntries(places.split(/\s+/).map((place) => [place, word]));

const sources = new Map<string, string>();

/** The text of a file with all blanks as one, so that a title may stand on a line of its own. */
function sourceOf(file: string): string {
  const path = join(ROOT, file);
  const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ') : '');
  sources.set(file, source);
  return source;
}

const standsIn = (file: string, starts: readonly string[], text: string): boolean =>
  ["'", '"', '`'].some((quote) => starts.some((start) => sourceOf(file).includes(`${start}${quote}${text}${quote},`)));

/**
 * Whether a test of this title stands in the file, in quotes, as the first thing that is handed to the test; and the
 * row, where one is named, as the first thing in a list.
 */
export const isThere = ({ file, row, title }: Proof): boolean =>
  standsIn(file, ['(', '( '], title) && (row === undefined || standsIn(file, ['[', '[ '], row));
