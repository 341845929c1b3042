import { foldWord } from '../rendering/terms/search-terms.ts';

/** No character beyond this code point has case. */
const LAST_CASED_CODE_POINT = 0x1ffff;

/** The characters by folded form, for each form that several characters share. */
let variantsByFold: ReadonlyMap<string, string> | null = null;

function variants(): ReadonlyMap<string, string> {
  if (variantsByFold !== null) return variantsByFold;
  const made = new Map<string, string>();
  for (let code = 0; code <= LAST_CASED_CODE_POINT; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const folded = foldWord(character);
    if (folded !== character) made.set(folded, (made.get(folded) ?? folded) + character);
  }
  variantsByFold = made;
  return made;
}

const escaped = (character: string): string => character.replace(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);

/** Writes a character as it appears in the stored JSON text, which escapes `"`, `\` and a few other characters. */
const asStored = (character: string): string => JSON.stringify(character).slice(1, -1);

function characterPattern(folded: string): string {
  const all = variants().get(folded);
  return all === undefined ? escaped(asStored(folded)) : `[${all}]`;
}

/**
 * The edge of a word: a quotation mark, a hyphen or a blank. Only ASCII characters count as blanks, as in `splitWords`.
 */
const EDGE = String.raw`(?:[" \t\n\v\f\r-]|\\[tnrf]|\\u000b)`;

/** Returns a pattern that finds a keyword as a whole word in the stored text. It excludes hash collisions. */
export function keywordPattern(keyword: string): RegExp {
  const characters = Array.from(foldWord(keyword), characterPattern).join('');
  return new RegExp(`${EDGE}${characters}${EDGE}`, 'u');
}
