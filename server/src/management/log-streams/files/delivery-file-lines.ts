import { type FileHandle, open } from 'node:fs/promises';

const NEWLINE = 10;
const CHUNK_BYTES = 65_536;

/** Without a sync of the directory, the names of new and renamed files are not durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/** Tells whether `text` begins with the bytes from `start` to `end` of the file. */
export async function isBeginningOf(text: Buffer, file: FileHandle, start: number, end: number): Promise<boolean> {
  const length = end - start;
  return length <= text.length && text.subarray(0, length).equals(await readAt(file, start, length));
}

/** A single write can store only some of the bytes without reporting an error. */
export async function writeAt(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}

/** Returns the offset after the last newline before `end`, or 0 if there is none. */
async function lineStart(file: FileHandle, end: number): Promise<number> {
  for (let upTo = end; upTo > 0; ) {
    const from = Math.max(0, upTo - CHUNK_BYTES);
    const index = (await readAt(file, from, upTo - from)).lastIndexOf(NEWLINE);
    if (index >= 0) return from + index + 1;
    upTo = from;
  }
  return 0;
}

/** Truncates the file after its last complete line, and returns its new size. */
export async function cutTornLine(file: FileHandle, size: number): Promise<number> {
  const end = await lineStart(file, size);
  if (end === size) return size;
  await file.truncate(end);
  await file.sync();
  return end;
}

/** Returns the last line, or null if the file is empty. The file must contain only complete lines. */
export async function lastLine(file: FileHandle, size: number): Promise<string | null> {
  if (size === 0) return null;
  const start = await lineStart(file, size - 1);
  return (await readAt(file, start, size - 1 - start)).toString('utf8');
}
