import { join } from 'node:path';
import { OwnedError } from '../../../platform/postgres/embedded/postmaster/owner-lock.ts';
import type { DeliveryResult, SinkBatch } from '../../../system-log/index.ts';
import type { FileSettings } from '../settings/stream-types-rules.ts';
import { type FileBounds, writeBatch } from './delivery-file-writer.ts';

export const FILE_BOUNDS = { maximumEvents: 1_000, maximumBytes: 1_000_000 };

const ID = /^[0-9A-Za-z]{1,64}$/;

/** Throws TypeError for anything but ids, because the path could otherwise lead outside the data directory. */
export function streamDirectory(dataDirectory: string, orgId: string, streamId: string): string {
  if (!ID.test(orgId) || !ID.test(streamId)) throw new TypeError('not an id');
  return join(dataDirectory, 'log-streams', orgId, streamId);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'The data folder may not be written to.',
  EDQUOT: 'The disk has no room left.',
  EFBIG: 'The file has become too large.',
  EIO: 'The disk failed.',
  ELOOP: 'A link stands where a file of the stream belongs.',
  EMFILE: 'Too many files are open.',
  ENOSPC: 'The disk has no room left.',
  EPERM: 'The data folder may not be written to.',
  EROFS: 'The data folder may not be written to.',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** An attempt may continue after its time limit, so attempts for a directory run one at a time. */
const writing = new Map<string, Promise<unknown>>();

async function alone<Result>(directory: string, write: () => Promise<Result>): Promise<Result> {
  const before = writing.get(directory) ?? Promise.resolve();
  const mine = before.then(write, write);
  const done = mine.catch(() => undefined);
  writing.set(directory, done);
  try {
    return await mine;
  } finally {
    if (writing.get(directory) === done) writing.delete(directory);
  }
}

/** After a `delivered` result, the events are durable. */
export async function deliverToFile(
  dataDirectory: string,
  settings: FileSettings,
  batch: SinkBatch,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const directory = streamDirectory(dataDirectory, batch.orgId, batch.sinkId);
  const bounds: FileBounds = {
    maximumBytes: settings.maximumMegabytes * 1_000_000,
    maximumFiles: settings.maximumFiles,
  };
  try {
    return await alone(directory, async (): Promise<DeliveryResult> => {
      if (signal.aborted) return { outcome: 'failed', status: null, reason: 'The disk did not answer in time.' };
      await writeBatch(directory, bounds, batch);
      return { outcome: 'delivered', status: null };
    });
  } catch (error) {
    if (error instanceof OwnedError)
      return { outcome: 'failed', status: null, reason: 'Another process is writing to the files.' };
    const code = codeOf(error);
    if (code === '') throw error;
    return { outcome: 'failed', status: null, reason: REASONS[code] ?? `The file could not be written: ${code}.` };
  }
}
