import type { Sentence } from '../../kernel/errors/problems.ts';
import { IMPORT_STATUSES, type ImportStatus } from '../../kernel/user-statuses.ts';
import type { StoredPassword, TransferredHash } from '../../platform/crypto/passwords/index.ts';
import { findUnsupportedCharacter } from '../../platform/http/index.ts';
import { NUL_PROBLEM, type RowProblem } from './raw-rows.ts';

/** The content of a user's row, before anything is looked up in the org. */
export interface UserRecord {
  readonly profile: Readonly<Record<string, unknown>>;
  /** Whether strings and lists of strings are to be converted to the types of the schema. */
  readonly isText: boolean;
  /** Whether unknown attributes are left out and counted instead of refused. */
  readonly isLenient: boolean;
  readonly type: string | null;
  readonly status: ImportStatus | null;
  readonly password: StoredPassword | null;
  /** Whether the email address is verified; true if the row contains no information about this. */
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
  readonly leftOut: readonly string[];
}

export type ReadRow = UserRecord | readonly RowProblem[];

export const isRefused = (row: ReadRow): row is readonly RowProblem[] => Array.isArray(row);

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAXIMUM_DEPTH = 32;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAXIMUM_DEPTH) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

const refused = (reason: Sentence): readonly RowProblem[] => [{ field: '', reason }];

const ESCAPED = /\\u(?:0000|d[89a-f])/i;
/** A NUL or a lone surrogate. The `u` flag makes the pattern ignore complete surrogate pairs. */
const NO_CHARACTER = /[\0\p{Surrogate}]/u;

function hasNoCharacter(value: unknown): boolean {
  if (typeof value === 'string') return NO_CHARACTER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, part]) => NO_CHARACTER.test(name) || hasNoCharacter(part));
}

export function membersOf(text: string): Members | readonly RowProblem[] {
  if (isTooDeep(text)) return refused(`is nested deeper than ${MAXIMUM_DEPTH}.`);
  try {
    const value: unknown = JSON.parse(text);
    if (ESCAPED.test(text) && hasNoCharacter(value)) return [NUL_PROBLEM];
    return isMembers(value) ? value : refused('is not an object.');
  } catch {
    return refused('is not JSON.');
  }
}

export const UNSUPPORTED = 'contains a character that is not supported.';

export const isUnsupported = (value: unknown): boolean =>
  typeof value === 'string'
    ? findUnsupportedCharacter(value)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([name, part]) => findUnsupportedCharacter(name) || isUnsupported(part));

export const OTHERS = '(others)';

export const storable = (name: string, instead: string): string => (findUnsupportedCharacter(name) ? instead : name);

export class Reading {
  readonly problems: RowProblem[] = [];
  readonly leftOut = new Set<string>();

  refuse(field: string, reason: Sentence): null {
    this.problems.push({ field: storable(field, '').slice(0, MAXIMUM_FIELD), reason });
    return null;
  }

  /** Returns null if the value is absent, or if it is invalid and therefore refused. */
  boolean(field: string, value: unknown): boolean | null {
    if (value === undefined || value === null) return null;
    return typeof value === 'boolean' ? value : this.refuse(field, 'must be true or false.');
  }

  status(value: unknown): ImportStatus | null {
    if (value === undefined || value === null || value === '') return null;
    const found = IMPORT_STATUSES.find((status) => status === value);
    return found ?? this.refuse('status', `must be one of ${IMPORT_STATUSES.join(', ')}.`);
  }

  password(field: string, hash: TransferredHash): StoredPassword | null {
    if (!('problems' in hash)) return hash;
    for (const problem of hash.problems) this.refuse(field, problem);
    return null;
  }

  groups(value: unknown): readonly string[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) {
      this.refuse('groups', 'must be an array of group names.');
      return [];
    }
    const names = (value as string[]).map((name) => name.trim()).filter((name) => name !== '');
    if (names.length > MAXIMUM_GROUPS) this.refuse('groups', `must have at most ${MAXIMUM_GROUPS} groups.`);
    if (names.some((name) => Array.from(name).length > MAXIMUM_GROUP_NAME)) {
      this.refuse('groups', `must have group names of at most ${MAXIMUM_GROUP_NAME} characters.`);
    }
    if (isUnsupported(names)) this.refuse('groups', UNSUPPORTED);
    return [...new Set(names)];
  }

  done(record: Omit<UserRecord, 'leftOut'>): ReadRow {
    const { isLenient, profile } = record;
    if (!isLenient && Object.keys(profile).some(findUnsupportedCharacter)) this.refuse('', UNSUPPORTED);
    if (this.problems.length > 0) return this.problems;
    return { ...record, leftOut: [...new Set([...this.leftOut].map((name) => storable(name, OTHERS)))] };
  }
}

const MAXIMUM_FIELD = 100;
const MAXIMUM_GROUPS = 500;
const MAXIMUM_GROUP_NAME = 255;

const IDENTITY: ReadonlySet<string> = new Set(['login', 'email']);

/** Removes `login` and `email`, which users may have been able to edit, and reports them as left out. */
export function withoutIdentity(reading: Reading, source: string, attributes: unknown): Members {
  if (!isMembers(attributes)) return {};
  const entries = Object.entries(attributes);
  for (const [name] of entries) if (IDENTITY.has(name)) reading.leftOut.add(`${source}.${name}`);
  return Object.fromEntries(entries.filter(([name]) => !IDENTITY.has(name)));
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
