import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { isSessionId } from '../../../platform/http/index.ts';
import {
  isAloneInShared,
  isShared,
  needOwnTransaction,
  startAhead,
  type Tx,
  together,
} from '../../../platform/postgres/index.ts';
import type { NewEvent, Record } from '../../../system-log/index.ts';
import { extendLockedSession, extendSeenSession, extendSession, lockFreeSessions } from '../refresh-store.ts';
import type { Sessions } from '../sessions.ts';
import type { Session, SessionOwner, Watermarked } from '../store.ts';
import { noSuchSession, sessionOf, userTargetOf } from '../wire.ts';

export type RefreshSessionPorts = Pick<Sessions, 'work' | 'sharedWork' | 'ownerOf'>;

interface Refresh {
  readonly context: Context;
  readonly id: string;
  readonly idHash: Buffer;
}

const refreshed = (session: SessionOwner | Session): NewEvent => ({
  eventType: 'user.session.refresh',
  target: [userTargetOf(session)],
  authentication: sessionOf(session),
});

const isAdmitted = ({ userStatus }: SessionOwner | Session): boolean =>
  admits('refreshSession', { user: { status: userStatus } }) === null;

/** Throws unless the session, which is locked, is valid and its user may refresh it. */
function assertRefreshable(
  { id }: Refresh,
  session: (Session & Watermarked) | undefined,
): asserts session is Session & Watermarked {
  if (session?.isCurrent !== true || !isAdmitted(session)) throw noSuchSession(id);
}

async function refreshLocked(refresh: Refresh, tx: Tx, record: Record): Promise<Session> {
  const { context, idHash } = refresh;
  const session = await extendSession(tx, context.orgId, idHash, context.now);
  assertRefreshable(refresh, session);
  record(refreshed(session));
  return session;
}

/** Refreshes the session together with those of other requests. */
async function refreshTogether(refresh: Refresh, tx: Tx, record: Record): Promise<Session> {
  const { context, idHash } = refresh;
  const time = { idHash, now: context.now };
  const sessions = await together(tx, 'sessions to refresh', time, (all, times) =>
    lockFreeSessions(all, context.orgId, times),
  );
  const session = sessions.find((one) => one.idHash.equals(idHash));
  // The session has ended, or another transaction has locked it or its user.
  if (session === undefined) needOwnTransaction(tx);
  const unexpired = session?.isUnexpired === true ? session : undefined;
  assertRefreshable(refresh, unexpired);
  record(refreshed(unexpired));
  extendLockedSession(tx, context.orgId, time);
  return { ...unexpired, expiresAt: unexpired.extendedUntil };
}

/**
 * Returns the use case for a shared unit of work. Without others, it relies on the session that was read before the
 * transaction, so that all statements leave in one packet.
 */
const refreshing =
  (refresh: Refresh, seen: SessionOwner) =>
  async (tx: Tx, record: Record): Promise<{ readonly result: Promise<Session> | Session }> => {
    if (!isShared(tx)) return { result: await refreshLocked(refresh, tx, record) };
    if (!isAloneInShared(tx)) return { result: await refreshTogether(refresh, tx, record) };
    const { context, idHash } = refresh;
    record(refreshed(seen));
    return startAhead(tx, () => extendSeenSession(tx, context.orgId, idHash, context.now, seen));
  };

/** Restarts the idle time of a session. The session never outlasts its lifetime (specification 4.8). */
export async function refreshSession(ports: RefreshSessionPorts, context: Context, id: string): Promise<Session> {
  if (!isSessionId(id)) throw noSuchSession(id);
  const idHash = hashSecret(id);
  const refresh = { context, id, idHash };
  const seen = await ports.ownerOf(context.orgId, idHash);
  if (seen === null || seen.expiresAt <= context.now || !isAdmitted(seen))
    return ports.work(context, (tx, record) => refreshLocked(refresh, tx, record));
  const { result } = await ports.sharedWork(context, idHash.toString('hex'), refreshing(refresh, seen));
  return result;
}
