import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import type { TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { GrantRefusal } from './user-grant.ts';

/** Refuses scopes that need the user's consent, because a token request has no page on which to ask for it. */
export function refusalOfUnaskedConsent(
  { consentMethod }: Pick<ClientCredentials, 'consentMethod'>,
  { scopes }: UserTokenDecision,
  { locked }: TokenParents,
  refused: OAuthErrorCode,
): GrantRefusal | null {
  if (consentMethod !== 'REQUIRED') return null;
  const asked = (locked?.scopes ?? []).filter(({ consent, name }) => consent !== 'IMPLICIT' && scopes.includes(name));
  if (asked.length === 0) return null;
  const values = { scopes: asked.map(({ name }) => name).join(', ') };
  return { refused, description: oauthDescription(refused, values) };
}

/**
 * Refuses `offline_access` without consent, unless the app is trusted. `allowed` contains the ids of the scopes that
 * the user has consented to.
 */
export function refusalOfStaying(
  { consentMethod }: Pick<ClientCredentials, 'consentMethod'>,
  { scopes }: UserTokenDecision,
  { locked }: TokenParents,
  allowed: ReadonlySet<string>,
): GrantRefusal | null {
  const stay = 'offline_access';
  if (consentMethod === 'TRUSTED' || !scopes.includes(stay)) return null;
  const scope = (locked?.scopes ?? []).find(({ name }) => name === stay);
  if (scope !== undefined && allowed.has(scope.id)) return null;
  const refused = 'consentRequiredForExchange';
  return { refused, description: oauthDescription(refused, { scopes: stay }) };
}
