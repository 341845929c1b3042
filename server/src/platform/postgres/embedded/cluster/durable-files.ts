import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../embedded-error.ts';
import type { ClusterUser } from './cluster-user.ts';

/** Syncs a folder, so that a rename or a new entry in it survives a power failure. Windows has no such call. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces the file in one step, with mode 0600. A reader sees the old or the new text, even after a crash. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

export async function makePrivateDirectory(directory: string, user: ClusterUser | null): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  if (user !== null) await chown(directory, user.uid, user.gid);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
