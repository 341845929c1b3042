import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { newSessionId } from '../session-secrets.ts';
import type { Sessions } from '../sessions.ts';
import { insertSession, type Session, type SessionNames, type TakenToken, takeSessionToken } from '../store.ts';
import { takeOverSession } from './take-over-session.ts';

export interface OpenedSession {
  /** The secret id of the session. */
  readonly id: string;
  readonly session: Session;
  /**
   * This is false if the cookie ends when the browser closes. A null `maximumAgeSeconds` means that there is no limit.
   */
  readonly persistent: false | { readonly maximumAgeSeconds: number | null };
}

const MAXIMUM_USER_AGENT_LENGTH = 512;

const holds = (token: TakenToken, now: Date): boolean =>
  token.isCurrent && token.expiresAt > now && admits('createSession', { user: { status: token.userStatus } }) === null;

function sessionOf(token: TakenToken, names: SessionNames, now: Date): Session {
  const { idp, amr, factorVerifiedAt, passwordVerifiedAt } = token.session;
  const { firstName, lastName, login, userId, userStatus } = token;
  return {
    userId,
    userStatus,
    login,
    firstName,
    lastName,
    amr,
    ...names,
    createdAt: now,
    lastPasswordVerifiedAt: new Date(passwordVerifiedAt),
    lastFactorVerifiedAt: factorVerifiedAt === undefined ? null : new Date(factorVerifiedAt),
    idpId: idp.id,
    idpType: idp.type,
  };
}

/**
 * Opens a session for a session token, always with a new id. `before` is the id of the browser's earlier session, which
 * continues as the opened session if it belongs to the same user, and otherwise ends. A refused token is consumed, too.
 */
export async function createSession(
  ports: Pick<Sessions, 'work' | 'ending'>,
  context: Context,
  sessionToken: string,
  before: string | null = null,
): Promise<OpenedSession> {
  const { now, orgId } = context;
  const tokenHash = hashSecret(sessionToken);
  const id = newSessionId();
  const opened = await ports.work(context, async (tx, record): Promise<OpenedSession | null> => {
    const token = await takeSessionToken(tx, orgId, tokenHash);
    if (token === undefined || !holds(token, now)) return null;
    const { ipAddress, userAgent } = context.client;
    const row = {
      idHash: hashSecret(id),
      userId: token.userId,
      session: token.session,
      authenticatedAt: token.authenticatedAt,
      clientAddress: ipAddress,
      userAgent: userAgent.rawUserAgent?.slice(0, MAXIMUM_USER_AGENT_LENGTH) ?? null,
    };
    const continued =
      before === null ? null : await takeOverSession(ports, context, { tx, record, token, row }, before);
    const names = continued ?? (await insertSession(tx, orgId, row, now));
    const { lifetimeMinutes, usePersistentCookie } = token.session;
    const maximumAgeSeconds = lifetimeMinutes === 0 ? null : lifetimeMinutes * 60;
    return {
      id,
      session: sessionOf(token, names, now),
      persistent: usePersistentCookie ? { maximumAgeSeconds } : false,
    };
  });
  if (opened === null) throw apiError('E0000004');
  return opened;
}
