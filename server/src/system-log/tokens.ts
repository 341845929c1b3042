import type { Json, JsonObject } from './event.ts';

/** Longest keyword of `q` (specification 4.4); longer words are not indexed, since none can be asked for. */
export const MAXIMUM_KEYWORD_LENGTH = 40;

// Blanks are ASCII only: the recheck in SQL runs under the C collation, which knows no others.
const BLANKS = /[ \t\n\v\f\r]+/;

// What a token stands for. The hash is stored, so its input is final: `w:<word>`, `e:<path>=<value>`, `p:<path>`,
// hashed together with the org. Hashes collide; every use rechecks the stored value.

/** FNV-1a over UTF-16 code units, then murmur's finaliser: cheap, well spread, and no secret. */
function added(state: number, text: string): number {
  let hash = state;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
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

/** Where the hashing of a token begins, for each kind, in one org. */
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
const pairTokenFrom = (seeds: Seeds, path: string, value: string): number =>
  finished(added(added(added(seeds.e, path), '='), value));
const presenceTokenFrom = (seeds: Seeds, path: string): number => finished(added(seeds.p, path));

export const wordToken = (orgId: string, word: string): number => wordTokenFrom(seedsOf(orgId), word);
export const pairToken = (orgId: string, path: string, value: string): number =>
  pairTokenFrom(seedsOf(orgId), path, value);
export const presenceToken = (orgId: string, path: string): number => presenceTokenFrom(seedsOf(orgId), path);

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Case is folded character by character, so that a word keeps its length and the recheck can undo it. */
export function foldWord(word: string): string {
  // Every character of ASCII folds to one character.
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase();
  let folded = '';
  for (const character of word) {
    const lower = character.toLowerCase();
    folded += lower.length === character.length ? lower : character;
  }
  return folded;
}

/** Characters of a keyword, as the limit of `q` counts them. */
export const lengthOf = (word: string): number => Array.from(word).length;

/** Words of a text, as `q` asks for them. */
export const splitWords = (text: string): string[] => text.split(BLANKS).filter((word) => word !== '');

/** Every keyword that finds a value: each word whole, and each part of a hyphenated one (specification 4.4). */
export function keywordsOf(text: string): string[] {
  const keywords: string[] = [];
  for (const word of splitWords(foldWord(text))) {
    keywords.push(word);
    if (word.includes('-')) keywords.push(...word.split('-').filter((part) => part !== ''));
  }
  // A word has at most as many characters as it has code units.
  return keywords.filter(
    (keyword) => keyword.length <= MAXIMUM_KEYWORD_LENGTH || lengthOf(keyword) <= MAXIMUM_KEYWORD_LENGTH,
  );
}

/**
 * Attributes without an `eq` pair: they have a column with an index of its own, or the same value in nearly every
 * event, which no index makes faster.
 */
const WITHOUT_PAIR: ReadonlySet<string> = new Set([
  'eventType',
  'actor.id',
  'published',
  'version',
  'transaction.type',
]);

/** Present in every event: asking for them narrows nothing. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set([
  'uuid',
  'published',
  'eventType',
  'version',
  'severity',
  'displayMessage',
  'actor.id',
  'actor.type',
  'actor.alternateId',
  'actor.displayName',
  'client.zone',
  'outcome.result',
  'transaction.type',
  'transaction.id',
  'debugContext.debugData.requestId',
  'authenticationContext.authenticationStep',
]);

/** Before and after values can't be asked for (contract), and would be most of the tokens. */
const NOT_SEARCHED = 'target.changeDetails';

export const hasPairToken = (path: string): boolean => !WITHOUT_PAIR.has(path);
export const hasPresenceToken = (path: string): boolean => !ALWAYS_PRESENT.has(path);

/** Calls back for every scalar that is present (not null, not empty); items of arrays share their array's path. */
function eachValue(value: Json, path: string, visit: (path: string, value: string | number | boolean) => void): void {
  if (value === null || value === '' || path === NOT_SEARCHED) return;
  if (typeof value !== 'object') {
    visit(path, value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) eachValue(item, path, visit);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    eachValue(item, path === '' ? name : `${path}.${name}`, visit);
  }
}

/** All tokens of an event, without repetitions, in rising order. */
export function tokensOf(orgId: string, event: JsonObject): number[] {
  const tokens = new Set<number>();
  const seeds = seedsOf(orgId);
  eachValue(event, '', (path, value) => {
    if (hasPairToken(path)) tokens.add(pairTokenFrom(seeds, path, String(value)));
    if (hasPresenceToken(path)) tokens.add(presenceTokenFrom(seeds, path));
    if (typeof value !== 'string') return;
    for (const keyword of keywordsOf(value)) tokens.add(wordTokenFrom(seeds, keyword));
  });
  return [...tokens].sort((left, right) => left - right);
}
