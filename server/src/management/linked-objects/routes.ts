import { type AnyRoute, noContent, page, paging, resourceRoutes, route } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import {
  DefinitionBody,
  DefinitionListSchema,
  DefinitionParams,
  DefinitionSchema,
  UserLinkListSchema,
  UserPrimaryParams,
  UserRelationParams,
} from './contract.ts';
import { createDefinition, deleteDefinition, getDefinition, listDefinitions } from './definitions.ts';
import { assignPrimary, listLinkedUsers, removeLink, type UserLinkPorts } from './user-links.ts';
import { definitionVersion, wireDefinition, wireLinkedUser } from './wire.ts';

export interface LinkedObjectRoutesPorts extends UserLinkPorts, Pick<Foundation, 'db' | 'work'> {}

const definitions = resourceRoutes({
  tag: 'LinkedObject',
  name: 'LinkedObjectDefinition',
  one: 'a linked object definition',
  all: 'all linked object definitions',
  scope: 'linkedObjects',
  permission: 'schemas',
  url: '/api/v1/meta/schemas/user/linkedObjects/:linkedObjectName',
  params: DefinitionParams,
  schema: DefinitionSchema,
  wire: wireDefinition,
  version: definitionVersion,
});

const ofUsers = {
  tag: 'UserLinkedObject',
  access: 'authenticated',
  bucket: 'user',
  cors: false,
  appliesGrant: true,
} as const;
const readingUsers = { ...ofUsers, scopes: ['users.read'], permission: 'users.read' } as const;
const managingUsers = { ...ofUsers, scopes: ['users.manage'], permission: 'users.manage' } as const;
const userUrl = '/api/v1/users/:userIdOrLogin/linkedObjects';

const listUserRoute = (ports: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...readingUsers,
    operationId: 'listLinkedObjectsForUser',
    method: 'GET',
    url: `${userUrl}/:relationshipName`,
    summary: 'List the primary of a user, or the users associated with them',
    params: UserRelationParams,
    query: paging({ default: 1_000, maximum: 1_000 }),
    response: { status: 200, schema: UserLinkListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { links, rows } = await listLinkedUsers(ports, context, grant, params, query, rawQuery);
      return page(
        rows.map((id) => wireLinkedUser(id, context)),
        links,
      );
    },
  });

const assignRoute = (ports: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...managingUsers,
    operationId: 'assignLinkedObjectValueForPrimary',
    method: 'PUT',
    url: `${userUrl}/:primaryRelationshipName/:primaryUserId`,
    summary: 'Make a user the primary of another',
    params: UserPrimaryParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await assignPrimary(ports, context, grant, params);
      return noContent();
    },
  });

const removeRoute = (ports: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...managingUsers,
    operationId: 'deleteLinkedObjectForUser',
    method: 'DELETE',
    url: `${userUrl}/:relationshipName`,
    summary: 'Remove the primary of a user',
    params: UserRelationParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, grant, params }) => {
      await removeLink(ports, context, grant, params);
      return noContent();
    },
  });

export const linkedObjectRoutes = (ports: LinkedObjectRoutesPorts): AnyRoute[] => [
  definitions.list({
    schema: DefinitionListSchema,
    use: ({ context }) => listDefinitions(ports.db, context),
  }),
  definitions.create({
    body: DefinitionBody,
    status: 201,
    errors: ['E0000127'],
    idempotent: false,
    use: ({ context, body }) => createDefinition(ports.work, context, body),
  }),
  definitions.get({
    use: ({ context, params }) => getDefinition(ports.db, context, params.linkedObjectName),
  }),
  definitions.delete({
    use: ({ context, params }) => deleteDefinition(ports.work, context, params.linkedObjectName),
  }),
  listUserRoute(ports),
  assignRoute(ports),
  removeRoute(ports),
];
