import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { findLogStreamForUpdate, type LogStream } from './store.ts';

/** 404 E0000007 when the org has none of this id. */
export async function lockLogStream(tx: Tx, context: Context, id: string): Promise<LogStream> {
  const stream = await findLogStreamForUpdate(tx, context.orgId, id);
  if (stream === undefined) throw notFound(id, 'LogStream');
  return stream;
}
