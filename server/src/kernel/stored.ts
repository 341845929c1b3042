import { invalid } from './errors/errors.ts';
import { tooMany, wrongType } from './errors/field-errors.ts';
import { isAbsent, type Members } from './words/members.ts';

const entriesOf = (value: object): readonly (readonly [string, unknown])[] => Object.entries(value);

/**
 * Returns the first place where two documents differ, or null. A member that is missing or null in one of them does not
 * count.
 */
function differenceIn(stored: unknown, read: unknown, place: string): string | null {
  if (isAbsent(stored) || isAbsent(read)) return null;
  if (typeof stored !== 'object' || typeof read !== 'object') return Object.is(stored, read) ? null : place;
  if (Array.isArray(stored) !== Array.isArray(read)) return place;
  if (Array.isArray(stored) && Array.isArray(read) && stored.length !== read.length) return place;
  const other = new Map(entriesOf(read));
  for (const [name, value] of entriesOf(stored)) {
    const difference = differenceIn(value, other.get(name), `${place}.${name}`);
    if (difference !== null) return difference;
  }
  return null;
}

/** Throws 400 E0000001 if an imported document differs from `read`, the form that a request would store. */
export function assertReadsAsStored(place: string, stored: unknown, read: unknown): void {
  const difference = differenceIn(stored, read, place);
  if (difference !== null) throw invalid(difference, 'is not what this server would have stored.');
}

/** Reads a text column of an imported row. */
export function storedText(row: Members, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrongType(column, 'a string');
  return value;
}

/** Reads a column of at most `maximum` bytes in PostgreSQL's hex format. */
export function storedBytes(row: Members, column: string, maximum: number): Buffer {
  const text = storedText(row, column);
  if (text.length > 2 * maximum + 2) throw tooMany(column, maximum, 'bytes');
  if (!/^\\x(?:[0-9a-f]{2})*$/.test(text)) throw invalid(column, 'must be bytes in hexadecimal digits.');
  return Buffer.from(text.slice(2), 'hex');
}
