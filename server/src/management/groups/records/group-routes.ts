import {
  type AnyRoute,
  choice,
  cursor,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../../platform/http/index.ts';
import { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from '../../schemas/index.ts';
import { GroupBody, GroupIdParams, GroupListSchema, GroupSchema } from '../contract.ts';
import { embeddedOf, MAXIMUM_GROUPS_WITH_STATS, readExpand } from '../lists/embedded.ts';
import { listGroups } from '../lists/list-groups.ts';
import type { GroupsPorts } from '../ports.ts';
import { groupVersion, wireGroup } from '../wire.ts';
import { createGroup } from './create-group.ts';
import { deleteGroup } from './delete-group.ts';
import { readGroup } from './guards.ts';
import { replaceGroup } from './replace-group.ts';

const common = { tag: 'Group', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['groups.read'], permission: 'groups.read', appliesGrant: true } as const;
const managing = { ...common, scopes: ['groups.manage'], permission: 'groups.manage', appliesGrant: true } as const;
const collection = '/api/v1/groups';
const single = `${collection}/:groupId`;

const listRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listGroups',
    method: 'GET',
    url: collection,
    summary: 'List all groups',
    query: {
      q: text('Groups whose name starts with this.', 256),
      filter: text('Filter expression on id, type, lastUpdated and lastMembershipUpdated.', 8_192),
      search: text('Search expression on any property but links and embedded ones.', 8_192),
      sortBy: text('Property by which a search is sorted.', 128),
      sortOrder: choice('Order of `sortBy`.', ['asc', 'desc', 'ASC', 'DESC']),
      limit: limit({ default: 10_000, maximum: 10_000 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
      expand: text('`stats`, `app` or both: what `_embedded` tells. With `stats` a page has at most 200 groups.', 64),
    },
    response: { status: 200, schema: GroupListSchema },
    errors: ['E0000001', 'E0000031', 'E0000033', 'E0000037', 'E0000053'],
    handler: async ({ context, grant, query, rawQuery }) => {
      const expansions = readExpand(query.expand);
      const maximum = expansions.includes('stats') ? MAXIMUM_GROUPS_WITH_STATS : query.limit;
      const input = { ...query, limit: Math.min(query.limit, maximum), sortOrder: query.sortOrder?.toLowerCase() };
      const { rows, links } = await listGroups(ports, context, grant, input, rawQuery);
      const embedded = await embeddedOf(ports, context, rows, expansions);
      return page(
        rows.map((group) => wireGroup(group, context, embedded(group))),
        links,
      );
    },
  });

const createRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...common,
    scopes: ['groups.manage'],
    permission: 'groups.create',
    operationId: 'addGroup',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'POST',
    url: collection,
    summary: 'Add a group',
    body: GroupBody,
    response: { status: 200, schema: GroupSchema },
    errors: ['E0000001', 'E0000003', 'E0000077', 'E0000195'],
    idempotent: true,
    handler: async ({ context, body }) => {
      const group = await createGroup(ports, context, body);
      return versioned(groupVersion(group), wireGroup(group, context));
    },
  });

const getRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getGroup',
    method: 'GET',
    url: single,
    summary: 'Retrieve a group',
    params: GroupIdParams,
    response: { status: 200, schema: GroupSchema },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      const group = await readGroup(ports.db, context, grant, params.groupId);
      return versioned(groupVersion(group), wireGroup(group, context));
    },
  });

const replaceRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceGroup',
    bodyLimit: STORED_PROFILE_BODY,
    method: 'PUT',
    url: single,
    summary: 'Replace the profile of a group',
    params: GroupIdParams,
    body: GroupBody,
    response: { status: 200, schema: GroupSchema },
    errors: ['E0000001', 'E0000003', 'E0000006', 'E0000007', 'E0000077', 'E0000078'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      const group = await replaceGroup(ports, context, grant, params.groupId, body);
      return versioned(groupVersion(group), wireGroup(group, context));
    },
  });

const deleteRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteGroup',
    method: 'DELETE',
    url: single,
    summary: 'Delete a group',
    params: GroupIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await deleteGroup(ports, context, grant, params.groupId);
      return noContent();
    },
  });

/** Create, read, list, replace and delete (contract section 5). */
export const groupCrudRoutes = (ports: GroupsPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
