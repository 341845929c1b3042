import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { ConnectionSettings } from '../../server/src/platform/postgres/index.ts';

const SLOT = 'gatehouse_backup';
/** Files that a low-level backup should leave out according to PostgreSQL's documentation, and our own lock. */
const LEFT_OUT = ['postgres/postmaster.pid', 'postgres/postmaster.opts', 'postgres/pg_replslot/*', 'owner.lock'];

async function run(command: string, given: readonly string[]): Promise<void> {
  const child: ChildProcess = spawn(command, given, { stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  // tar exits with 1 if files change while they are copied. PostgreSQL's recovery handles such files.
  if (code !== 0 && code !== 1) throw new Error(`${command} ended with ${code}`);
}

/** Copies a folder that is being written to, except for the files in `LEFT_OUT`. */
async function copyLive(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 });
  const left = LEFT_OUT.map((path) => `--exclude=./${path}`).join(' ');
  await run('/bin/bash', ['-c', `set -o pipefail; tar -C '${from}' ${left} -cf - . | tar -C '${to}' -xpf -`]);
}

/** A function that is called right before the backup ends. */
type Ending = () => void;

/**
 * Makes a base backup of a data folder while the server runs. A replication slot keeps the write-ahead log from being
 * recycled.
 */
export async function baseBackup(
  connection: ConnectionSettings,
  dataDirectory: string,
  to: string,
  ending: Ending,
): Promise<void> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    await client.query('select pg_create_physical_replication_slot($1, true)', [SLOT]);
    await client.query("select pg_backup_start('gatehouse', true)");
    await copyLive(dataDirectory, to);
    ending();
    const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
      'select labelfile, spcmapfile from pg_backup_stop(false)',
    );
    await client.query('select pg_switch_wal()');
    const wal = join('postgres', 'pg_wal');
    await copyLive(join(dataDirectory, wal), join(to, wal));
    const label = join(to, 'postgres', 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
    // If this process runs as root, PostgreSQL runs as another user, which must be able to read the label.
    const { gid, uid } = await stat(join(to, 'postgres'));
    await chown(label, uid, gid);
  } finally {
    await client.query('select pg_drop_replication_slot($1)', [SLOT]).catch(() => undefined);
    await client.end();
  }
}

/** Replaces the paths in the copy's cluster.json, which still refer to the original folder. */
export async function settle(to: string): Promise<void> {
  const path = join(to, 'cluster.json');
  const place = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...place, directory: join(to, 'postgres'), dataDirectory: to }, null, 2));
}
