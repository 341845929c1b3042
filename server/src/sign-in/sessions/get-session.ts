import type { Context } from '../../kernel/context.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { isSessionId } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findLiveSession, type Session } from './store.ts';
import { noSuchSession } from './wire.ts';

export async function getSession(db: Db, context: Context, id: string): Promise<Session> {
  const hash = hashSecret(id);
  const session = isSessionId(id) ? await findLiveSession(db, context.orgId, hash, context.now) : undefined;
  if (session === undefined) throw noSuchSession(id);
  return session;
}
