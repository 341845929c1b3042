import { notFound } from '../../../kernel/errors/errors.ts';
import {
  type AnyRoute,
  choice,
  cursor,
  keysetPage,
  limit,
  nextAddress,
  ok,
  page,
  route,
} from '../../../platform/http/index.ts';
import {
  GovernanceGrantParams,
  GovernanceSchema,
  GovernanceSourceSchema,
  HeldTargetListSchema,
  HolderListSchema,
  RoleAssignmentIdParams,
  RoleOfUserParams,
} from '../contract.ts';
import { type RoleRoutesPorts, reading } from '../route-declarations.ts';
import { readHolders } from '../store.ts';
import { listTargetsOfUser } from '../targets/list-targets.ts';
import { wireHeldTarget, wireHolder } from '../wire.ts';
import { getRoleAssignment } from './get-role-assignments.ts';

const tag = 'RoleAssignmentAUser';
const assignees = '/api/v1/iam/assignees/users';
const governance = '/api/v1/users/:userId/roles/:roleAssignmentId/governance';

const listHoldersRoute = ({ cursors, db }: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listUsersWithRoleAssignments',
    method: 'GET',
    url: assignees,
    summary: 'List all users with role assignments',
    query: {
      after: cursor('The cursor of the next page, from a `next` link.'),
      limit: limit({ default: 100, maximum: 200 }),
    },
    response: { status: 200, schema: HolderListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { orgId } = context;
      const { links, rows } = await keysetPage(
        cursors,
        { orgId, list: 'listUsersWithRoleAssignments', ...query, before: undefined, query: rawQuery },
        (userId: string) => userId,
        (request) => readHolders(db, orgId, request.key, request.rows),
      );
      const next = nextAddress(`${context.baseUrl}${assignees}`, links);
      const value = rows.map((userId) => wireHolder(userId, context));
      return ok(next === null ? { value } : { value, _links: { next: { href: next } } });
    },
  });

const targetsRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag: 'RoleBTargetAdmin',
    operationId: 'getRoleTargetsByUserIdAndRoleId',
    method: 'GET',
    url: '/api/v1/users/:userId/roles/:roleIdOrEncodedRoleId/targets',
    summary: 'List all targets of a role by assignment',
    params: RoleOfUserParams,
    query: {
      assignmentType: choice('Lists only the targets of roles that are assigned in this way.', ['USER', 'GROUP']),
      after: cursor('The cursor of the next page, from a `next` link.'),
      limit: limit({ default: 20, maximum: 200 }),
    },
    response: { status: 200, schema: HeldTargetListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params: { roleIdOrEncodedRoleId, userId }, query, rawQuery }) => {
      const { links, rows } = await listTargetsOfUser(ports, context, userId, roleIdOrEncodedRoleId, query, rawQuery);
      return page(
        rows.map((held) => wireHeldTarget(held, context)),
        links,
      );
    },
  });

/** This service has no role governance, so the list of sources is empty and every requested source is unknown. */
const governanceRoutes = ({ db }: RoleRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    tag,
    operationId: 'getUserAssignedRoleGovernance',
    method: 'GET',
    url: governance,
    summary: 'List all governance sources of a role assignment',
    params: RoleAssignmentIdParams,
    response: { status: 200, schema: GovernanceSchema },
    errors: ['E0000007'],
    handler: async ({ context, params: { roleAssignmentId, userId } }) => {
      await getRoleAssignment(db, context, 'USER', userId, roleAssignmentId);
      const user = `${context.baseUrl}/api/v1/users/${userId}`;
      const self = { href: `${user}/roles/${roleAssignmentId}/governance` };
      return ok({ grants: [], _links: { self, assignee: { href: user } } });
    },
  }),
  ...(['', '/resources'] as const).map((part) =>
    route({
      ...reading,
      tag,
      operationId: part === '' ? 'getRoleAssignmentGovernanceGrant' : 'getRoleAssignmentGovernanceGrantResources',
      method: 'GET',
      url: `${governance}/:grantId${part}`,
      summary: part === '' ? 'Retrieve a governance source' : 'List the resources of a governance source',
      params: GovernanceGrantParams,
      response: { status: 200, schema: GovernanceSourceSchema },
      errors: ['E0000007'],
      handler: async ({ context, params: { grantId, roleAssignmentId, userId } }) => {
        await getRoleAssignment(db, context, 'USER', userId, roleAssignmentId);
        throw notFound(grantId, 'RoleGovernanceSource');
      },
    }),
  ),
];

export const userRoleRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  listHoldersRoute(ports),
  targetsRoute(ports),
  ...governanceRoutes(ports),
];
