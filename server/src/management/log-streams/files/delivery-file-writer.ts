import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { takeOwnerLock } from '../../../platform/postgres/embedded/postmaster/owner-lock.ts';
import type { SinkBatch } from '../../../system-log/index.ts';
import { cutTornLine, isBeginningOf, lastLine, syncDirectory, writeAt } from './delivery-file-lines.ts';
import { type FilePosition, readPosition, savePosition } from './delivery-file-position.ts';

export interface FileBounds {
  /** A batch that would make the current file larger than this starts a new file. */
  readonly maximumBytes: number;
  /** The maximum number of files with events, including the current file. */
  readonly maximumFiles: number;
}

const CURRENT = 'current.ndjson';
const CHECKPOINTS = 'checkpoints.ndjson';
/** Closed files are named after the position of their first event, with a number if that name is taken. */
const ENDED = /^events-(\d{1,15})(?:-(\d{1,6}))?\.ndjson$/;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

const openFile = (directory: string, name: string): Promise<FileHandle> => open(join(directory, name), FLAGS, 0o600);

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Creates a directory and its missing parents durably. */
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
  // Files with replayed events are newer than their positions suggest, so the time is compared first.
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
 * Makes the current file and the position file agree. If the current file ends with bytes of an earlier attempt at this
 * batch, they are removed. Otherwise, the function removes an incomplete last line and trusts the current file, because
 * another process may have overwritten the position file.
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
  // The last event in the current file shows how much of the batch was written.
  return [position, await lastLine(file, bytes)];
}

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
    // Positions ascend within a file, so a replay from an earlier position needs a new file.
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

/** Appends a checkpoint, unless it is the same as the last one. */
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
 * Appends each event of the batch once, even if the batch is sent again after a crash. The events are durable when the
 * promise resolves. Throws OwnedError if another process is writing to the folder.
 */
export async function writeBatch(directory: string, bounds: FileBounds, batch: SinkBatch): Promise<void> {
  await makeDirectory(directory);
  // Several processes share the folder. A process that was paused here may go on while another one has the stream.
  const lock = await takeOwnerLock(directory);
  try {
    await append(directory, batch, bounds);
    if (batch.checkpoint !== null) await noteCheckpoint(directory, batch.checkpoint);
  } finally {
    await lock.release();
  }
}
