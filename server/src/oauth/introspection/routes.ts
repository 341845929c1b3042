import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import {
  type ClientPort,
  PresentedTokenBody,
  readPresentedToken,
  requirePresentedServer,
} from '../access-tokens/index.ts';
import { endpointPaths, type ServerConfigurations } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { IntrospectionSchema } from './contract.ts';
import { type IntrospectionPorts, introspectToken } from './introspect-token.ts';

export interface IntrospectionRoutesPorts extends IntrospectionPorts {
  readonly clients: ClientPort;
  readonly servers: Pick<ServerConfigurations, 'find'>;
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  bodyType: 'form',
  body: PresentedTokenBody,
  response: { status: 200, schema: IntrospectionSchema },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  readOnly: true,
  cors: true,
} as const;

export const introspectionRoutes = (ports: IntrospectionRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'introspect',
    url: '/oauth2/v1/introspect',
    summary: 'Introspect a token',
    tag: 'OrgAS',
    handler: async (input) => {
      const { client, token } = await readPresentedToken(ports.clients, 'introspect', input, input.body);
      return ok(await introspectToken(ports, input.context, { clientId: client.clientId, server: null, token }));
    },
  }),
  route({
    ...common,
    operationId: 'introspectCustomAS',
    url: '/oauth2/:authorizationServerId/v1/introspect',
    summary: 'Introspect a token of a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => {
      const { body, context, params } = input;
      const server = requirePresentedServer(await ports.servers.find(context.orgId, params.authorizationServerId));
      const paths = endpointPaths(server, 'introspect');
      const { client, token } = await readPresentedToken(ports.clients, 'introspect', input, body, paths);
      return ok(await introspectToken(ports, context, { clientId: client.clientId, server, token }));
    },
  }),
];
