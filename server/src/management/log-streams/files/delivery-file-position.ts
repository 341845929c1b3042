import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './delivery-file-lines.ts';

export interface FilePosition {
  /** The position of the first event in the current file, or 0 if it is unknown. It has no effect if `bytes` is 0. */
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** The id of the batch that was written last. It is empty if the current file is new or the id is unknown. */
  readonly batchId: string;
  /** The day, in UTC, on which the current file was started. */
  readonly day: string;
  readonly bytes: number;
}

const NAME = 'position.json';

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function parsed(text: string): FilePosition | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const { batchId, bytes, day, firstPosition, lastPosition } = value as Partial<Record<keyof FilePosition, unknown>>;
    if (typeof batchId !== 'string' || typeof day !== 'string') return null;
    if (!isCount(bytes) || !isCount(firstPosition) || !isCount(lastPosition)) return null;
    return { batchId, bytes, day, firstPosition, lastPosition };
  } catch {
    return null;
  }
}

/** Returns null if the position file is missing or invalid. */
export async function readPosition(directory: string): Promise<FilePosition | null> {
  try {
    return parsed(await readFile(join(directory, NAME), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** After a crash, the position file contains either the old or the new position. */
export async function savePosition(directory: string, position: FilePosition): Promise<void> {
  const temporary = join(directory, `${NAME}.new`);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(position)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(directory, NAME));
  await syncDirectory(directory);
}
