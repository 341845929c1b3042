import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The test that shows an effect: its file, and its title as it stands there. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

const sources = new Map<string, string>();

/** The text of a file with all blanks as one, so that a title may stand on a line of its own. */
function sourceOf(file: string): string {
  const path = join(ROOT, file);
  const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ') : '');
  sources.set(file, source);
  return source;
}

/** Whether a test of this title stands in the file: in quotes, as the first thing that is handed to the test. */
export const isThere = ({ file, title }: Proof): boolean =>
  ["'", '"', '`'].some((quote) =>
    ['(', '( '].some((start) => sourceOf(file).includes(`${start}${quote}${title}${quote},`)),
  );
