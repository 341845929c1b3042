import { InvalidArgumentError } from 'commander';

const MOST = 10_000;

/** Parses the number of entries to list. Throws InvalidArgumentError unless it is from 1 to MOST. */
export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= MOST)) throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST}`);
  return value;
}
