import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { BLANK, mustBeAtMost, mustBeOneOf, mustBeWithin, type Problem } from '../../../kernel/errors/problems.ts';

export type Document = Readonly<Record<string, unknown>>;

export interface MemberDocument extends Document {
  /** Whether the member cannot be changed later. */
  readonly writeOnce: boolean;
}

export const refuseMember = (member: string, problem: Problem): ApiError => invalid(`settings.${member}`, problem);

export const refuseBlank = (member: string): ApiError => refuseMember(member, BLANK);

function readText(member: string, value: string | undefined): string {
  if (value === undefined || value === '') throw refuseBlank(member);
  return value;
}

export function readPattern(member: string, value: string | undefined, pattern: string, problem: Problem): string {
  const text = readText(member, value);
  if (!new RegExp(pattern).test(text)) throw refuseMember(member, problem);
  return text;
}

export function readWord<Word extends string>(member: string, value: string | undefined, words: readonly Word[]): Word {
  const text = readText(member, value);
  const found = words.find((word) => word === text);
  if (found === undefined) throw refuseMember(member, mustBeOneOf(words));
  return found;
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

export function readCount(member: string, value: number | undefined, bounds: Bounds): number {
  const count = value ?? bounds.default;
  if (!Number.isSafeInteger(count) || count < bounds.minimum || count > bounds.maximum) {
    throw refuseMember(member, mustBeWithin(bounds.minimum, bounds.maximum));
  }
  return count;
}

export function readLength(member: string, value: string, { maximum, minimum }: Omit<Bounds, 'default'>): string {
  if (value.length < minimum || value.length > maximum) {
    throw refuseMember(member, `must have ${minimum} to ${maximum} characters.`);
  }
  return value;
}

/** RFC 3986 2 allows none of these characters in URIs. */
const FOREIGN = /[^\x21-\x7e]|[\\<>"^`{|}]/;

export function readHttpsUrl(member: string, value: string | undefined, maximumLength: number): string {
  const text = readText(member, value);
  if (text.length > maximumLength) throw refuseMember(member, mustBeAtMost(maximumLength));
  const url = !FOREIGN.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refuseMember(member, 'must be an absolute URI.');
  if (!/^https:\/\/[^/]/i.test(text)) throw refuseMember(member, 'must have the scheme https.');
  if (url.username !== '' || url.password !== '') throw refuseMember(member, 'must not contain a user name.');
  if (text.includes('#')) throw refuseMember(member, 'must not contain a fragment.');
  return text;
}

export const textDocument = (title: string, description: string, more: Document = {}): MemberDocument => ({
  title,
  description,
  type: 'string',
  writeOnce: false,
  ...more,
});

export const countDocument = (title: string, description: string, bounds: Bounds): MemberDocument => ({
  title,
  description,
  type: 'integer',
  writeOnce: false,
  ...bounds,
});

export const alternatives = (titles: Readonly<Record<string, string>>): readonly Document[] =>
  Object.entries(titles).map(([value, title]) => ({ const: value, title }));
