import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  expansion,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findGroups, wireGroup } from '../../groups/index.ts';
import { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from '../../schemas/index.ts';
import {
  AppGroupParams,
  AppParams,
  AssignGroupBody,
  GroupAssignmentListSchema,
  GroupAssignmentSchema,
  PatchGroupBody,
} from '../contract.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { appGroupVersion } from '../users/versions.ts';
import { wireGroupAssignment, wireMetadata } from '../wire.ts';
import { assignGroup } from './assign-group.ts';
import { getAppGroup } from './get-app-group.ts';
import type { GroupAssignment } from './group-store.ts';
import { listAppGroups } from './list-app-groups.ts';
import { patchGroupAssignment } from './patch-group.ts';
import { unassignGroup } from './unassign-group.ts';

const common = { tag: 'ApplicationGroups', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read', appliesGrant: true } as const;
const managing = {
  ...common,
  scopes: ['apps.manage'],
  permission: 'apps.assignment.manage',
  appliesGrant: true,
} as const;
const collection = '/api/v1/apps/:appId/groups';
const single = `${collection}/:groupId`;

const EXPANSIONS = ['group', 'metadata'] as const;
type Expansion = (typeof EXPANSIONS)[number];
const expand = expansion(
  '`group`: the group stands in `_embedded`; `metadata`: where the profile comes from.',
  EXPANSIONS,
);

/** Renders the assignments, with the requested expansion. */
async function wired(
  db: Db,
  context: Context,
  assignments: readonly GroupAssignment[],
  asked: Expansion | undefined,
): Promise<Record<string, unknown>[]> {
  const ids = assignments.map(({ groupId }) => groupId);
  const groups = asked === 'group' ? await findGroups(db, context.orgId, ids) : [];
  const groupById = new Map(groups.map((group) => [group.id, group]));
  return assignments.map((assignment) => {
    const group = groupById.get(assignment.groupId);
    if (asked === 'metadata') {
      return wireGroupAssignment(assignment, context, { metadata: wireMetadata(assignment) });
    }
    return wireGroupAssignment(assignment, context, group === undefined ? null : { group: wireGroup(group, context) });
  });
}

const answer = (context: Context, assignment: GroupAssignment): Answer =>
  versioned(appGroupVersion(assignment), wireGroupAssignment(assignment, context));

const listRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listApplicationGroupAssignments',
    method: 'GET',
    url: collection,
    summary: 'List all application groups',
    params: AppParams,
    query: {
      q: text('Groups whose name starts with this.', 255),
      limit: limit({ default: 20, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
      expand,
    },
    response: { status: 200, schema: GroupAssignmentListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { links, rows } = await listAppGroups(ports, context, grant, params.appId, query, rawQuery);
      return page(await wired(ports.db, context, rows, query.expand), links);
    },
  });

const getRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApplicationGroupAssignment',
    method: 'GET',
    url: single,
    summary: 'Retrieve an application group',
    params: AppGroupParams,
    query: { expand },
    response: { status: 200, schema: GroupAssignmentSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params, query }) => {
      const assignment = await getAppGroup(ports, context, grant, params);
      const [body] = await wired(ports.db, context, [assignment], query.expand);
      return versioned(appGroupVersion(assignment), body);
    },
  });

const assignRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignGroupToApplication',
    bodyLimit: STORED_PROFILE_BODY,
    method: 'PUT',
    url: single,
    summary: 'Assign an application group',
    params: AppGroupParams,
    body: AssignGroupBody,
    bodyOptional: true,
    response: { status: 200, schema: GroupAssignmentSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      return answer(context, await assignGroup(ports, context, grant, params, body ?? {}));
    },
  });

const patchRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateGroupAssignmentToApplication',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'PATCH',
    url: single,
    summary: 'Update an application group',
    params: AppGroupParams,
    body: PatchGroupBody,
    bodyOptional: true,
    response: { status: 200, schema: GroupAssignmentSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      return answer(context, await patchGroupAssignment(ports, context, grant, params, body ?? []));
    },
  });

const unassignRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'unassignApplicationFromGroup',
    method: 'DELETE',
    url: single,
    summary: 'Unassign an application group',
    params: AppGroupParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await unassignGroup(ports, context, grant, params);
      return noContent();
    },
  });

/** Groups of an app (contract section 17: ApplicationGroups). */
export const appGroupRoutes = (ports: AppAssignmentsPorts): AnyRoute[] => [
  listRoute(ports),
  getRoute(ports),
  assignRoute(ports),
  patchRoute(ports),
  unassignRoute(ports),
];
