import { packNumbers, unpackNumber, widthFor } from './fixed-width.ts';

// Times are whole microseconds since 1970, because PostgreSQL stores times with this precision.

const MICROSECONDS_A_DAY = 86_400_000_000;

const TEXT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** Reads a time in the form in which PostgreSQL writes it in a session in UTC. */
export function microsecondsOf(text: string): number {
  const [, day, time, fraction = ''] = TEXT.exec(text) ?? [];
  const milliseconds = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${text} is not a time of the ledger`);
  return milliseconds * 1_000 + Number(fraction.padEnd(6, '0'));
}

/**
 * Returns the UTC day of a time. A segment never contains events of two days, because whole days leave the windows of
 * orgs, and whole weeks leave the ledger.
 */
export const dayOf = (microseconds: number): number => Math.floor(microseconds / MICROSECONDS_A_DAY);

/** The times of a segment are stored as distances from the earliest one. */
export interface TimeFrame {
  readonly first: number;
  readonly last: number;
  /** The unit of the distances, in microseconds. */
  readonly unit: 1 | 1_000;
}

export function frameOf(times: readonly number[]): TimeFrame {
  const [start = 0] = times;
  let first = start;
  let last = start;
  for (const time of times) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  return { first, last, unit: times.every((time) => (time - first) % 1_000 === 0) ? 1_000 : 1 };
}

const largestDistance = ({ first, last, unit }: TimeFrame): number => (last - first) / unit;

export const timeWidth = (frame: TimeFrame): number => widthFor(largestDistance(frame));

export const packTimes = (times: readonly number[], frame: TimeFrame): Buffer =>
  packNumbers(
    times.map((time) => (time - frame.first) / frame.unit),
    timeWidth(frame),
  );

/** Reads the time at an index of a column, or of a slice of a column. */
export const unpackTime = (bytes: Uint8Array, index: number, frame: TimeFrame): number =>
  frame.first + unpackNumber(bytes, index, largestDistance(frame)) * frame.unit;
