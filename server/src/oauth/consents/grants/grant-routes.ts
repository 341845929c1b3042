import { type AnyRoute, expansion, noContent, page, route, text, versioned } from '../../../platform/http/index.ts';
import {
  ListedClientListSchema,
  ServerParams,
  UserClientParams,
  UserGrantListSchema,
  UserGrantParams,
  UserGrantSchema,
  UserParams,
} from '../contract.ts';
import type { ConsentsPorts } from '../ports.ts';
import { pageFields, pageOf } from '../route-declarations.ts';
import { userGrantVersion, wireClientOfServer, wireClientOfUser, wireUserGrant } from '../wire.ts';
import { listClientsOfServer, listClientsOfUser } from './list-clients.ts';
import { getUserGrant, listUserGrants, revokeUserGrant, revokeUserGrants } from './user-grants.ts';

const common = {
  tag: 'UserGrant',
  access: 'authenticated',
  bucket: 'user',
  cors: true,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['users.read'], permission: 'users.read' } as const;
const managing = { ...common, scopes: ['users.manage'], permission: 'users.manage' } as const;

const ofUser = '/api/v1/users/:userId/grants';
const ofClient = '/api/v1/users/:userId/clients/:clientId/grants';
const expand = { expand: expansion('`scope` embeds the scope.', ['scope']) };
const lists = {
  query: { ...expand, scopeId: text('Lists only the consents to this scope.', 100), ...pageFields(20) },
  response: { status: 200, schema: UserGrantListSchema },
  errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
} as const;
const ends = {
  response: { status: 204, schema: null },
  errors: ['E0000006', 'E0000007'],
} as const;

const userGrantsRoutes = (ports: ConsentsPorts): AnyRoute[] => [
  route({
    ...reading,
    ...lists,
    operationId: 'listUserGrants',
    method: 'GET',
    url: ofUser,
    summary: 'List all user grants',
    params: UserParams,
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const of = { ...params, clientId: null };
      const asked = pageOf(query, rawQuery);
      const { links, rows } = await listUserGrants(ports, context, grant, of, query.scopeId, asked);
      return page(
        rows.map((one) => wireUserGrant(one, context, query.expand === 'scope')),
        links,
      );
    },
  }),
  route({
    ...managing,
    ...ends,
    operationId: 'revokeUserGrants',
    method: 'DELETE',
    url: ofUser,
    summary: 'Revoke all user grants',
    params: UserParams,
    handler: async ({ context, grant, params }) => {
      await revokeUserGrants(ports, context, grant, { ...params, clientId: null });
      return noContent();
    },
  }),
  route({
    ...reading,
    operationId: 'getUserGrant',
    method: 'GET',
    url: `${ofUser}/:grantId`,
    summary: 'Retrieve a user grant',
    params: UserGrantParams,
    query: expand,
    response: { status: 200, schema: UserGrantSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params, query }) => {
      const found = await getUserGrant(ports, context, grant, params);
      return versioned(userGrantVersion(found), wireUserGrant(found, context, query.expand === 'scope'));
    },
  }),
  route({
    ...managing,
    ...ends,
    operationId: 'revokeUserGrant',
    method: 'DELETE',
    url: `${ofUser}/:grantId`,
    summary: 'Revoke a user grant',
    params: UserGrantParams,
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await revokeUserGrant(ports, context, grant, params);
      return noContent();
    },
  }),
];

const clientGrantsRoutes = (ports: ConsentsPorts): AnyRoute[] => [
  route({
    ...reading,
    ...lists,
    operationId: 'listGrantsForUserAndClient',
    method: 'GET',
    url: ofClient,
    summary: 'List all grants for a client',
    params: UserClientParams,
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { links, rows } = await listUserGrants(ports, context, grant, params, query.scopeId, asked);
      return page(
        rows.map((one) => wireUserGrant(one, context, query.expand === 'scope')),
        links,
      );
    },
  }),
  route({
    ...managing,
    ...ends,
    operationId: 'revokeGrantsForUserAndClient',
    method: 'DELETE',
    url: ofClient,
    summary: 'Revoke all grants for a client',
    params: UserClientParams,
    handler: async ({ context, grant, params }) => {
      await revokeUserGrants(ports, context, grant, params);
      return noContent();
    },
  }),
];

const clients = {
  query: pageFields(200),
  response: { status: 200, schema: ListedClientListSchema },
  errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
} as const;

const clientRoutes = (ports: ConsentsPorts): AnyRoute[] => [
  route({
    ...reading,
    ...clients,
    tag: 'UserResources',
    operationId: 'listUserClients',
    method: 'GET',
    url: '/api/v1/users/:userId/clients',
    summary: 'List all clients of a user',
    params: UserParams,
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { links, rows, userId } = await listClientsOfUser(ports, context, grant, params.userId, asked);
      return page(
        rows.map((client) => wireClientOfUser(client, userId, context)),
        links,
      );
    },
  }),
  route({
    ...clients,
    tag: 'AuthorizationServerClients',
    access: 'authenticated',
    bucket: 'management',
    cors: false,
    scopes: ['authorizationServers.read'],
    permission: 'authorizationServers.read',
    operationId: 'listOAuth2ClientsForAuthorizationServer',
    method: 'GET',
    url: '/api/v1/authorizationServers/:authServerId/clients',
    summary: 'List all clients with refresh tokens of an authorization server',
    params: ServerParams,
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { address, links, rows } = await listClientsOfServer(ports, context, params.authServerId, asked);
      return page(
        rows.map((client) => wireClientOfServer(client, address, context)),
        links,
      );
    },
  }),
];

export const grantRoutes = (ports: ConsentsPorts): AnyRoute[] => [
  ...userGrantsRoutes(ports),
  ...clientGrantsRoutes(ports),
  ...clientRoutes(ports),
];
