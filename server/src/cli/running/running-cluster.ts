import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedConnection, ownerOf } from '../../platform/postgres/embedded/index.ts';

/**
 * Indexes of lines in PostgreSQL's `postmaster.pid`. Its eight lines contain the pid, data folder, start time, port,
 * socket folder, listen address, shared memory key and status.
 */
const LINE = { port: 3, socketFolder: 4, status: 7 } as const;

async function clusterDirectory(dataDirectory: string): Promise<string | null> {
  try {
    const place: unknown = JSON.parse(await readFile(join(dataDirectory, 'cluster.json'), 'utf8'));
    if (typeof place !== 'object' || place === null || !('directory' in place)) return null;
    return typeof place.directory === 'string' ? place.directory : null;
  } catch {
    return null;
  }
}

export const hasCluster = async (dataDirectory: string): Promise<boolean> =>
  (await clusterDirectory(dataDirectory)) !== null;

/** Returns the connection to the cluster that a live process owns, or null if no such cluster is ready. */
export async function findRunningCluster(dataDirectory: string): Promise<EmbeddedConnection | null> {
  if ((await ownerOf(dataDirectory)) === null) return null;
  const directory = await clusterDirectory(dataDirectory);
  if (directory === null) return null;
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const host = lines[LINE.socketFolder] ?? '';
  const port = Number(lines[LINE.port]);
  if (lines[LINE.status] !== 'ready' || host === '' || !Number.isInteger(port)) return null;
  return { host, port, user: 'gatehouse', database: 'gatehouse' };
}
