import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasCode } from '../embedded-error.ts';
import { isAlive, processIdentity } from './processes.ts';

/**
 * A folder of generations: files 1, 2, 3 ..., of which the highest counts. Each generation is created only once. If
 * several processes find that the last owner is dead, exactly one of them creates the next generation. A single file
 * would have to be removed first, and a slow process could then remove the lock of a faster one.
 */
const LOCK_FOLDER = 'owner.lock';

interface Owner {
  pid: number;
  identity: string | null;
}

export interface OwnerLock {
  release(): Promise<void>;
}

function parseOwner(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('identity' in value)) return null;
    const { pid, identity } = value;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
    return { pid, identity: typeof identity === 'string' ? identity : null };
  } catch {
    return null;
  }
}

/** A live pid with another start time belongs to a later process, perhaps after a reboot. */
function stillOwns({ pid, identity }: Owner): boolean {
  if (!isAlive(pid)) return false;
  return identity === null || processIdentity(pid) === identity;
}

interface Generation {
  readonly number: number;
  readonly owner: Owner | null;
}

async function lastGeneration(folder: string): Promise<Generation> {
  for (;;) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const number = Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
    if (number === 0) return { number, owner: null };
    try {
      return { number, owner: parseOwner(await readFile(join(folder, String(number)), 'utf8')) };
    } catch (error) {
      // The file was removed after it was listed, so there are higher generations.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

export async function ownerOf(dataDirectory: string): Promise<number | null> {
  const { owner } = await lastGeneration(join(dataDirectory, LOCK_FOLDER));
  return owner !== null && stillOwns(owner) ? owner.pid : null;
}

/** This error is thrown if another process has the folder. */
export class OwnedError extends EmbeddedPostgresError {}

function refuse(dataDirectory: string, pid: number): never {
  const who = pid === process.pid ? `this process (pid ${pid})` : `the process with pid ${pid}`;
  throw new OwnedError(
    `The data folder ${dataDirectory} is in use by ${who}. Stop it, or set GATEHOUSE_DATA_DIR to another folder.`,
  );
}

/** Creates the next generation from the prepared file and returns its number. */
async function makeNextGeneration(dataDirectory: string, folder: string, prepared: string): Promise<number> {
  for (;;) {
    const { number, owner } = await lastGeneration(folder);
    if (owner !== null && stillOwns(owner)) refuse(dataDirectory, owner.pid);
    try {
      // The link makes the finished file appear in one step, so nobody reads a half-written lock.
      await link(prepared, join(folder, String(number + 1)));
      return number + 1;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

export async function takeOwnerLock(dataDirectory: string): Promise<OwnerLock> {
  const folder = join(dataDirectory, LOCK_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const prepared = join(folder, `prepared-${randomBytes(6).toString('hex')}`);
  const owner: Owner = { pid: process.pid, identity: processIdentity(process.pid) };
  await writeFile(prepared, `${JSON.stringify(owner)}\n`, { flag: 'wx', mode: 0o600 });
  let number: number;
  try {
    number = await makeNextGeneration(dataDirectory, folder, prepared);
  } finally {
    await rm(prepared, { force: true });
  }
  // The previous generation stays, so that a process that lists the folder at the same time does not find it empty.
  for (const name of await readdir(folder)) {
    if (/^\d+$/.test(name) && Number(name) < number - 1) await rm(join(folder, name), { force: true });
  }
  return { release: () => truncate(join(folder, String(number))) };
}
