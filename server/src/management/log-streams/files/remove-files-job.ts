import { rm } from 'node:fs/promises';
import type { Context } from '../../../kernel/context.ts';
import { enqueue, type JobKind, JobRefusedError } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { LogStream } from '../store.ts';
import { streamDirectory } from './delivery-file.ts';

const REMOVE_FILES = 'logStreams.removeFiles';

/** Running deliveries to a deleted stream normally end within this time. */
const PAUSE_MILLISECONDS = 60_000;

export async function removeFilesLater(tx: Tx, { now, orgId }: Context, { id, type }: LogStream): Promise<void> {
  if (type !== 'file_ndjson') return;
  const runAt = new Date(now.getTime() + PAUSE_MILLISECONDS);
  await enqueue(tx, orgId, { kind: REMOVE_FILES, payload: { streamId: id }, runAt, dedupeKey: id });
}

export const logStreamJobs = (dataDirectory: string): Readonly<Record<string, JobKind>> => ({
  [REMOVE_FILES]: {
    run: async ({ orgId, payload }) => {
      const { streamId } = payload;
      if (typeof streamId !== 'string') throw new JobRefusedError('no stream is named');
      await rm(streamDirectory(dataDirectory, orgId, streamId), { recursive: true, force: true });
    },
  },
});
