import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  ok,
  page,
  route,
  versioned,
} from '../../platform/http/index.ts';
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
import type { Definition } from './store.ts';
import { assignPrimary, listLinkedUsers, removeLink, type UserLinkPorts } from './user-links.ts';
import { definitionVersion, wireDefinition, wireLinkedUser } from './wire.ts';

export interface LinkedObjectRoutesPorts extends UserLinkPorts, Pick<Foundation, 'db' | 'work'> {}

const common = { tag: 'LinkedObject', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['linkedObjects.read'], permission: 'schemas.read' } as const;
const managing = { ...common, scopes: ['linkedObjects.manage'], permission: 'schemas.manage' } as const;
const collection = '/api/v1/meta/schemas/user/linkedObjects';
const single = `${collection}/:linkedObjectName`;

const ofUsers = { tag: 'UserLinkedObject', access: 'authenticated', bucket: 'user', cors: false } as const;
const readingUsers = { ...ofUsers, appliesGrant: true, scopes: ['users.read'], permission: 'users.read' } as const;
const managingUsers = { ...ofUsers, appliesGrant: true, scopes: ['users.manage'], permission: 'users.manage' } as const;
const userUrl = '/api/v1/users/:userIdOrLogin/linkedObjects';

const answer = (definition: Definition, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(definitionVersion(definition), wireDefinition(definition, context), status);

const listRoute = ({ db }: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listLinkedObjectDefinitions',
    method: 'GET',
    url: collection,
    summary: 'List all linked object definitions',
    response: { status: 200, schema: DefinitionListSchema },
    errors: [],
    handler: async ({ context }) =>
      ok((await listDefinitions(db, context)).map((definition) => wireDefinition(definition, context))),
  });

const createRoute = ({ work }: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createLinkedObjectDefinition',
    method: 'POST',
    url: collection,
    summary: 'Create a linked object definition',
    body: DefinitionBody,
    response: { status: 201, schema: DefinitionSchema },
    errors: ['E0000001', 'E0000127'],
    handler: async ({ context, body }) => answer(await createDefinition(work, context, body), context, 201),
  });

const getRoute = ({ db }: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getLinkedObjectDefinition',
    method: 'GET',
    url: single,
    summary: 'Retrieve a linked object definition',
    params: DefinitionParams,
    response: { status: 200, schema: DefinitionSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getDefinition(db, context, params.linkedObjectName), context),
  });

const deleteRoute = ({ work }: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteLinkedObjectDefinition',
    method: 'DELETE',
    url: single,
    summary: 'Delete a linked object definition and its links',
    params: DefinitionParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteDefinition(work, context, params.linkedObjectName);
      return noContent();
    },
  });

const listUserRoute = (ports: LinkedObjectRoutesPorts): AnyRoute =>
  route({
    ...readingUsers,
    operationId: 'listLinkedObjectsForUser',
    method: 'GET',
    url: `${userUrl}/:relationshipName`,
    summary: "List a user's primary, or the users associated with it",
    params: UserRelationParams,
    query: {
      limit: limit({ default: 1_000, maximum: 1_000 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
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
    summary: 'Take its primary from a user',
    params: UserRelationParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    handler: async ({ context, grant, params }) => {
      await removeLink(ports, context, grant, params);
      return noContent();
    },
  });

/** Routes for relationships between users: their definitions and links. */
export const linkedObjectRoutes = (ports: LinkedObjectRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  deleteRoute(ports),
  listUserRoute(ports),
  assignRoute(ports),
  removeRoute(ports),
];
