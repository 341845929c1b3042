import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import type { TokenParents, UserTokenDecision } from '../../user-tokens/index.ts';
import type { GrantRefusal } from './user-grant.ts';

/** Refuses scopes that need the user's consent, because the user is not present to be asked. */
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

/** Refuses an app that would act in the user's absence without consent. `allowed` are ids of the allowed scopes. */
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
