import { type Answer, type AnyRoute, route } from '../../../platform/http/index.ts';
import { requirePresentedServer } from '../../access-tokens/index.ts';
import {
  type AuthenticatedClient,
  type ClientAuthenticator,
  credentialRefusal,
} from '../../client-authentication/authenticate-client.ts';
import { authenticateSender, type SentForm } from '../../client-authentication/authenticate-sender.ts';
import { errorOf, isRefusal } from '../../client-authentication/refusal.ts';
import { endpointPaths } from '../../custom-servers/index.ts';
import type { DpopNonces } from '../../dpop/nonces.ts';
import { AuthorizationServerIdParams } from '../../keys/contract.ts';
import { type DpopKey, readDpopKey } from '../../token/authenticate-request.ts';
import { AuthorizationForm, PushedRequestSchema } from '../contract.ts';
import { PUSHED_LIFETIME_SECONDS, pushRequest } from './push-request.ts';
import type { AuthorizationPorts } from './request-state.ts';

export interface PushRoutesPorts extends AuthorizationPorts {
  readonly clients: Pick<ClientAuthenticator, 'admitClient'>;
  readonly dpopNonces: DpopNonces;
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

/** Returns null if the request has no DPoP proof. */
function keyOf(
  ports: PushRoutesPorts,
  { context, headers }: SentForm,
  path: string,
  authenticated: AuthenticatedClient,
): DpopKey | null {
  const dpopProof = headers['dpop']?.toString();
  const key = readDpopKey(ports, context, { path }, authenticated, { dpopProof }, dpopProof !== undefined);
  if (key === null || !isRefusal(key)) return key;
  // `useDpopNonce` is a normal step of the protocol: the client sends the request again with the nonce.
  if (key.refused !== 'useDpopNonce') ports.refused(credentialRefusal(context));
  throw errorOf(key);
}

interface PushPlace {
  /** The server in the path: an id or `default`; empty for the org's own server. */
  readonly server: string;
  readonly path: string;
  /** All paths of a custom server's endpoint. */
  readonly paths?: readonly string[];
}

async function push(ports: PushRoutesPorts, input: SentForm, { path, paths, server }: PushPlace): Promise<Answer> {
  const { body, context, headers } = input;
  const authenticated = await authenticateSender(ports.clients, input, 'par', paths);
  const key = keyOf(ports, input, path, authenticated);
  const { clientId } = authenticated.client;
  const uri = await pushRequest(ports, context, { clientId, server, entries: Object.entries(body), headers, key });
  // RFC 9126 2.2 requires 201. Its example forbids caching.
  const answer = { request_uri: uri, expires_in: PUSHED_LIFETIME_SECONDS };
  return { status: 201, body: answer, headers: { 'Cache-Control': 'no-cache, no-store' } };
}

const ORG_PATH = '/oauth2/v1/par';

export const pushRoutes = (ports: PushRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'par',
    url: ORG_PATH,
    summary: 'Push an authorization request',
    tag: 'OrgAS',
    handler: (input) => push(ports, input, { server: '', path: ORG_PATH }),
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
      const server = requirePresentedServer(await ports.servers.find(input.context.orgId, id));
      const path = `/oauth2/${id}/v1/par`;
      return push(ports, input, { server: id, path, paths: endpointPaths(server, 'par') });
    },
  }),
];
