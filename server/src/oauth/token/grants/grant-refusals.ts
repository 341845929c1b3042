import type { Context } from '../../../kernel/context.ts';
import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { type GrantType, wireGrantType } from '../../../kernel/grant-types.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import { refusalOf } from '../../client-authentication/refusal.ts';
import type { UserTokenRefusal } from '../../user-tokens/index.ts';
import type { GrantRefusal, UserGrant } from './user-grant.ts';

/** The client learns the actual reason for these admission refusals. */
const TOLD_ADMISSIONS: ReadonlySet<string> = new Set([
  'SERVER_INACTIVE',
  'CLIENT_INACTIVE',
  'CLIENT_TYPE',
  'APP_POLICY',
  'USER_ABSENT',
]);

/**
 * Returns the error for a refusal. Admission refusals outside `TOLD_ADMISSIONS` get the grant's own error, so that they
 * do not reveal the user's state.
 */
export function toldAs(grant: UserGrant, { admission, refused }: UserTokenRefusal): OAuthErrorCode {
  return admission === undefined || TOLD_ADMISSIONS.has(admission) ? refused : grant.refusedAs;
}

export function grantTypeRefusal(
  { grantTypes }: ClientCredentials,
  grantType: GrantType,
  { namespace }: Context,
): (GrantRefusal & { readonly description: string }) | null {
  if (grantTypes.includes(grantType)) return null;
  const values = { grantTypes: grantTypes.map((one) => wireGrantType(one, namespace)).join(', ') };
  return { refused: 'unauthorizedClient', description: oauthDescription('unauthorizedClient', values) };
}

export function refusalOfGrantType(client: ClientCredentials, grantType: GrantType, context: Context) {
  const refusal = grantTypeRefusal(client, grantType, context);
  return refusal === null ? null : refusalOf(refusal.refused, client, { description: refusal.description });
}
