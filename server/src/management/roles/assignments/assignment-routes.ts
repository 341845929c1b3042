import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  flag,
  noContent,
  ok,
  route,
  text,
  versioned,
} from '../../../platform/http/index.ts';
import { AssignRoleBody, RoleAssignmentListSchema, RoleAssignmentSchema } from '../contract.ts';
import { managing, type RoleRoutesPorts, reading } from '../route-declarations.ts';
import type { RoleAssignment } from '../store.ts';
import { type Expansion, embeddedTargets, readExpansion } from '../targets/embedded-targets.ts';
import { collectionOf, type Family, given, paramsOf, singleOf } from '../targets/families.ts';
import { roleAssignmentVersion, wireRoleAssignment } from '../wire.ts';
import { assignRole } from './assign-role.ts';
import { getRoleAssignment, listRoleAssignments } from './get-role-assignments.ts';
import { unassignRole } from './unassign-role.ts';

const ASSIGNING_ERRORS = [
  'E0000001',
  'E0000006',
  'E0000007',
  'E0000037',
  'E0000090',
  'E0000192',
  'E0000193',
  'E0000194',
  'E0000211',
] as const;

async function wireOne(
  ports: RoleRoutesPorts,
  context: Context,
  assignment: RoleAssignment,
  expansion: Expansion,
): Promise<Record<string, unknown>> {
  return wireRoleAssignment(assignment, context, await embeddedTargets(ports, context, assignment, expansion));
}

const answer = (assignment: RoleAssignment, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(roleAssignmentVersion(assignment), wireRoleAssignment(assignment, context), status);

const listRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...reading,
    tag: family.tag,
    operationId: family.operations.list,
    method: 'GET',
    url: collectionOf(family),
    summary: 'List all role assignments',
    params: paramsOf(family.idName),
    query: { expand: text('`targets/groups` or `targets/catalog/apps`: targets in `_embedded`.', 64) },
    response: { status: 200, schema: RoleAssignmentListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const expansion = readExpansion(query.expand);
      const assignments = await listRoleAssignments(ports.db, context, family.kind, given(params, family.idName));
      return ok(await Promise.all(assignments.map((one) => wireOne(ports, context, one, expansion))));
    },
  });

const assignRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...managing,
    tag: family.tag,
    operationId: family.operations.assign,
    method: 'POST',
    url: collectionOf(family),
    summary: 'Assign a role',
    params: paramsOf(family.idName),
    query: { disableNotifications: flag('Accepted; no notifications are sent.', false) },
    body: AssignRoleBody,
    response: { status: 201, schema: RoleAssignmentSchema },
    errors: ASSIGNING_ERRORS,
    handler: async ({ context, params, body }) => {
      const assigneeId = given(params, family.idName);
      const assignment = await assignRole(ports, context, family.kind, assigneeId, body);
      return answer(assignment, context, 201);
    },
  });

const getRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...reading,
    tag: family.tag,
    operationId: family.operations.get,
    method: 'GET',
    url: singleOf(family),
    summary: 'Retrieve a role assignment',
    params: paramsOf(family.idName, 'roleAssignmentId'),
    response: { status: 200, schema: RoleAssignmentSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const [assigneeId, id] = [given(params, family.idName), given(params, 'roleAssignmentId')];
      return answer(await getRoleAssignment(ports.db, context, family.kind, assigneeId, id), context);
    },
  });

const unassignRoute = (ports: RoleRoutesPorts, family: Family): AnyRoute =>
  route({
    ...managing,
    tag: family.tag,
    operationId: family.operations.unassign,
    method: 'DELETE',
    url: singleOf(family),
    summary: 'Unassign a role',
    params: paramsOf(family.idName, 'roleAssignmentId'),
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      const [assigneeId, id] = [given(params, family.idName), given(params, 'roleAssignmentId')];
      await unassignRole(ports, context, family.kind, assigneeId, id);
      return noContent();
    },
  });

/** Roles of users, groups and clients have the same operations in three places. */
export const assignmentRoutes = (ports: RoleRoutesPorts, family: Family): AnyRoute[] => [
  listRoute(ports, family),
  assignRoute(ports, family),
  getRoute(ports, family),
  unassignRoute(ports, family),
];
