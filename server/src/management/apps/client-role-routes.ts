import { type AnyRoute, created, noContent, ok, route } from '../../platform/http/index.ts';
import { assignClientRole } from './client-role-assign.ts';
import {
  AssignClientRoleBody,
  ClientIdParams,
  ClientRoleIdParams,
  ClientRoleListSchema,
  ClientRoleSchema,
} from './client-role-contract.ts';
import { getClientRole, listClientRoles } from './client-role-get.ts';
import { unassignClientRole } from './client-role-unassign.ts';
import { wireClientRole } from './client-role-wire.ts';
import type { AppRoutesPorts } from './route-ports.ts';

const common = { tag: 'RoleAssignmentClient', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['roles.read'], permission: 'roles.read' } as const;
const managing = { ...common, scopes: ['roles.manage'], permission: 'roles.manage' } as const;
const collection = '/oauth2/v1/clients/:clientId/roles';
const single = `${collection}/:roleAssignmentId`;

const listRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listRolesForClient',
    method: 'GET',
    url: collection,
    summary: 'List all client role assignments',
    params: ClientIdParams,
    response: { status: 200, schema: ClientRoleListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const assignments = await listClientRoles(db, context, params.clientId);
      return ok(assignments.map((assignment) => wireClientRole(assignment, context)));
    },
  });

const assignRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignRoleToClient',
    method: 'POST',
    url: collection,
    summary: 'Assign a client role',
    params: ClientIdParams,
    body: AssignClientRoleBody,
    response: { status: 201, schema: ClientRoleSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000090'],
    handler: async ({ context, params, body }) =>
      created(wireClientRole(await assignClientRole(work, context, params.clientId, body.type), context)),
  });

const getRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'retrieveClientRole',
    method: 'GET',
    url: single,
    summary: 'Retrieve a client role',
    params: ClientRoleIdParams,
    response: { status: 200, schema: ClientRoleSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      ok(wireClientRole(await getClientRole(db, context, params.clientId, params.roleAssignmentId), context)),
  });

const unassignRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteRoleFromClient',
    method: 'DELETE',
    url: single,
    summary: 'Unassign a client role',
    params: ClientRoleIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, params }) => {
      await unassignClientRole(work, context, params.clientId, params.roleAssignmentId);
      return noContent();
    },
  });

export const clientRoleRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  assignRoute(ports),
  getRoute(ports),
  unassignRoute(ports),
];
