import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { isSessionId } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import type { Sessions } from '../sessions.ts';
import {
  continueSession,
  lockSession,
  type NewSession,
  removeSession,
  type SessionNames,
  type TakenToken,
} from '../store.ts';
import { displayNameOf, sessionOf, userTargetOf } from '../wire.ts';

interface SignIn {
  readonly tx: Tx;
  readonly record: Record;
  /** The session token that this sign-in has consumed. The transaction holds a lock on the row of the token's user. */
  readonly token: TakenToken;
  readonly row: NewSession;
}

/**
 * Continues the browser's earlier session if it belongs to the same user, or else ends it. A session that continues
 * keeps its public id, so that ending it later reaches all apps that know the id. Returns null if no session continues.
 */
export async function takeOverSession(
  { ending }: Pick<Sessions, 'ending'>,
  context: Context,
  { record, row, token, tx }: SignIn,
  before: string,
): Promise<SessionNames | null> {
  if (!isSessionId(before)) return null;
  const { now, orgId } = context;
  const idHash = hashSecret(before);
  const had = await lockSession(tx, orgId, idHash);
  if (had === undefined || !had.isCurrent || had.expiresAt <= now) return null;
  const { login, userId } = token;
  const actor = { id: userId, type: 'User', alternateId: login, displayName: displayNameOf(token) };
  if (had.userId === userId) {
    const names = await continueSession(tx, orgId, idHash, row, now);
    const debugData = { externalSessionIdOfSignIn: token.session.externalSessionId };
    const target = [userTargetOf(token)];
    record({ eventType: 'user.session.refresh', actor, target, authentication: sessionOf(had), debugData });
    return names;
  }
  await ending(tx, context, { idHash });
  const ended = await removeSession(tx, orgId, idHash);
  if (ended === undefined || admits('useSession', { user: { status: ended.userStatus } }) !== null) return null;
  record({ eventType: 'user.session.end', actor, target: [userTargetOf(ended)], authentication: sessionOf(ended) });
  return null;
}
