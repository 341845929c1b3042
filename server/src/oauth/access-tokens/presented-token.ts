import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import type { HandlerInput } from '../../platform/http/index.ts';
import type { AuthenticatedClient, ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';
import { errorOf, isRefusal } from '../client-authentication/refusal.ts';

export type ClientPort = Pick<ClientAuthenticator, 'admitClient'>;

/** Parameters of a POST stand in its body alone (RFC 6749 3.2); in addresses tokens end up in logs. */
const isSplit = (rawQuery: Input['rawQuery'], form: Readonly<Record<string, string>>): boolean =>
  rawQuery.some(([name]) => name === 'token' || name === 'token_type_hint' || Object.hasOwn(form, name));

type Input = Pick<HandlerInput<unknown, unknown, unknown>, 'context' | 'headers' | 'rawQuery'>;

/**
 * The client that asks and the token it asks about. The client first (RFC 7662 2.1): nobody else is told what is wrong.
 * Throws OAuthError: that of client authentication, or 400 invalid_request without a token, or with one in the address.
 * `paths`: of a custom authorization server, those of its endpoint.
 */
export async function readPresentedToken(
  clients: ClientPort,
  endpoint: 'introspect' | 'revoke',
  { context, headers, rawQuery }: Input,
  form: Readonly<Record<string, string>>,
  paths?: readonly string[],
): Promise<{ readonly client: AuthenticatedClient['client']; readonly token: string }> {
  if (!hasCredentialsInQuery(rawQuery) && isSplit(rawQuery, form)) throw oauthError('invalidRequest');
  const authorization = headers['authorization'];
  const authenticated = await clients.admitClient(context, {
    endpoint,
    form,
    authorization: typeof authorization === 'string' ? authorization : authorization?.join(','),
    rawQuery,
    ...(paths === undefined ? {} : { paths }),
  });
  if (isRefusal(authenticated)) throw errorOf(authenticated);
  const token = parameter(form, 'token');
  if (token === undefined) throw oauthError('missingToken');
  return { client: authenticated.client, token };
}

/** 400 invalid_request: there is no such custom authorization server, or it is not active. */
export function requirePresentedServer<Server>(server: Server | null): Server {
  if (server === null) throw oauthError('invalidAuthorizationServer');
  return server;
}
