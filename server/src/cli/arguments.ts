import { InvalidArgumentError } from 'commander';

const MOST = 10_000;

/** A number of things to list. */
export function count(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= MOST)) throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST}`);
  return value;
}

export interface Checkpoint {
  readonly position: number;
  readonly hash: Buffer;
}

/** A place of a chain as `log verify` prints it: position, colon, hash in hex. */
export function checkpoint(text: string): Checkpoint {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text);
  if (match === null) throw new InvalidArgumentError('must be a position, a colon and 64 hex digits');
  return { position: Number(match[1]), hash: Buffer.from(match[2] ?? '', 'hex') };
}
