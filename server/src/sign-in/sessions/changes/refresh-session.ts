import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { isSessionId } from '../../../platform/http/index.ts';
import { assuming, startAhead } from '../../../platform/postgres/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import { extendSeenSession, extendSession } from '../refresh-store.ts';
import type { Sessions } from '../sessions.ts';
import type { Session, SessionOwner } from '../store.ts';
import { noSuchSession, sessionOf, userTargetOf } from '../wire.ts';

export type RefreshSessionPorts = Pick<Sessions, 'work' | 'ownerOf'>;

const refreshed = (session: SessionOwner | Session): NewEvent => ({
  eventType: 'user.session.refresh',
  target: [userTargetOf(session)],
  authentication: sessionOf(session),
});

const isAdmitted = ({ userStatus }: SessionOwner | Session): boolean =>
  admits('refreshSession', { user: { status: userStatus } }) === null;

/** Relies on the session that was read before the transaction, so that all statements are sent in one packet. */
async function refreshSeen(
  { work }: RefreshSessionPorts,
  context: Context,
  idHash: Buffer,
  seen: SessionOwner,
): Promise<Session> {
  const { result } = await work(context, async (tx, record) => {
    record(refreshed(seen));
    return startAhead(tx, () => extendSeenSession(tx, context.orgId, idHash, context.now, seen));
  });
  return result;
}

const refreshLocked = ({ work }: RefreshSessionPorts, context: Context, id: string, idHash: Buffer): Promise<Session> =>
  work(context, async (tx, record) => {
    const session = await extendSession(tx, context.orgId, idHash, context.now);
    if (session?.isCurrent !== true || !isAdmitted(session)) throw noSuchSession(id);
    record(refreshed(session));
    return session;
  });

/** Restarts the idle time of a session. The session never outlasts its lifetime (specification 4.8). */
export async function refreshSession(ports: RefreshSessionPorts, context: Context, id: string): Promise<Session> {
  if (!isSessionId(id)) throw noSuchSession(id);
  const idHash = hashSecret(id);
  const locked = () => refreshLocked(ports, context, id, idHash);
  const seen = await ports.ownerOf(context.orgId, idHash);
  if (seen === null || seen.expiresAt <= context.now || !isAdmitted(seen)) return locked();
  return assuming(() => refreshSeen(ports, context, idHash, seen), locked);
}
