import { InvalidArgumentError } from 'commander';

const MOST = 10_000;

export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= MOST)) throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST}`);
  return value;
}
