import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the file, complete and synced to disk, unless it exists. Resolves with the content of the file. */
export async function createOnce(path: string, text: string, mode = 0o600): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', mode);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, path);
    await syncDirectory(dirname(path));
    return text;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return await readFile(path, 'utf8');
  } finally {
    await rm(temporary, { force: true });
  }
}
