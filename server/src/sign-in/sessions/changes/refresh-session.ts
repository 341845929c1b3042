import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { isSessionId } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { extendSession, type Session } from '../store.ts';
import { noSuchSession, sessionOf, userTargetOf } from '../wire.ts';

/**
 * Restarts the idle time of a session. The session never outlasts its lifetime (specification 4.8). Throws 404 E0000007
 * if the session is unknown or no longer valid.
 */
export function refreshSession(ports: { readonly work: Work }, context: Context, id: string): Promise<Session> {
  if (!isSessionId(id)) return Promise.reject(noSuchSession(id));
  const idHash = hashSecret(id);
  return ports.work(context, async (tx, record) => {
    const session = await extendSession(tx, context.orgId, idHash, context.now);
    const holds =
      session?.isCurrent === true && admits('refreshSession', { user: { status: session.userStatus } }) === null;
    if (session === undefined || !holds) throw noSuchSession(id);
    record({
      eventType: 'user.session.refresh',
      target: [userTargetOf(session)],
      authentication: sessionOf(session),
    });
    return session;
  });
}
