import { type AnyRoute, choice, paging, resourceRoutes, route, text } from '../../../platform/http/index.ts';
import { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from '../../schemas/index.ts';
import { GroupBody, GroupIdParams, GroupListSchema, GroupSchema } from '../contract.ts';
import { type Embedded, embeddedOf, MAXIMUM_GROUPS_WITH_STATS, readExpand } from '../lists/embedded.ts';
import { listGroups } from '../lists/list-groups.ts';
import type { GroupsPorts } from '../ports.ts';
import { groupVersion, wireGroup } from '../wire.ts';
import { createGroup } from './create-group.ts';
import { deleteGroup } from './delete-group.ts';
import type { GroupRow } from './group-row.ts';
import { readGroup } from './guards.ts';
import { replaceGroup } from './replace-group.ts';

interface ShownGroup {
  readonly group: GroupRow;
  readonly embedded?: Embedded | undefined;
}

const groups = resourceRoutes({
  tag: 'Group',
  name: 'Group',
  one: 'a group',
  all: 'all groups',
  scope: 'groups',
  appliesGrant: true,
  url: '/api/v1/groups/:groupId',
  params: GroupIdParams,
  schema: GroupSchema,
  wire: ({ embedded, group }: ShownGroup, context) => wireGroup(group, context, embedded),
  version: ({ group }) => groupVersion(group),
});

/** Creation requires a permission for all groups, because narrower grants name existing groups. */
const addRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    tag: 'Group',
    access: 'authenticated',
    scopes: ['groups.manage'],
    permission: 'groups.create',
    bucket: 'management',
    cors: false,
    operationId: 'addGroup',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'POST',
    url: '/api/v1/groups',
    summary: 'Add a group',
    body: GroupBody,
    response: { status: 200, schema: GroupSchema },
    errors: ['E0000001', 'E0000003', 'E0000077', 'E0000195'],
    idempotent: true,
    handler: async ({ context, params, body }) =>
      groups.answer({ group: await createGroup(ports, context, body) }, context, { params }),
  });

export const groupCrudRoutes = (ports: GroupsPorts): AnyRoute[] => [
  groups.list({
    query: {
      q: text('Lists only groups whose name starts with this text.', 256),
      filter: text('A filter expression on id, type, lastUpdated and lastMembershipUpdated.', 8_192),
      search: text('A search expression on any property of groups except links and embedded ones.', 8_192),
      sortBy: text('The property by which a `search` is sorted.', 128),
      sortOrder: choice('The order of `sortBy`, which is ascending by default.', ['asc', 'desc', 'ASC', 'DESC']),
      ...paging({ default: 10_000, maximum: 10_000 }),
      expand: text('What to embed: `stats`, `app` or both. With `stats`, a page contains at most 200 groups.', 64),
    },
    schema: GroupListSchema,
    errors: ['E0000033'],
    use: async ({ context, grant, query, rawQuery }) => {
      const expansions = readExpand(query.expand);
      const maximum = expansions.includes('stats') ? MAXIMUM_GROUPS_WITH_STATS : query.limit;
      const input = { ...query, limit: Math.min(query.limit, maximum), sortOrder: query.sortOrder?.toLowerCase() };
      const { rows, links } = await listGroups(ports, context, grant, input, rawQuery);
      const embedded = await embeddedOf(ports, context, rows, expansions);
      return { rows: rows.map((group) => ({ group, embedded: embedded(group) })), links };
    },
  }),
  addRoute(ports),
  groups.get({
    errors: ['E0000006'],
    use: async ({ context, grant, params }) => ({ group: await readGroup(ports.db, context, grant, params.groupId) }),
  }),
  groups.replace({
    summary: 'Replace the profile of a group',
    body: GroupBody,
    bodyLimit: STORED_PROFILE_BODY,
    errors: ['E0000003', 'E0000006', 'E0000077', 'E0000078'],
    use: async ({ context, grant, params, body }) => ({
      group: await replaceGroup(ports, context, grant, params.groupId, body),
    }),
  }),
  groups.delete({
    errors: ['E0000006'],
    use: ({ context, grant, params }) => deleteGroup(ports, context, grant, params.groupId),
  }),
];
