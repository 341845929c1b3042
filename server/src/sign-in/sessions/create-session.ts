import { admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Work } from '../../system-log/index.ts';
import { newSessionId } from './session-secrets.ts';
import { insertSession, type Session, type TakenToken, takeSessionToken } from './store.ts';

export interface OpenedSession {
  /** The secret id: told now, and never again. */
  readonly id: string;
  readonly session: Session;
  /** Whether the cookie outlives the browser's closing, and for how long at most; null: no limit. */
  readonly persistent: false | { readonly maximumAgeSeconds: number | null };
}

const MAXIMUM_USER_AGENT_LENGTH = 512;

const holds = (token: TakenToken, now: Date): boolean =>
  token.isCurrent && token.expiresAt > now && admits('createSession', { user: { status: token.userStatus } }) === null;

function sessionOf(token: TakenToken, now: Date, expiresAt: Date): Session {
  const { externalSessionId, idp, amr, passwordVerifiedAt } = token.session;
  const { firstName, lastName, login, userId, userStatus } = token;
  return {
    userId,
    userStatus,
    login,
    firstName,
    lastName,
    amr,
    expiresAt,
    externalId: externalSessionId,
    rootExternalId: externalSessionId,
    createdAt: now,
    lastPasswordVerifiedAt: new Date(passwordVerifiedAt),
    idpId: idp.id,
    idpType: idp.type,
  };
}

/**
 * Opens the session that a session token stands for, always with a new id. The sign-in has recorded
 * `user.session.start` with the public id; there is no second start. 401 E0000004: a token that is unknown, used,
 * expired, or whose user may no longer sign in; it is used up all the same.
 */
export async function createSession(
  ports: { readonly work: Work },
  context: Context,
  sessionToken: string,
): Promise<OpenedSession> {
  const tokenHash = hashSecret(sessionToken);
  const id = newSessionId();
  const opened = await ports.work(context, async (tx): Promise<OpenedSession | null> => {
    const token = await takeSessionToken(tx, context.orgId, tokenHash);
    if (token === undefined || !holds(token, context.now)) return null;
    const { ipAddress, userAgent } = context.client;
    const row = {
      idHash: hashSecret(id),
      userId: token.userId,
      session: token.session,
      clientAddress: ipAddress,
      userAgent: userAgent.rawUserAgent?.slice(0, MAXIMUM_USER_AGENT_LENGTH) ?? null,
    };
    const expiresAt = await insertSession(tx, context.orgId, row, context.now);
    const { lifetimeMinutes, usePersistentCookie } = token.session;
    const maximumAgeSeconds = lifetimeMinutes === 0 ? null : lifetimeMinutes * 60;
    return {
      id,
      session: sessionOf(token, context.now, expiresAt),
      persistent: usePersistentCookie ? { maximumAgeSeconds } : false,
    };
  });
  if (opened === null) throw apiError('E0000004');
  return opened;
}
