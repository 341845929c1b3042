import type { Context } from '../../kernel/context.ts';
import { type ApiError, notFound } from '../../kernel/errors/errors.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import { isSessionId } from '../../platform/http/index.ts';
import type { Authentication, Target } from '../../system-log/index.ts';
import type { Session, SessionUser } from './store.ts';

export function displayNameOf({ firstName, lastName, login }: SessionUser): string {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? login : name;
}

/** This service verifies imported passwords itself, so `IMPORT` is shown like `INTERNAL`. */
const wireProviderType = (type: string, context: Context): string =>
  type === 'INTERNAL' || type === 'IMPORT' ? context.namespace.upper : type;

/**
 * `id` is the secret of the session, which `session` lacks, because only its hash is stored. `me` selects the links for
 * the owner of the session.
 */
export function wireSession(session: Session, id: string, context: Context, as: 'id' | 'me'): Record<string, unknown> {
  const self = `${context.baseUrl}/api/v1/sessions/${as === 'me' ? 'me' : id}`;
  const user = `${context.baseUrl}/api/v1/users/${as === 'me' ? 'me' : session.userId}`;
  return {
    id,
    login: session.login,
    userId: session.userId,
    createdAt: wireDate(session.createdAt),
    expiresAt: wireDate(session.expiresAt),
    status: 'ACTIVE',
    lastPasswordVerification: wireDateOrNull(session.lastPasswordVerifiedAt),
    // A process without second factors continues a session and leaves the time of an earlier sign-in.
    lastFactorVerification: session.amr.length > 1 ? wireDateOrNull(session.lastFactorVerifiedAt) : null,
    amr: session.amr,
    idp: { id: session.idpId, type: wireProviderType(session.idpType, context) },
    mfaActive: session.amr.includes('mfa'),
    _links: {
      self: { href: self, hints: { allow: ['GET', 'DELETE'] } },
      refresh: { href: `${self}/lifecycle/refresh`, hints: { allow: ['POST'] } },
      user: { name: displayNameOf(session), href: user, hints: { allow: ['GET'] } },
    },
  };
}

/** Errors are logged, so an id that may be the secret of a session is not repeated. */
export const noSuchSession = (id: string): ApiError => notFound(isSessionId(id) ? '102...' : id, 'Session');

export const userTargetOf = (session: SessionUser): Target => ({
  id: session.userId,
  type: 'User',
  alternateId: session.login,
  displayName: displayNameOf(session),
});

export const sessionOf = (session: Pick<Session, 'externalId' | 'rootExternalId'>): Authentication => ({
  externalSessionId: session.externalId,
  rootSessionId: session.rootExternalId,
});
