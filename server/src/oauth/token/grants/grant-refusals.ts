import type { Context } from '../../../kernel/context.ts';
import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { wireGrantType } from '../../../kernel/grant-types.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import { refusalOf } from '../../client-authentication/refusal.ts';
import type { UserTokenRefusal } from '../../user-tokens/index.ts';
import type { UserGrant } from './user-grant.ts';

/** Of the client, and what its app asks of people: told as what they are. */
const TOLD_ADMISSIONS: ReadonlySet<string> = new Set([
  'SERVER_INACTIVE',
  'CLIENT_INACTIVE',
  'CLIENT_TYPE',
  'APP_POLICY',
  'USER_ABSENT',
]);

/** The refusals of the gate are told as the grant's own: which of the reasons it was, is in the log alone. */
export function toldAs(grant: UserGrant, { admission, refused }: UserTokenRefusal): OAuthErrorCode {
  return admission === undefined || TOLD_ADMISSIONS.has(admission) ? refused : grant.refusedAs;
}

/** Of a grant that the app was not given; null: it was. */
export function refusalOfGrantType(client: ClientCredentials, grantType: string, { namespace }: Context) {
  if (client.grantTypes.includes(grantType)) return null;
  const grantTypes = client.grantTypes.map((one) => wireGrantType(one, namespace)).join(', ');
  const description = oauthDescription('unauthorizedClient', { grantTypes });
  return refusalOf('unauthorizedClient', client, { description });
}
