import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDateTime } from '../../filter/index.ts';
import { InstallationError } from '../../installation/installation.ts';
import { type Checkpoint, readCheckpointFile, type StatementKeys, statementKeys } from '../../system-log/index.ts';

const PLACE = /^(\d{1,15}):([0-9A-Fa-f]{64}|[A-Za-z0-9_-]{43})$/;

export type GivenCheckpoint = Checkpoint | { readonly file: string };

export function checkpointOption(text: string, before: readonly GivenCheckpoint[] | undefined): GivenCheckpoint[] {
  const [, digits, hash] = PLACE.exec(text) ?? [];
  const given =
    digits === undefined || hash === undefined
      ? { file: text }
      : { position: Number(digits), hash: Buffer.from(hash, hash.length === 64 ? 'hex' : 'base64url'), source: text };
  return [...(before ?? []), given];
}

export async function readGivenFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new InstallationError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Returns the checkpoints. Those from files must be signed for the log of `org` or, if `org` is null, for the log of
 * any org.
 */
export async function openCheckpoints(
  given: readonly GivenCheckpoint[],
  keys: StatementKeys,
  org: string | null,
): Promise<Checkpoint[]> {
  const opened = given.map(async (one) =>
    'file' in one ? readCheckpointFile(await readGivenFile(one.file), one.file, keys, org) : [one],
  );
  return (await Promise.all(opened)).flat();
}

/** Reads the RSA keys of a JWK Set (RFC 7517). */
export async function readKeyFile(path: string): Promise<StatementKeys> {
  const refused = new InstallationError(`${path} is not a JSON Web Key Set with RSA keys.`);
  try {
    const set: unknown = JSON.parse(await readGivenFile(path));
    const listed = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : null;
    const keys = Array.isArray(listed) ? statementKeys(listed) : null;
    if (keys !== null && keys.size > 0) return keys;
  } catch (error) {
    if (error instanceof InstallationError) throw error;
  }
  throw refused;
}

export function instant(text: string): Date {
  const date = parseDateTime(text);
  if (date === undefined) throw new InvalidArgumentError('must be a date-time such as 2026-01-31T12:00:00Z');
  return date;
}

export function position(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('must be a whole number from 1');
  return value;
}

export const wrongUsage = (command: Command, message: string): never => command.error(`error: ${message}`);

const LONGEST_LINE = 16_000_000;

/** Reads the lines of a file, without `readline`, which also splits at characters that may occur in JSON strings. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
    const bytes: Buffer = chunk as Buffer;
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      rest.push(bytes.subarray(start, end));
      yield Buffer.concat(rest).toString('utf8');
      rest = [];
      length = 0;
      start = end + 1;
    }
    rest.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > LONGEST_LINE) throw new InstallationError(`${path} has a line of more than ${LONGEST_LINE} bytes.`);
  }
  if (length > 0) yield Buffer.concat(rest).toString('utf8');
}
