import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Proof {
  readonly file: string;
  readonly title: string;
  /**
   * The first cell of a row in the test's table. A title that has no letters besides placeholders (`%s`) needs a row.
   */
  readonly row?: string;
}

/** The test that proves a setting's effect, or the reason why the setting has none. */
export type Word = Proof | string;

/** The proof or reason for each setting by its place, such as `conditions.people.groups.include`. */
export type Settings = Readonly<Record<string, Word>>;

/** Names a test in `server/test/api`, or in another folder of `server/test` if `file` begins with one. */
export const shown = (file: string, title: string, row?: string): Proof => ({
  file: `server/test/${file.includes('/') ? file : `api/${file}`}.test.ts`,
  title,
  ...(row === undefined ? {} : { row }),
});

export const ruled = (file: string, title: string, row?: string): Proof => ({
  ...shown(file, title, row),
  file: `server/src/${file}.test.ts`,
});

export const all = (places: string, word: Word): Settings =>
  Object.fromEntries(places.split(/\s+/).map((place) => [place, word]));

const sources = new Map<string, string>();

/** Returns a file's text with each run of white space as one space, or an empty string if there is no such file. */
function sourceOf(file: string): string {
  const path = join(ROOT, file);
  const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ') : '');
  sources.set(file, source);
  return source;
}

const QUOTES = ["'", '"', '`'];

/** Returns the positions at which `opening` is followed by the quoted text and a comma. */
const placesIn = (source: string, opening: string, text: string): number[] =>
  QUOTES.flatMap((quote) =>
    [opening, `${opening} `].flatMap((start) => {
      const wanted = `${start}${quote}${text}${quote},`;
      const places: number[] = [];
      for (let at = source.indexOf(wanted); at >= 0; at = source.indexOf(wanted, at + 1)) places.push(at);
      return places;
    }),
  );

/** Returns the source of the `.each` table of the test whose title is at this position. */
function tableOf(source: string, titleAt: number): string {
  const table = source.slice(Math.max(0, source.lastIndexOf('.each', titleAt)), titleAt);
  const name = /^\.each(?:<.*>)?\(\s?([A-Za-z_]\w*)[,.)\s]/.exec(table)?.[1];
  const namedAt = name === undefined ? -1 : source.search(new RegExp(String.raw`const ${name}\b`));
  return namedAt < 0 ? table : source.slice(namedAt, source.indexOf('];', namedAt));
}

const isBare = (title: string): boolean => !/\p{L}/u.test(title.replaceAll(/%[a-z]|\$[\w.]+/g, ''));

/** Tells whether the file has a test with this title and, if the proof names a row, with this row. */
export function isThere({ file, row, title }: Proof): boolean {
  const source = sourceOf(file);
  const titles = placesIn(source, '(', title);
  if (row === undefined) return titles.length > 0 && !isBare(title);
  return titles.some((at) => placesIn(tableOf(source, at), '[', row).length > 0);
}
