import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import type { HandlerInput } from '../../platform/http/index.ts';
import type { AuthenticatedClient, ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { hasCredentialsInQuery, parameter } from '../client-authentication/credentials-rules.ts';
import { errorOf, isRefusal } from '../client-authentication/refusal.ts';

export type ClientPort = Pick<ClientAuthenticator, 'admitClient'>;

/**
 * The token and its hint must be in the body (RFC 7009 2.1, RFC 7662 2.1), because URLs end up in logs. No parameter
 * may be in both the body and the URL.
 */
const isSplit = (rawQuery: Input['rawQuery'], form: Readonly<Record<string, string>>): boolean =>
  rawQuery.some(([name]) => name === 'token' || name === 'token_type_hint' || Object.hasOwn(form, name));

type Input = Pick<HandlerInput<unknown, unknown, unknown>, 'context' | 'headers' | 'rawQuery'>;

/**
 * Authenticates the client before reading the token (RFC 7662 2.1). `paths` are the paths of a custom server's
 * endpoint.
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

export function requirePresentedServer<Server>(server: Server | null): Server {
  if (server === null) throw oauthError('invalidAuthorizationServer');
  return server;
}
