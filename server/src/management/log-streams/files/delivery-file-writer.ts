import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SinkBatch } from '../../../system-log/index.ts';
import { cutTornLine, isBeginningOf, lastLine, syncDirectory, writeAt } from './delivery-file-lines.ts';
import { type FilePosition, readPosition, savePosition } from './delivery-file-position.ts';

export interface FileBounds {
  /** A file is ended before it would grow beyond this; a batch is never spread over two. */
  readonly maximumBytes: number;
  /** The one written to among them. */
  readonly maximumFiles: number;
}

const CURRENT = 'current.ndjson';
const CHECKPOINTS = 'checkpoints.ndjson';
/** Of earlier events: the position of their first, and which of several that begin there. */
const ENDED = /^events-(\d{1,15})(?:-(\d{1,6}))?\.ndjson$/;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

const openFile = (directory: string, name: string): Promise<FileHandle> => open(join(directory, name), FLAGS, 0o600);

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Makes the folder, each new level of which its parent must remember. */
async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

async function endedFiles(directory: string): Promise<string[]> {
  const found: { name: string; at: number; first: number; again: number }[] = [];
  for (const name of await readdir(directory)) {
    const [, first, again = '1'] = ENDED.exec(name) ?? [];
    if (first === undefined) continue;
    const { mtimeMs } = await stat(join(directory, name));
    found.push({ name, at: mtimeMs, first: Number(first), again: Number(again) });
  }
  // What was replayed is newer than its positions say.
  found.sort((one, other) => one.at - other.at || one.first - other.first || one.again - other.again);
  return found.map(({ name }) => name);
}

async function freeName(directory: string, first: number): Promise<string> {
  const base = `events-${first}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${base}.ndjson` : `${base}-${number}.ndjson`;
    if (!(await exists(join(directory, name)))) return name;
  }
}

/** The current file becomes one of the earlier ones, of which the oldest go. */
async function endFile(directory: string, position: FilePosition, bounds: FileBounds): Promise<FilePosition> {
  await rename(join(directory, CURRENT), join(directory, await freeName(directory, position.firstPosition)));
  await syncDirectory(directory);
  const emptied = { ...position, bytes: 0 };
  await savePosition(directory, emptied);
  const ended = await endedFiles(directory);
  const surplus = ended.length - Math.max(0, bounds.maximumFiles - 1);
  for (const name of ended.slice(0, Math.max(0, surplus))) await unlink(join(directory, name));
  return emptied;
}

const linesOf = (events: SinkBatch['events']): Buffer => Buffer.from(events.map(({ body }) => `${body}\n`).join(''));

/**
 * Brings the current file to where the position file says it ends. Behind that, an earlier attempt at this batch wrote
 * what comes again; that goes. Whole lines of anything else stay: a process that was frozen while another delivered
 * has the last word on the position, not on the file. Whoever shortened or moved the file is taken at his word.
 */
async function settle(directory: string, file: FileHandle, batch: SinkBatch): Promise<[FilePosition, string | null]> {
  const stored = await readPosition(directory);
  const { size } = await file.stat();
  if (stored !== null && size === stored.bytes) return [stored, null];
  if (stored !== null && size > stored.bytes) {
    if (await isBeginningOf(linesOf(batch.events), file, stored.bytes, size)) {
      await file.truncate(stored.bytes);
      await file.sync();
      return [stored, null];
    }
  }
  const bytes = await cutTornLine(file, size);
  const day = batch.now.toISOString().slice(0, 10);
  const position = { ...(stored ?? { firstPosition: 0, lastPosition: 0, batchId: '', day }), bytes };
  await savePosition(directory, position);
  // Where the position file is not to be trusted, the last event tells how far the file had come.
  return [position, await lastLine(file, bytes)];
}

/** Events of the batch that are not in the file yet. */
function missingOf(batch: SinkBatch, position: FilePosition, last: string | null): SinkBatch['events'] {
  if (batch.attempt > 1 && batch.id === position.batchId && position.bytes > 0) return [];
  const written = last === null ? -1 : batch.events.findIndex(({ body }) => body === last);
  return batch.events.slice(written + 1);
}

async function append(directory: string, batch: SinkBatch, bounds: FileBounds): Promise<void> {
  let file = await openFile(directory, CURRENT);
  try {
    let [position, last] = await settle(directory, file, batch);
    const missing = missingOf(batch, position, last);
    const [first] = missing;
    const end = missing.at(-1);
    if (first === undefined || end === undefined) return;
    const text = linesOf(missing);
    const day = batch.now.toISOString().slice(0, 10);
    const isFull = position.bytes + text.length > bounds.maximumBytes || position.day !== day;
    // A replay goes back: what it repeats stands in a file of its own.
    if (position.bytes > 0 && (isFull || first.position <= position.lastPosition)) {
      await file.close();
      position = await endFile(directory, { ...position, batchId: '' }, bounds);
      file = await openFile(directory, CURRENT);
    }
    const { bytes } = position;
    await writeAt(file, text, bytes);
    await file.sync();
    await syncDirectory(directory);
    await savePosition(directory, {
      firstPosition: bytes === 0 ? first.position : position.firstPosition,
      lastPosition: end.position,
      batchId: batch.id,
      day: bytes === 0 ? day : position.day,
      bytes: bytes + text.length,
    });
  } finally {
    await file.close();
  }
}

/** A checkpoint is worth a line when it is another one than the last. */
async function noteCheckpoint(directory: string, checkpoint: string): Promise<void> {
  const file = await openFile(directory, CHECKPOINTS);
  try {
    const { size } = await file.stat();
    const bytes = await cutTornLine(file, size);
    const line = JSON.stringify({ checkpoint });
    if ((await lastLine(file, bytes)) === line) return;
    const text = Buffer.from(`${line}\n`);
    await writeAt(file, text, bytes);
    await file.sync();
    await syncDirectory(directory);
  } finally {
    await file.close();
  }
}

/**
 * Appends a batch to `current.ndjson` of the folder, each event once, whatever ended a process before. When it
 * resolves, file and folder are on the disk. Throws what the file system throws.
 */
export async function writeBatch(directory: string, bounds: FileBounds, batch: SinkBatch): Promise<void> {
  await makeDirectory(directory);
  await append(directory, batch, bounds);
  if (batch.checkpoint !== null) await noteCheckpoint(directory, batch.checkpoint);
}
