import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';

import type { Tx } from '../../../platform/postgres/index.ts';
import type { FileSettings } from '../settings/stream-types-rules.ts';
import { type LogStream, sumFileMegabytes } from '../store.ts';

const megabytesOf = ({ maximumFiles, maximumMegabytes }: FileSettings): number => maximumMegabytes * maximumFiles;

/** The operator sets `mostMegabytes`, because the files are on the operator's disk. */
export async function assertFilesFit(
  tx: Tx,
  context: Context,
  { id, settings }: LogStream,
  mostMegabytes: number,
  before: LogStream | null,
): Promise<void> {
  if (settings.type !== 'file_ndjson') return;
  const size = megabytesOf(settings);
  // A change that needs no more space must be possible even if the operator has lowered the limit.
  if (before?.settings.type === 'file_ndjson' && size <= megabytesOf(before.settings)) return;
  const others = await sumFileMegabytes(tx, context.orgId, id);
  const room = Math.max(0, mostMegabytes - others);
  if (size <= room) return;
  throw invalid('settings.maximumFiles', `must be at most ${room} when multiplied by maximumMegabytes.`);
}
