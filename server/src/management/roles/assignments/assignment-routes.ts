import { type AnyRoute, flag, resourceRoutes, text } from '../../../platform/http/index.ts';
import { AssignRoleBody, RoleAssignmentListSchema, RoleAssignmentSchema } from '../contract.ts';
import type { RoleRoutesPorts } from '../route-declarations.ts';
import type { RoleAssignment } from '../store.ts';
import { embeddedTargets, readExpansion } from '../targets/embedded-targets.ts';
import { type Family, given, paramsOf, singleOf } from '../targets/families.ts';
import { roleAssignmentVersion, wireRoleAssignment } from '../wire.ts';
import { assignRole } from './assign-role.ts';
import { getRoleAssignment, listRoleAssignments } from './get-role-assignments.ts';
import { unassignRole } from './unassign-role.ts';

interface ShownAssignment {
  readonly assignment: RoleAssignment;
  readonly embedded?: Readonly<Record<string, unknown>> | null;
}

const resourceOf = (family: Family) =>
  resourceRoutes({
    tag: family.tag,
    name: 'RoleAssignment',
    one: 'a role assignment',
    all: 'all role assignments',
    scope: 'roles',
    url: singleOf(family),
    of: paramsOf(family.idName),
    params: paramsOf(family.idName, 'roleAssignmentId'),
    schema: RoleAssignmentSchema,
    wire: ({ assignment, embedded }: ShownAssignment, context) => wireRoleAssignment(assignment, context, embedded),
    version: ({ assignment }) => roleAssignmentVersion(assignment),
  });

export function assignmentRoutes(ports: RoleRoutesPorts, family: Family): AnyRoute[] {
  const { db } = ports;
  const { idName, kind, operations } = family;
  const assignments = resourceOf(family);
  return [
    assignments.list({
      operationId: operations.list,
      query: { expand: text('`targets/groups` or `targets/catalog/apps` embeds the targets of each role.', 64) },
      schema: RoleAssignmentListSchema,
      use: async ({ context, params, query }) => {
        const expansion = readExpansion(query.expand);
        const found = await listRoleAssignments(db, context, kind, given(params, idName));
        return Promise.all(
          found.map(async (assignment) => ({
            assignment,
            embedded: await embeddedTargets(ports, context, assignment, expansion),
          })),
        );
      },
    }),
    assignments.create({
      operationId: operations.assign,
      summary: 'Assign a role',
      query: { disableNotifications: flag('Has no effect: the service sends no notifications of roles.', false) },
      body: AssignRoleBody,
      status: 201,
      errors: ['E0000006', 'E0000090', 'E0000192', 'E0000193', 'E0000194', 'E0000211'],
      idempotent: false,
      use: async ({ context, params, body }) => ({
        assignment: await assignRole(ports, context, kind, given(params, idName), body),
      }),
    }),
    assignments.get({
      operationId: operations.get,
      use: async ({ context, params }) => {
        const [assigneeId, id] = [given(params, idName), given(params, 'roleAssignmentId')];
        return { assignment: await getRoleAssignment(db, context, kind, assigneeId, id) };
      },
    }),
    assignments.delete({
      operationId: operations.unassign,
      summary: 'Unassign a role',
      errors: ['E0000001', 'E0000006'],
      use: ({ context, params }) =>
        unassignRole(ports, context, kind, given(params, idName), given(params, 'roleAssignmentId')),
    }),
  ];
}
