import type { Context } from '../../kernel/context.ts';
import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import {
  AuthServerIdParams,
  RotateKeysBody,
  ServerKeyListSchema,
  ServerKeyParams,
  ServerKeySchema,
} from './contract.ts';
import { getServerKey, listServerKeys, rotateServerKeys, type ServerKey, type ServerKeysPorts } from './server-keys.ts';

const common = {
  tag: 'AuthorizationServerKeys',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
} as const;
const reading = {
  ...common,
  scopes: ['authorizationServers.read'],
  permission: 'authorizationServers.read',
} as const;
const managing = {
  ...common,
  scopes: ['authorizationServers.manage'],
  permission: 'authorizationServers.manage',
} as const;
const credentials = '/api/v1/authorizationServers/:authServerId/credentials';
const keys = `${credentials}/keys`;

/** Lists the members in the contract's order (getAuthorizationServerKey). */
function wireServerKey({ algorithm, kid, publicJwk, server, status }: ServerKey, { baseUrl }: Context) {
  const path = `/api/v1/authorizationServers/${server.isDefault ? 'default' : server.id}/credentials/keys`;
  return {
    kty: publicJwk.kty,
    status,
    alg: algorithm,
    kid,
    use: 'sig',
    _links: { self: { href: `${baseUrl}${path}/${kid}`, hints: { allow: ['GET'] } } },
    e: publicJwk.e,
    n: publicJwk.n,
  };
}

export const serverKeyRoutes = (ports: ServerKeysPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listAuthorizationServerKeys',
    method: 'GET',
    url: keys,
    summary: 'List all credential keys',
    params: AuthServerIdParams,
    response: { status: 200, schema: ServerKeyListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const listed = await listServerKeys(ports, context, params.authServerId);
      return ok(listed.map((key) => wireServerKey(key, context)));
    },
  }),
  route({
    ...reading,
    operationId: 'getAuthorizationServerKey',
    method: 'GET',
    url: `${keys}/:keyId`,
    summary: 'Retrieve an authorization server key',
    params: ServerKeyParams,
    response: { status: 200, schema: ServerKeySchema },
    errors: ['E0000007'],
    handler: async ({ context, params: { authServerId, keyId } }) =>
      ok(wireServerKey(await getServerKey(ports, context, authServerId, keyId), context)),
  }),
  route({
    ...managing,
    operationId: 'rotateAuthorizationServerKeys',
    method: 'POST',
    url: `${credentials}/lifecycle/keyRotate`,
    summary: 'Rotate all credential keys',
    params: AuthServerIdParams,
    body: RotateKeysBody,
    response: { status: 200, schema: ServerKeyListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ body, context, params }) => {
      const rotated = await rotateServerKeys(ports, context, params.authServerId, body.use);
      return ok(rotated.map((key) => wireServerKey(key, context)));
    },
  }),
];
