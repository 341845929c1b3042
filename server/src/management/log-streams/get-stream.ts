import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Target } from '../../system-log/index.ts';
import { findLogStream, type LogStream } from './store.ts';
import { logStreamTarget } from './wire.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getLogStream(db: Db, context: Context, id: string): Promise<LogStream> {
  const stream = await findLogStream(db, context.orgId, id);
  if (stream === undefined) throw notFound(id, 'LogStream');
  return stream;
}

/** Finds the stream as an event target; null when there is none. */
export async function findLogStreamTarget(db: Db, orgId: OrgId, id: string): Promise<Target | null> {
  const stream = await findLogStream(db, orgId, id);
  return stream === undefined ? null : logStreamTarget(stream);
}
