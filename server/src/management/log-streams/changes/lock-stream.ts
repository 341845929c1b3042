import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { findLogStreamForUpdate, type LogStream } from '../store.ts';
import { logStreamVersion } from '../wire.ts';

/** 404 E0000007 when the org has none of this id; 412 E0000231 where the client has another version. */
export async function lockLogStream(tx: Tx, context: Context, id: string): Promise<LogStream> {
  const stream = await findLogStreamForUpdate(tx, context.orgId, id);
  if (stream === undefined) throw notFound(id, 'LogStream');
  assertVersion(context, logStreamVersion(stream));
  return stream;
}
