import { type AnyRoute, route } from '../../platform/http/index.ts';
import {
  type ClientPort,
  PresentedTokenBody,
  readPresentedToken,
  requirePresentedServer,
} from '../access-tokens/index.ts';
import { endpointPaths, type ServerConfigurations } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { type RevocationPorts, revokeToken } from './revoke-token.ts';

export interface RevocationRoutesPorts extends RevocationPorts {
  readonly clients: ClientPort;
  readonly servers: Pick<ServerConfigurations, 'find'>;
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  bodyType: 'form',
  body: PresentedTokenBody,
  response: { status: 200, schema: null },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  cors: true,
} as const;

export const revocationRoutes = (ports: RevocationRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'revoke',
    url: '/oauth2/v1/revoke',
    summary: 'Revoke a token',
    tag: 'OrgAS',
    handler: async (input) => {
      const { client, token } = await readPresentedToken(ports.clients, 'revoke', input, input.body);
      await revokeToken(ports, input.context, null, client, token);
      return { status: 200, body: null };
    },
  }),
  route({
    ...common,
    operationId: 'revokeCustomAS',
    url: '/oauth2/:authorizationServerId/v1/revoke',
    summary: 'Revoke a token of a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => {
      const { body, context, params } = input;
      const server = requirePresentedServer(await ports.servers.find(context.orgId, params.authorizationServerId));
      const paths = endpointPaths(server, 'revoke');
      const { client, token } = await readPresentedToken(ports.clients, 'revoke', input, body, paths);
      await revokeToken(ports, context, server, client, token);
      return { status: 200, body: null };
    },
  }),
];
