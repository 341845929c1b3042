import { type AnyRoute, paging, resourceRoutes, text } from '../../../platform/http/index.ts';
import { GroupIdParams, GroupOwnerParams, OwnerBody, OwnerListSchema, OwnerSchema } from '../contract.ts';
import type { GroupsPorts } from '../ports.ts';
import { wireOwner } from '../wire.ts';
import { assignGroupOwner, deleteGroupOwner, listGroupOwners } from './owners.ts';

const owners = resourceRoutes({
  tag: 'GroupOwner',
  name: 'GroupOwner',
  one: 'an owner of a group',
  all: 'all owners of a group',
  scope: 'groups',
  appliesGrant: true,
  url: '/api/v1/groups/:groupId/owners/:ownerId',
  of: GroupIdParams,
  params: GroupOwnerParams,
  schema: OwnerSchema,
  wire: wireOwner,
});

export const ownerRoutes = (ports: GroupsPorts): AnyRoute[] => [
  owners.list({
    query: {
      search: text('A search expression on `type`, which is `USER` or `GROUP`.', 1_024),
      ...paging({ default: 1_000, maximum: 1_000 }),
    },
    schema: OwnerListSchema,
    errors: ['E0000006', 'E0000031', 'E0000053'],
    use: ({ context, grant, params, query, rawQuery }) =>
      listGroupOwners(ports, context, grant, params.groupId, { ...query, raw: rawQuery }),
  }),
  owners.create({
    operationId: 'assignGroupOwner',
    summary: 'Assign an owner to a group',
    body: OwnerBody,
    status: 201,
    errors: ['E0000003', 'E0000006'],
    idempotent: false,
    use: ({ context, grant, params, body }) => assignGroupOwner(ports, context, grant, params.groupId, body),
  }),
  owners.delete({
    errors: ['E0000006'],
    conditional: false,
    use: ({ context, grant, params }) => deleteGroupOwner(ports, context, grant, params.groupId, params.ownerId),
  }),
];
