import type { Json, JsonObject } from '../../write/event.ts';
import { hasPairToken, hasPresenceToken } from './search-term-fields.ts';
import { added, finished, PRIME, type Seeds, seedsOf } from './term-hash.ts';
import { ROOT, TermPath } from './term-path.ts';

export { hasPairToken, hasPresenceToken };

/** The maximum length of a keyword of `q`, in characters (specification 4.4). */
export const MAXIMUM_KEYWORD_LENGTH = 40;

// Only ASCII characters count as blanks, here and when `keywordPattern` rechecks a match.
const BLANKS = /[ \t\n\v\f\r]+/;

const wordTokenFrom = (seeds: Seeds, word: string): number => finished(added(seeds.w, word));

export const wordToken = (orgId: string, word: string): number => wordTokenFrom(seedsOf(orgId), word);
export const presenceToken = (orgId: string, path: string): number => new TermPath(path).presenceToken(seedsOf(orgId));

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Folds case character by character, so that a word keeps its length. */
export function foldWord(word: string): string {
  // Every ASCII character folds to one character.
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase();
  let folded = '';
  for (const character of word) {
    const lower = character.toLowerCase();
    folded += lower.length === character.length ? lower : character;
  }
  return folded;
}

/** Counts the characters (code points) of a word. */
export const lengthOf = (word: string): number => Array.from(word).length;

/** Splits the values of events, and also the query parameter `q`. */
export const splitWords = (text: string): string[] => text.split(BLANKS).filter((word) => word !== '');

/**
 * Returns the keywords that find a value: its words, and the parts of hyphenated words, up to 40 characters each
 * (specification 4.4).
 */
export function keywordsOf(text: string): string[] {
  const keywords: string[] = [];
  for (const word of splitWords(foldWord(text))) {
    keywords.push(word);
    if (word.includes('-')) keywords.push(...word.split('-').filter((part) => part !== ''));
  }
  // A word never has more characters than code units, so most words need not be counted.
  return keywords.filter(
    (keyword) => keyword.length <= MAXIMUM_KEYWORD_LENGTH || lengthOf(keyword) <= MAXIMUM_KEYWORD_LENGTH,
  );
}

const BLANK = /[ \t\n\v\f\r]/;

/**
 * Tests whether a value as a whole is certainly a keyword, so that its search term exists anyway. The length is counted
 * in UTF-16 code units, of which a keyword may have more than 40.
 */
const isKeyword = (value: string): boolean =>
  value !== '' && value.length <= MAXIMUM_KEYWORD_LENGTH && !BLANK.test(value);

const pairTokenFrom = (seeds: Seeds, path: TermPath, value: string): number =>
  path.isNamedByWord && isKeyword(value) ? wordTokenFrom(seeds, foldWord(value)) : path.pairToken(seeds, value);

/**
 * Returns a search term that every event with this value of the attribute has, if `hasPairToken` is true. Other events
 * may have the term as well.
 */
export const pairToken = (orgId: string, path: string, value: string): number =>
  pairTokenFrom(seedsOf(orgId), new TermPath(path), value);

/** A growing list of search terms. One list serves all events in turn, so that its memory is reused. */
class TokenList {
  #tokens = new Int32Array(256);
  #length = 0;

  add(token: number): void {
    this.#grow(this.#length + 1);
    this.#tokens[this.#length] = token;
    this.#length += 1;
  }

  #grow(length: number): void {
    if (length <= this.#tokens.length) return;
    const larger = new Int32Array(length * 2);
    larger.set(this.#tokens);
    this.#tokens = larger;
  }

  addAll(tokens: Int32Array): void {
    this.#grow(this.#length + tokens.length);
    this.#tokens.set(tokens, this.#length);
    this.#length += tokens.length;
  }

  takeUnsorted(): Int32Array {
    const taken = this.#tokens.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Returns the distinct search terms in ascending order, and empties the list. */
  take(): Int32Array {
    const sorted = this.#tokens.subarray(0, this.#length).sort();
    let kept = 0;
    for (const token of sorted) {
      if (kept > 0 && sorted[kept - 1] === token) continue;
      sorted[kept] = token;
      kept += 1;
    }
    this.#length = 0;
    return sorted.slice(0, kept);
  }
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
const HYPHEN = 0x2d;

/**
 * Adds the search terms of the keywords of a value (`keywordsOf`) in one pass. Stops and returns false at a non-ASCII
 * character.
 */
function addAsciiKeywords(seeds: Seeds, text: string, list: TokenList): boolean {
  let word = seeds.w;
  let wordStart = 0;
  let part = seeds.w;
  let partStart = 0;
  for (let index = 0; index <= text.length; index += 1) {
    // The end of the text counts as one more blank.
    let code = index === text.length ? 0x20 : text.charCodeAt(index);
    if (code > 0x7f) return false;
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    const ends = isBlank(code);
    if (ends || code === HYPHEN) {
      const length = index - partStart;
      const isPart = partStart > wordStart || code === HYPHEN;
      if (isPart && length > 0 && length <= MAXIMUM_KEYWORD_LENGTH) list.add(finished(part));
      part = seeds.w;
      partStart = index + 1;
    } else part = Math.imul(part ^ code, PRIME);
    if (ends) {
      const length = index - wordStart;
      if (length > 0 && length <= MAXIMUM_KEYWORD_LENGTH) list.add(finished(word));
      word = seeds.w;
      wordStart = index + 1;
    } else word = Math.imul(word ^ code, PRIME);
  }
  return true;
}

function addValue(seeds: Seeds, path: TermPath, value: string | number | boolean, list: TokenList): void {
  const text = String(value);
  if (path.hasPair(text)) list.add(pairTokenFrom(seeds, path, text));
  if (path.hasPresence) list.add(path.presenceToken(seeds));
  if (typeof value !== 'string' || addAsciiKeywords(seeds, value, list)) return;
  for (const keyword of keywordsOf(value)) list.add(wordTokenFrom(seeds, keyword));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Items of an array share the array's path. */
function addValues(seeds: Seeds, path: TermPath, value: Json | undefined, list: TokenList): void {
  if (value === null || value === undefined || value === '' || !path.isSearched) return;
  if (typeof value !== 'object') {
    addValue(seeds, path, value, list);
    return;
  }
  if (isList(value)) {
    for (const item of value) addValues(seeds, path, item, list);
    return;
  }
  for (const name of Object.keys(value)) addValues(seeds, path.member(name), value[name], list);
}

const list = new TokenList();

/** The search terms are in the order in which they were found, possibly with duplicates. */
export function unsortedSearchTerms(orgId: string, members: JsonObject): Int32Array {
  addValues(seedsOf(orgId), ROOT, members, list);
  return list.takeUnsorted();
}

/** Returns distinct search terms in ascending order: those of the parts, and those of the members. */
export function mergedSearchTerms(
  parts: readonly Int32Array[],
  orgId = '',
  ...members: readonly JsonObject[]
): Int32Array {
  for (const tokens of parts) list.addAll(tokens);
  for (const some of members) addValues(seedsOf(orgId), ROOT, some, list);
  return list.take();
}

/** The search terms are distinct and in ascending order. */
export const sortedTokens = (orgId: string, members: JsonObject): Int32Array => mergedSearchTerms([], orgId, members);

export const searchTermsOf = (orgId: string, event: JsonObject): number[] => [...sortedTokens(orgId, event)];
