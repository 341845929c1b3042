import type { Json, JsonObject } from '../write/event.ts';
import { hasPairToken, hasPresenceToken, NAMED_BY_WORD, NOT_SEARCHED } from './search-term-fields.ts';

export { hasPairToken, hasPresenceToken };

/** The maximum length of a keyword of `q`, in characters (specification 4.4). */
export const MAXIMUM_KEYWORD_LENGTH = 40;

// Only ASCII characters count as blanks, here and when `keywordPattern` rechecks a match.
const BLANKS = /[ \t\n\v\f\r]+/;

// A search term is a hash of the org and one fact: `w:<word>`, `e:<path>=<value>` or `p:<path>`. The hash is stored, so
// the form of its input must not change. Hashes collide, so the stored value is rechecked.

const PRIME = 0x01000193;

/**
 * Adds a string to an FNV-1a state, one UTF-16 code unit at a time. `finished` applies the finalizer of MurmurHash3.
 * The hash need not be secret.
 */
function added(state: number, text: string): number {
  let hash = state;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}

function finished(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

const BASIS = 0x811c9dc5;

/** The initial hash states for one org, one for each kind of search term. */
interface Seeds {
  readonly w: number;
  readonly e: number;
  readonly p: number;
}

function seedsOf(orgId: string): Seeds {
  const org = finished(added(BASIS, orgId)) ^ BASIS;
  return { w: added(org, 'w:'), e: added(org, 'e:'), p: added(org, 'p:') };
}

const wordTokenFrom = (seeds: Seeds, word: string): number => finished(added(seeds.w, word));
const presenceTokenFrom = (seeds: Seeds, path: string): number => finished(added(seeds.p, path));

export const wordToken = (orgId: string, word: string): number => wordTokenFrom(seedsOf(orgId), word);
export const presenceToken = (orgId: string, path: string): number => presenceTokenFrom(seedsOf(orgId), path);

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

function pairTokenFrom(seeds: Seeds, path: string, value: string): number {
  if (NAMED_BY_WORD.has(path) && isKeyword(value)) return wordTokenFrom(seeds, foldWord(value));
  return finished(added(added(added(seeds.e, path), '='), value));
}

/**
 * Returns a search term that every event with this value of the attribute has, if `hasPairToken` is true. Other events
 * may have the term as well.
 */
export const pairToken = (orgId: string, path: string, value: string): number =>
  pairTokenFrom(seedsOf(orgId), path, value);

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

function addValue(seeds: Seeds, path: string, value: string | number | boolean, list: TokenList): void {
  const text = String(value);
  if (hasPairToken(path, text)) list.add(pairTokenFrom(seeds, path, text));
  if (hasPresenceToken(path)) list.add(presenceTokenFrom(seeds, path));
  if (typeof value !== 'string' || addAsciiKeywords(seeds, value, list)) return;
  for (const keyword of keywordsOf(value)) list.add(wordTokenFrom(seeds, keyword));
}

/** Items of an array share the array's path. */
function addValues(seeds: Seeds, path: string, value: Json | undefined, list: TokenList): void {
  if (value === null || value === undefined || value === '' || path === NOT_SEARCHED) return;
  if (typeof value !== 'object') {
    addValue(seeds, path, value, list);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) addValues(seeds, path, item, list);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    addValues(seeds, path === '' ? name : `${path}.${name}`, item, list);
  }
}

const list = new TokenList();

/** The search terms are distinct and in ascending order. */
export function sortedTokens(orgId: string, members: JsonObject): Int32Array {
  addValues(seedsOf(orgId), '', members, list);
  return list.take();
}

/** The search terms are in the order in which they were found, possibly with duplicates. */
export function unsortedSearchTerms(orgId: string, members: JsonObject): Int32Array {
  addValues(seedsOf(orgId), '', members, list);
  return list.takeUnsorted();
}

/** The result is in ascending order and has no duplicates. */
export function mergedSearchTerms(parts: readonly Int32Array[]): Int32Array {
  for (const tokens of parts) list.addAll(tokens);
  return list.take();
}

export const searchTermsOf = (orgId: string, event: JsonObject): number[] => [...sortedTokens(orgId, event)];
