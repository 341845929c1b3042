import { offsetMinutes, offsetText } from './zones.ts';

/** A run of one letter in a Joda time pattern, or literal text. */
interface Piece {
  readonly letter: string;
  readonly count: number;
  readonly text: string;
}

const MONTHS = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(',');
const DAYS = 'Sunday,Monday,Tuesday,Wednesday,Thursday,Friday,Saturday'.split(',');

const LETTERS = new Set('yYMdDEeaHhkKmsSZz');
const PIECE = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/gy;
/** The maximum length of a time pattern, in UTF-16 units. */
const MAXIMUM_PATTERN_LENGTH = 100;
const MAXIMUM_REPETITIONS = 9;

export function readPattern(pattern: string): readonly Piece[] | null {
  if (pattern.length > MAXIMUM_PATTERN_LENGTH) return null;
  const pieces: Piece[] = [];
  let length = 0;
  for (const [whole, quoted, letter] of pattern.matchAll(PIECE)) {
    length += whole.length;
    if (letter === undefined) {
      const text = quoted === undefined ? whole : quoted === '' ? "'" : quoted.replaceAll("''", "'");
      pieces.push({ letter: '', count: 0, text });
    } else if (LETTERS.has(letter) && whole.length <= MAXIMUM_REPETITIONS) {
      pieces.push({ letter, count: whole.length, text: '' });
    } else {
      return null;
    }
  }
  return length === pattern.length ? pieces : null;
}

const padded = (value: number, count: number): string =>
  value < 0 ? `-${String(-value).padStart(count, '0')}` : String(value).padStart(count, '0');

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;

const year = (date: Date, count: number): string =>
  count === 2 ? padded(((date.getUTCFullYear() % 100) + 100) % 100, 2) : padded(date.getUTCFullYear(), count);

const name = (names: readonly string[], index: number, count: number): string => {
  const whole = names[index] ?? '';
  return count > 3 ? whole : whole.slice(0, 3);
};

/** Functions that format one field each, by pattern letter. `wall` holds the local time as if it were UTC. */
const WRITERS: Readonly<Record<string, (wall: Date, count: number) => string>> = {
  y: year,
  Y: year,
  M: (wall, count) => (count > 2 ? name(MONTHS, wall.getUTCMonth(), count) : padded(wall.getUTCMonth() + 1, count)),
  d: (wall, count) => padded(wall.getUTCDate(), count),
  D: (wall, count) => padded(dayOfYear(wall), count),
  E: (wall, count) => name(DAYS, wall.getUTCDay(), count),
  e: (wall, count) => padded(wall.getUTCDay() === 0 ? 7 : wall.getUTCDay(), count),
  a: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  H: (wall, count) => padded(wall.getUTCHours(), count),
  k: (wall, count) => padded(wall.getUTCHours() === 0 ? 24 : wall.getUTCHours(), count),
  K: (wall, count) => padded(wall.getUTCHours() % 12, count),
  h: (wall, count) => padded(wall.getUTCHours() % 12 === 0 ? 12 : wall.getUTCHours() % 12, count),
  m: (wall, count) => padded(wall.getUTCMinutes(), count),
  s: (wall, count) => padded(wall.getUTCSeconds(), count),
  S: (wall, count) => padded(wall.getUTCMilliseconds(), 3).padEnd(count, '0').slice(0, count),
};

/** Returns null if the zone is unknown or the local time is out of range. */
export function writeTime(pieces: readonly Piece[], epochMilliseconds: number, zone: string): string | null {
  const offset = offsetMinutes(zone, epochMilliseconds);
  if (offset === null) return null;
  const wall = new Date(epochMilliseconds + offset * 60_000);
  if (Number.isNaN(wall.getTime())) return null;
  return pieces
    .map(({ count, letter, text }) => {
      if (letter === '') return text;
      if (letter === 'Z') return count > 2 ? zone : offsetText(offset, count === 1 ? '' : ':');
      if (letter === 'z') return zone;
      return WRITERS[letter]?.(wall, count) ?? '';
    })
    .join('');
}

interface Reading {
  readonly fields: Record<string, number>;
  zone: string;
}

/** Reads one piece without backtracking. Returns the number of characters read. */
function take(piece: Piece, text: string, isBeforeDigits: boolean, reading: Reading): number | null {
  const { count, letter } = piece;
  if (letter === '') return text.startsWith(piece.text) ? piece.text.length : null;
  if (letter === 'Z' || letter === 'z') {
    const [zone] = /^(?:Z|[+-][0-9]{2}:?[0-9]{2}|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*)/.exec(text) ?? [];
    if (zone === undefined) return null;
    reading.zone = zone;
    return zone.length;
  }
  if (letter === 'a' || (letter === 'M' && count > 2) || letter === 'E') return takeWord(letter, text, reading);
  const digits = new RegExp(`^[0-9]{1,${isBeforeDigits ? count : 9}}`).exec(text)?.[0];
  if (digits === undefined) return null;
  const value = letter === 'S' ? Number(digits.padEnd(3, '0').slice(0, 3)) : Number(digits);
  const isShortYear = (letter === 'y' || letter === 'Y') && count === 2 && digits.length === 2;
  reading.fields[letter === 'Y' ? 'y' : letter] = isShortYear ? value + (value < 70 ? 2000 : 1900) : value;
  return digits.length;
}

function takeWord(letter: string, text: string, reading: Reading): number | null {
  const word = (/^[A-Za-z]+/.exec(text)?.[0] ?? '').toLowerCase();
  if (letter === 'a') {
    if (word !== 'am' && word !== 'pm') return null;
    reading.fields['a'] = word === 'pm' ? 12 : 0;
    return 2;
  }
  const index = (letter === 'M' ? MONTHS : DAYS).findIndex(
    (whole) => word === whole.toLowerCase() || word === whole.slice(0, 3).toLowerCase(),
  );
  if (index < 0) return null;
  if (letter === 'M') reading.fields['M'] = index + 1;
  else reading.fields['e'] = index === 0 ? 7 : index;
  return word.length;
}

const NUMERIC = /[yYMdDeHhkKmsS]/;

/** Parses a time with a pattern, in UTC if the text names no zone. */
export function readTime(
  pieces: readonly Piece[],
  text: string,
): { readonly epochMilliseconds: number; readonly zone: string } | null {
  const reading: Reading = { fields: {}, zone: 'UTC' };
  let rest = text;
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    const isBeforeDigits = next !== undefined && NUMERIC.test(next.letter);
    const taken = take(piece, rest, isBeforeDigits, reading);
    if (taken === null) return null;
    rest = rest.slice(taken);
  }
  return rest === '' ? instantOf(reading) : null;
}

/** Returns the hour from 0 to 23, 0 if no field names it, or null if a field is out of range. */
function hourOf(fields: Readonly<Record<string, number>>): number | null {
  const { a = 0, H, k, K, h } = fields;
  if (H !== undefined) return H > 23 ? null : H;
  if (k !== undefined) return k < 1 || k > 24 ? null : k % 24;
  if (K !== undefined) return K > 11 ? null : K + a;
  if (h === undefined) return 0;
  return h < 1 || h > 12 ? null : (h % 12) + a;
}

/**
 * Tests whether the fields name a day that exists. If they name a day and a weekday, the day must fall on that weekday.
 */
function isDay(wall: Date, { D, M = 1, d, e, y = 1970 }: Readonly<Record<string, number>>): boolean {
  // For a day that the month or year does not have, `Date` continues into the next month or year.
  const exists =
    D === undefined
      ? wall.getUTCMonth() === M - 1 && wall.getUTCDate() === (d ?? 1)
      : wall.getUTCFullYear() === y && dayOfYear(wall) === D;
  const isDayNamed = d !== undefined || D !== undefined;
  return exists && (e === undefined || !isDayNamed || e % 7 === wall.getUTCDay());
}

function instantOf({ fields, zone: given }: Reading): { epochMilliseconds: number; zone: string } | null {
  const { y = 1970, M = 1, d = 1, D, m = 0, s = 0, S = 0 } = fields;
  const hour = hourOf(fields);
  const wall = new Date(0);
  wall.setUTCFullYear(y, D === undefined ? M - 1 : 0, D ?? d);
  if (hour === null || !isDay(wall, fields) || m > 59 || s > 59) return null;
  wall.setUTCHours(hour, m, s, S);
  const zone = given === 'Z' ? 'UTC' : given;
  const guess = offsetMinutes(zone, wall.getTime());
  if (guess === null) return null;
  // Near a clock change, the offset at the instant can differ from the offset at the same wall time read as UTC.
  const offset = offsetMinutes(zone, wall.getTime() - guess * 60_000) ?? guess;
  return { epochMilliseconds: wall.getTime() - offset * 60_000, zone };
}
