import { isAbsent, refused } from './members.ts';

const entriesOf = (value: object): readonly (readonly [string, unknown])[] => Object.entries(value);

/** The first place at which two documents differ; null: none. What one of them leaves out says nothing. */
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

/**
 * Judges a stored document, out of a file, by what became of it when it was written for the wire and read again as a
 * client's: what the API would make something else of, no request ever stored. 400 E0000001 naming the first place.
 */
export function assertReadsAsStored(place: string, stored: unknown, read: unknown): void {
  const difference = differenceIn(stored, read, place);
  if (difference !== null) throw refused(difference, 'is not what this server would have stored.');
}
