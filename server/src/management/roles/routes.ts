import { type AnyRoute, created, flag, noContent, ok, route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import { assignRole } from './assign-role.ts';
import {
  AssignRoleBody,
  RoleAssignmentIdParams,
  RoleAssignmentListSchema,
  RoleAssignmentSchema,
  UserIdParams,
} from './contract.ts';
import { getRoleAssignment, listRoleAssignments } from './get-role-assignments.ts';
import { unassignRole } from './unassign-role.ts';
import { wireRoleAssignment } from './wire.ts';

export interface RoleRoutesPorts {
  readonly db: Db;
  readonly work: Work;
}

const common = { tag: 'RoleAssignmentAUser', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['roles.read'], permission: 'roles.read' } as const;
const managing = { ...common, scopes: ['roles.manage'], permission: 'roles.manage' } as const;
const collection = '/api/v1/users/:userId/roles';
const single = `${collection}/:roleAssignmentId`;

const listRoute = ({ db }: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listAssignedRolesForUser',
    method: 'GET',
    url: collection,
    summary: 'List all user role assignments',
    params: UserIdParams,
    response: { status: 200, schema: RoleAssignmentListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const assignments = await listRoleAssignments(db, context, params.userId);
      return ok(assignments.map((assignment) => wireRoleAssignment(assignment, context)));
    },
  });

const assignRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignRoleToUser',
    method: 'POST',
    url: collection,
    summary: 'Assign a user role',
    params: UserIdParams,
    query: { disableNotifications: flag('Accepted; no notifications are sent.', false) },
    body: AssignRoleBody,
    response: { status: 201, schema: RoleAssignmentSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000090'],
    handler: async ({ context, params, body }) =>
      created(wireRoleAssignment(await assignRole(ports, context, params.userId, body.type), context)),
  });

const getRoute = ({ db }: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getUserAssignedRole',
    method: 'GET',
    url: single,
    summary: 'Retrieve a user role assignment',
    params: RoleAssignmentIdParams,
    response: { status: 200, schema: RoleAssignmentSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const assignment = await getRoleAssignment(db, context, params.userId, params.roleAssignmentId);
      return ok(wireRoleAssignment(assignment, context));
    },
  });

const unassignRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'unassignRoleFromUser',
    method: 'DELETE',
    url: single,
    summary: 'Unassign a user role',
    params: RoleAssignmentIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, params }) => {
      await unassignRole(ports, context, params.userId, params.roleAssignmentId);
      return noContent();
    },
  });

export const roleRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  assignRoute(ports),
  getRoute(ports),
  unassignRoute(ports),
];
