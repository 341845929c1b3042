import { readFileSync } from 'node:fs';
import { foldCase } from '../../../kernel/texts/text.ts';
import { packageFile } from '../../package-folder.ts';

/** The path of a list of common passwords in lower case (see word-lists/README.md). */
const LIST = packageFile('word-lists', 'common-passwords.txt');

let words: ReadonlySet<string> | undefined;

function commonWords(): ReadonlySet<string> {
  words ??= new Set(
    readFileSync(LIST, 'utf8')
      .split('\n')
      .filter((word) => word !== ''),
  );
  return words;
}

/** Characters that people write instead of letters. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['1', 'i'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['8', 'b'],
  ['9', 'g'],
  ['@', 'a'],
  ['$', 's'],
  ['!', 'i'],
  ['|', 'l'],
  ['+', 't'],
]);

const plain = (text: string): string => Array.from(text, (sign) => LETTERS.get(sign) ?? sign).join('');

/** The maximum length of an ignored ending without letters. */
const MAXIMUM_ORNAMENT = 4;

/**
 * Returns the text without the characters after its last letter, unless there are more than `MAXIMUM_ORNAMENT` of them.
 */
function withoutOrnament(text: string): string {
  const characters = Array.from(text);
  const last = characters.findLastIndex((character) => /\p{L}/u.test(character));
  const bare = characters.slice(0, last + 1).join('');
  return text.length - bare.length <= MAXIMUM_ORNAMENT ? bare : text;
}

/** Returns the shortest prefix that the text repeats, or the text itself. The last repetition may be incomplete. */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length);
    if (part.repeat(Math.ceil(text.length / length)).startsWith(text)) return part;
  }
  return text;
}

/** Tells whether the character codes rise or fall by one throughout, as in `abcdef` and `987654`. */
function isSequence(text: string): boolean {
  const steps = new Set<number>();
  for (let index = 1; index < text.length; index += 1) steps.add(text.charCodeAt(index) - text.charCodeAt(index - 1));
  const [step] = steps;
  return steps.size === 1 && (step === 1 || step === -1);
}

/** A password that only repeats a part shorter than this is common, whatever the part is. */
const SHORTEST_PART = 4;

/**
 * Tells whether a password is common (NIST SP 800-63B-4, blocklist). A common password is on the list, perhaps with
 * symbols for letters or a short ending, or is a sequence such as `abcdef`. Repetitions of a common or very short part
 * are common too.
 */
export function isCommonPassword(password: string): boolean {
  const text = foldCase(password);
  const part = repeatedPart(text);
  if (isSequence(text) || isSequence(part) || (part !== text && part.length < SHORTEST_PART)) return true;
  const known = commonWords();
  return [text, part].some((form) =>
    [form, withoutOrnament(form)].some((one) => known.has(one) || known.has(plain(one))),
  );
}
