import { type AnyRoute, created, cursor, limit, noContent, page, route, text } from '../../../platform/http/index.ts';
import { GroupIdParams, GroupOwnerParams, OwnerBody, OwnerListSchema, OwnerSchema } from '../contract.ts';
import type { GroupsPorts } from '../ports.ts';
import { wireOwner } from '../wire.ts';
import { assignGroupOwner, deleteGroupOwner, listGroupOwners } from './owners.ts';

const common = {
  tag: 'GroupOwner',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const managing = { ...common, scopes: ['groups.manage'], permission: 'groups.manage' } as const;
const collection = '/api/v1/groups/:groupId/owners';

const listRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...common,
    scopes: ['groups.read'],
    permission: 'groups.read',
    operationId: 'listGroupOwners',
    method: 'GET',
    url: collection,
    summary: 'List all owners of a group',
    params: GroupIdParams,
    query: {
      search: text('Expression on type: USER or GROUP.', 1_024),
      limit: limit({ default: 1_000, maximum: 1_000 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: OwnerListSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { rows, links } = await listGroupOwners(ports, context, grant, params.groupId, { ...query, raw: rawQuery });
      return page(
        rows.map((owner) => wireOwner(owner, context)),
        links,
      );
    },
  });

const assignRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignGroupOwner',
    method: 'POST',
    url: collection,
    summary: 'Assign an owner to a group',
    params: GroupIdParams,
    body: OwnerBody,
    response: { status: 201, schema: OwnerSchema },
    errors: ['E0000001', 'E0000003', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params, body }) =>
      created(wireOwner(await assignGroupOwner(ports, context, grant, params.groupId, body), context)),
  });

const deleteRoute = (ports: GroupsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteGroupOwner',
    method: 'DELETE',
    url: `${collection}/:ownerId`,
    summary: 'Delete an owner of a group',
    params: GroupOwnerParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await deleteGroupOwner(ports, context, grant, params.groupId, params.ownerId);
      return noContent();
    },
  });

/**
 * Routes for owners of groups: users and other groups. Owners are responsible for a group, but gain no permission by
 * that.
 */
export const ownerRoutes = (ports: GroupsPorts): AnyRoute[] => [
  listRoute(ports),
  assignRoute(ports),
  deleteRoute(ports),
];
