import { type Answer, type AnyRoute, ok, route } from '../../platform/http/index.ts';
import { requirePresentedServer } from '../access-tokens/index.ts';
import type { ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { authenticateSender, type SentForm } from '../client-authentication/authenticate-sender.ts';
import { errorOf } from '../client-authentication/refusal.ts';
import { endpointPaths, type ServerConfiguration } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { INTERVAL_SECONDS } from '../pending-authorizations/index.ts';
import type { UserInteractionPorts } from '../user-interaction/index.ts';
import { BackchannelAuthorizeForm, BackchannelAuthorizeResponseSchema } from './contract.ts';
import { backchannelPageRoutes } from './page-routes.ts';
import { type StartBackchannelPorts, startBackchannel } from './start-backchannel.ts';

export interface BackchannelRoutesPorts extends StartBackchannelPorts, UserInteractionPorts {
  readonly users: StartBackchannelPorts['users'] & UserInteractionPorts['users'];
  readonly clients: Pick<ClientAuthenticator, 'admitClient'>;
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  bodyType: 'form',
  body: BackchannelAuthorizeForm,
  response: { status: 200, schema: BackchannelAuthorizeResponseSchema },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  // Only confidential clients may call this endpoint, and a page in a browser cannot keep a secret.
  cors: false,
} as const;

async function start(
  ports: BackchannelRoutesPorts,
  input: SentForm,
  server: ServerConfiguration | null,
): Promise<Answer> {
  const paths = server === null ? undefined : endpointPaths(server, 'bc/authorize');
  const { client, method } = await authenticateSender(ports.clients, input, 'backchannelAuthorize', paths);
  const started = await startBackchannel(ports, input.context, { client, method, server, form: input.body });
  if ('refused' in started) throw errorOf(started);
  const { authReqId, lifetimeSeconds } = started;
  const answer = { auth_req_id: authReqId, expires_in: lifetimeSeconds, interval: INTERVAL_SECONDS };
  return ok(answer, { 'cache-control': 'no-store' });
}

export const backchannelRoutes = (ports: BackchannelRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'bcAuthorize',
    url: '/oauth2/v1/bc/authorize',
    summary: 'Start a backchannel authentication',
    tag: 'OrgAS',
    handler: (input) => start(ports, input, null),
  }),
  route({
    ...common,
    operationId: 'bcAuthorizeCustomAS',
    url: '/oauth2/:authorizationServerId/v1/bc/authorize',
    summary: 'Start a backchannel authentication at a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => {
      const server = await ports.servers.find(input.context.orgId, input.params.authorizationServerId);
      return start(ports, input, requirePresentedServer(server));
    },
  }),
  ...backchannelPageRoutes(ports),
];
