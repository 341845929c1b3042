import type { Context } from '../../../kernel/context.ts';
import { type AnyRoute, expansion, paging, resourceRoutes, route, text } from '../../../platform/http/index.ts';
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

const EXPANSIONS = ['group', 'metadata'] as const;
type Expansion = (typeof EXPANSIONS)[number];
const expand = expansion('`group` embeds the group, and `metadata` embeds the origin of the profile.', EXPANSIONS);

interface ShownAssignment {
  readonly assignment: GroupAssignment;
  readonly embedded: Readonly<Record<string, unknown>> | null;
}

async function show(
  db: Db,
  context: Context,
  assignments: readonly GroupAssignment[],
  asked: Expansion | undefined,
): Promise<ShownAssignment[]> {
  const ids = assignments.map(({ groupId }) => groupId);
  const groups = asked === 'group' ? await findGroups(db, context.orgId, ids) : [];
  const groupById = new Map(groups.map((group) => [group.id, group]));
  return assignments.map((assignment) => {
    if (asked === 'metadata') return { assignment, embedded: { metadata: wireMetadata(assignment) } };
    const group = groupById.get(assignment.groupId);
    return { assignment, embedded: group === undefined ? null : { group: wireGroup(group, context) } };
  });
}

const url = '/api/v1/apps/:appId/groups/:groupId';
const assigning = { permission: 'apps.assignment.manage' };
const appGroups = resourceRoutes({
  tag: 'ApplicationGroups',
  name: 'ApplicationGroupAssignment',
  one: 'an application group',
  all: 'all application groups',
  scope: 'apps',
  appliesGrant: true,
  url,
  of: AppParams,
  params: AppGroupParams,
  schema: GroupAssignmentSchema,
  wire: ({ assignment, embedded }: ShownAssignment, context) => wireGroupAssignment(assignment, context, embedded),
  version: ({ assignment }) => appGroupVersion(assignment),
});

const patchRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...appGroups.managing,
    ...assigning,
    operationId: 'updateGroupAssignmentToApplication',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'PATCH',
    url,
    summary: 'Update an application group',
    params: AppGroupParams,
    body: PatchGroupBody,
    bodyOptional: true,
    response: { status: 200, schema: GroupAssignmentSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      const assignment = await patchGroupAssignment(ports, context, grant, params, body ?? []);
      return appGroups.answer({ assignment, embedded: null }, context, { params });
    },
  });

export const appGroupRoutes = (ports: AppAssignmentsPorts): AnyRoute[] => [
  appGroups.list({
    query: {
      q: text('Lists only groups whose name starts with this text.', 255),
      ...paging({ default: 20, maximum: 200 }),
      expand,
    },
    schema: GroupAssignmentListSchema,
    use: async ({ context, grant, params, query, rawQuery }) => {
      const { links, rows } = await listAppGroups(ports, context, grant, params.appId, query, rawQuery);
      return { links, rows: await show(ports.db, context, rows, query.expand) };
    },
  }),
  appGroups.get({
    query: { expand },
    use: async ({ context, grant, params, query }) => {
      const assignment = await getAppGroup(ports, context, grant, params);
      const [shown = { assignment, embedded: null }] = await show(ports.db, context, [assignment], query.expand);
      return shown;
    },
  }),
  appGroups.replace({
    ...assigning,
    operationId: 'assignGroupToApplication',
    summary: 'Assign an application group',
    body: AssignGroupBody,
    bodyLimit: STORED_PROFILE_BODY,
    bodyOptional: true,
    use: async ({ context, grant, params, body }) => {
      const assignment = await assignGroup(ports, context, grant, params, body ?? {});
      return { assignment, embedded: null };
    },
  }),
  patchRoute(ports),
  appGroups.delete({
    ...assigning,
    operationId: 'unassignApplicationFromGroup',
    summary: 'Unassign an application group',
    use: ({ context, grant, params }) => unassignGroup(ports, context, grant, params),
  }),
];
