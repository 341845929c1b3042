import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import type { HandlerInput } from '../../platform/http/index.ts';
import type { AuthenticatedClient, ClientAuthenticator, UntracedEndpoint } from './authenticate-client.ts';
import { errorOf, isRefusal } from './refusal.ts';

export type SentForm = Pick<
  HandlerInput<unknown, unknown, Readonly<Record<string, string>>>,
  'body' | 'context' | 'headers' | 'rawQuery'
>;

/** `paths` are the paths of a custom server's endpoint. */
export async function authenticateSender(
  clients: Pick<ClientAuthenticator, 'admitClient'>,
  { body, context, headers, rawQuery }: SentForm,
  endpoint: UntracedEndpoint,
  paths?: readonly string[],
): Promise<AuthenticatedClient> {
  const { authorization } = headers;
  const authenticated = await clients.admitClient(context, {
    endpoint,
    form: body,
    authorization: typeof authorization === 'string' ? authorization : authorization?.join(','),
    rawQuery,
    ...(paths === undefined ? {} : { paths }),
  });
  if (isRefusal(authenticated)) throw errorOf(authenticated);
  if (rawQuery.length > 0) throw oauthError('invalidRequest');
  return authenticated;
}
