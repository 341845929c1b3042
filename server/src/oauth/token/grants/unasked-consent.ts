import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import type { TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { GrantRefusal } from './user-grant.ts';

/**
 * Returns the refusal if any scope needs the user's consent, since the user is not there to be asked; null if none
 * does.
 */
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
 * Refuses an app that would act without the user, who never agreed to it. Null means that it is trusted, or the user
 * agreed. `allowed` are the ids of the scopes that the user allows it.
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
