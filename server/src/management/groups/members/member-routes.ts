import {
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  responseModifiers,
  route,
} from '../../../platform/http/index.ts';
import { wireListedUser } from '../../users/index.ts';
import { GroupIdParams, GroupListSchema, GroupUserParams, MemberListSchema, UserGroupsParams } from '../contract.ts';
import { listGroupApps } from '../lists/list-apps.ts';
import type { GroupsPorts } from '../ports.ts';
import { wireGroup, wireUnseen } from '../wire.ts';
import { listGroupUsers, listUserGroups } from './list-members.ts';
import { assignUserToGroup, unassignUserFromGroup } from './memberships.ts';

const common = {
  tag: 'Group',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['groups.read'], permission: 'groups.read' } as const;
const managing = { ...common, scopes: ['groups.manage'], permission: 'groups.members.manage' } as const;
const group = '/api/v1/groups/:groupId';

const cursors = {
  after: cursor('The cursor of the next page, from a `next` link.'),
  before: cursor('The cursor of the previous page, from a `prev` link.'),
};

const listMembersRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listGroupUsers',
    method: 'GET',
    url: `${group}/users`,
    summary: 'List all members of a group',
    params: GroupIdParams,
    query: { ...cursors, limit: limit({ default: 1_000, maximum: 1_000 }) },
    response: { status: 200, schema: MemberListSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery, headers }) => {
      const place = { ...query, raw: rawQuery };
      const { rows, links, visibleIds } = await listGroupUsers(ports, context, grant, params.groupId, place);
      const contentType = headers['content-type'];
      const omit = responseModifiers(Array.isArray(contentType) ? contentType[0] : contentType, context.namespace.word);
      return page(
        rows.map((user) => (visibleIds.has(user.id) ? wireListedUser(user, context, omit) : wireUnseen(user, context))),
        links,
      );
    },
  });

interface Change {
  readonly operationId: string;
  readonly method: 'PUT' | 'DELETE';
  readonly summary: string;
  readonly apply: typeof assignUserToGroup;
}

const changeRoute = (ports: GroupsPorts, { apply, ...change }: Change): AnyRoute =>
  route({
    ...managing,
    ...change,
    url: `${group}/users/:userId`,
    params: GroupUserParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await apply(ports, context, grant, params);
      return noContent();
    },
  });

const listAppsRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listAssignedApplicationsForGroup',
    method: 'GET',
    url: `${group}/apps`,
    summary: 'List all apps that are assigned to a group',
    params: GroupIdParams,
    query: { ...cursors, limit: limit({ default: 20, maximum: 200 }) },
    response: { status: 200, schema: MemberListSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { apps, links } = await listGroupApps(ports, context, grant, params.groupId, { ...query, raw: rawQuery });
      return page(apps, links);
    },
  });

const listGroupsOfUserRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...common,
    tag: 'UserResources',
    scopes: ['users.read'],
    permission: 'users.read',
    cors: true,
    operationId: 'listUserGroups',
    method: 'GET',
    url: '/api/v1/users/:id/groups',
    summary: 'List all groups of a user',
    params: UserGroupsParams,
    query: { ...cursors, limit: limit({ default: 200, maximum: 200 }) },
    response: { status: 200, schema: GroupListSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { rows, links } = await listUserGroups(ports, context, grant, params.id, { ...query, raw: rawQuery });
      return page(
        rows.map((one) => wireGroup(one, context)),
        links,
      );
    },
  });

export const memberRoutes = (ports: GroupsPorts): AnyRoute[] => [
  listMembersRoute(ports),
  changeRoute(ports, {
    operationId: 'assignUserToGroup',
    method: 'PUT',
    summary: 'Assign a user to a group',
    apply: assignUserToGroup,
  }),
  changeRoute(ports, {
    operationId: 'unassignUserFromGroup',
    method: 'DELETE',
    summary: 'Unassign a user from a group',
    apply: unassignUserFromGroup,
  }),
  listAppsRoute(ports),
  listGroupsOfUserRoute(ports),
];
