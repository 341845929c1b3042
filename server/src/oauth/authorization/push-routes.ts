import { oauthError } from '../../kernel/oauth-errors.ts';
import { type Answer, type AnyRoute, type HandlerInput, route } from '../../platform/http/index.ts';
import type { ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { errorOf, isRefusal } from '../client-authentication/refusal.ts';
import { endpointPaths } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { AuthorizationForm, PushedRequestSchema } from './contract.ts';
import type { AuthorizationPorts } from './known.ts';
import { PUSHED_LIFETIME_SECONDS, pushRequest } from './push-request.ts';

export interface PushRoutesPorts extends AuthorizationPorts {
  readonly clients: Pick<ClientAuthenticator, 'authenticateClient'>;
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  bodyType: 'form',
  body: AuthorizationForm,
  response: { status: 201, schema: PushedRequestSchema },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  cors: true,
} as const;

type Input = Pick<
  HandlerInput<unknown, unknown, Readonly<Record<string, string>>>,
  'body' | 'context' | 'headers' | 'rawQuery'
>;

/** The client first: nobody else is told what is wrong with a request. */
async function push(
  ports: PushRoutesPorts,
  { body, context, headers, rawQuery }: Input,
  server: string,
  paths?: readonly string[],
): Promise<Answer> {
  const { authorization } = headers;
  const authenticated = await ports.clients.authenticateClient(context, {
    endpoint: 'par',
    form: body,
    authorization: typeof authorization === 'string' ? authorization : authorization?.join(','),
    rawQuery,
    ...(paths === undefined ? {} : { paths }),
  });
  if (isRefusal(authenticated)) throw errorOf(authenticated);
  if (rawQuery.length > 0) throw oauthError('invalidRequest');
  const { clientId } = authenticated.client;
  const uri = await pushRequest(ports, context, { clientId, server, entries: Object.entries(body), headers });
  // RFC 9126 2.2: created, and kept by nobody in between.
  const answer = { request_uri: uri, expires_in: PUSHED_LIFETIME_SECONDS };
  return { status: 201, body: answer, headers: { 'Cache-Control': 'no-cache, no-store' } };
}

/** The pushed authorization request endpoint (RFC 9126) of the org's own server and of custom ones. */
export const pushRoutes = (ports: PushRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'par',
    url: '/oauth2/v1/par',
    summary: 'Push an authorization request',
    tag: 'OrgAS',
    handler: (input) => push(ports, input, ''),
  }),
  route({
    ...common,
    operationId: 'parCustomAS',
    url: '/oauth2/:authorizationServerId/v1/par',
    summary: 'Push an authorization request to a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => {
      const { authorizationServerId: id } = input.params;
      const server = await ports.servers.find(input.context.orgId, id);
      if (server === null) throw oauthError('invalidAuthorizationServer');
      return push(ports, input, id, endpointPaths(server, 'par'));
    },
  }),
];
