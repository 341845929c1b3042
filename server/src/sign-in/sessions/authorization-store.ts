import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { isSessionId } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { findLiveSession, type Session } from './store.ts';
import { displayNameOf } from './wire.ts';

export interface AuthorizingSession {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly userStatus: UserStatus;
  /** The public id, `trs...`. */
  readonly externalId: string;
  readonly rootExternalId: string;
  /** The value of `auth_time` (OpenID Connect Core 2). */
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly idp: { readonly id: string; readonly type: string };
}

function authorizing(session: Session): AuthorizingSession {
  const { amr, createdAt, externalId, idpId, idpType, lastPasswordVerifiedAt, login, rootExternalId } = session;
  return {
    userId: session.userId,
    login,
    displayName: displayNameOf(session),
    userStatus: session.userStatus,
    externalId,
    rootExternalId,
    authTime: lastPasswordVerifiedAt ?? createdAt,
    amr,
    idp: { id: idpId, type: idpType },
  };
}

export async function findSessionForAuthorization(
  db: Db,
  orgId: OrgId,
  sessionId: string | null,
  now: Date,
): Promise<AuthorizingSession | undefined> {
  if (sessionId === null || !isSessionId(sessionId)) return undefined;
  const session = await findLiveSession(db, orgId, hashSecret(sessionId), now);
  return session === undefined ? undefined : authorizing(session);
}

export async function isSessionLive(db: Db, orgId: OrgId, externalId: string, now: Date): Promise<boolean> {
  const text = `select 1 as live from live_sessions s
    where s.org_id = $1 and s.external_id = $2 and s.expires_at > $3`;
  return (await prepared(db, 'session_is_live', text, [orgId, externalId, now])).length > 0;
}

/**
 * Locks the user of a session against changes. Call this before locking anything else, so that requests do not
 * deadlock.
 */
export async function lockUserOfSession(tx: Tx, orgId: OrgId, sessionId: string): Promise<void> {
  const text = `select 1 as locked from users u where u.org_id = $1
    and u.id = (select s.user_id from sessions s where s.org_id = $1 and s.id_hash = $2) for share`;
  await prepared(tx, 'authorization_user_lock', text, [orgId, hashSecret(sessionId)]);
}

/** Locks a session and reads it again. The caller must lock the row of the session's user first. */
export async function lockSessionForAuthorization(
  tx: Tx,
  orgId: OrgId,
  sessionId: string,
  now: Date,
): Promise<AuthorizingSession | undefined> {
  const text = 'select 1 as locked from sessions where org_id = $1 and id_hash = $2 for share';
  const [, session] = await Promise.all([
    prepared(tx, 'authorization_session_lock', text, [orgId, hashSecret(sessionId)]),
    findLiveSession(tx, orgId, hashSecret(sessionId), now),
  ]);
  return session === undefined ? undefined : authorizing(session);
}
