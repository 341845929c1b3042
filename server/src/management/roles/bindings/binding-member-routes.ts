import { type AnyRoute, cursor, nextAddress, ok, resourceRoutes, route } from '../../../platform/http/index.ts';
import {
  AddMembersBody,
  BindingEditSchema,
  BindingParams,
  MemberListSchema,
  MemberParams,
  MemberSchema,
} from '../contract.ts';
import type { RoleRoutesPorts } from '../route-declarations.ts';
import { memberVersion, wireMember } from '../wire.ts';
import { keyOf } from './binding.ts';
import { BINDING, bindingAddress, wireEdited } from './binding-routes.ts';
import { addMembersToBinding, getMember, listMembers, removeMemberOfBinding } from './bindings.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

interface Names {
  readonly resourceSetIdOrLabel: string;
  readonly roleIdOrLabel: string;
}

const namesOf = ({ resourceSetIdOrLabel, roleIdOrLabel }: Names) => ({
  set: resourceSetIdOrLabel,
  role: roleIdOrLabel,
});

const members = resourceRoutes({
  tag: 'RoleDResourceSetBindingMember',
  name: 'MemberOfBinding',
  one: 'a member of a binding',
  all: 'all members of a binding',
  scope: 'roles',
  url: `${BINDING}/members/:memberId`,
  of: BindingParams,
  params: MemberParams,
  schema: MemberSchema,
  wire: wireMember,
  version: memberVersion,
});

const addRoute = ({ work }: RoleRoutesPorts): AnyRoute =>
  route({
    ...members.managing,
    operationId: 'addMembersToBinding',
    bodyLimit: BODY_LIMIT,
    method: 'PATCH',
    url: `${BINDING}/members`,
    summary: 'Add more members to a binding',
    params: BindingParams,
    body: AddMembersBody,
    response: { status: 200, schema: BindingEditSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000192', 'E0000193', 'E0000194', 'E0000211'],
    handler: async ({ context, params, body }) =>
      ok(wireEdited(await addMembersToBinding(work, context, namesOf(params), body.additions), context)),
  });

export const bindingMemberRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  members.list({
    operationId: 'listMembersOfBinding',
    query: { after: cursor('The cursor of the next page, from a `next` link.') },
    schema: MemberListSchema,
    use: ({ context, params, query, rawQuery }) => listMembers(ports, context, namesOf(params), query.after, rawQuery),
    envelope: (items, found, context) => {
      const binding = bindingAddress(keyOf(found), context);
      const self = `${binding}/members`;
      const next = nextAddress(self, found.links);
      const links = { self: { href: self }, binding: { href: binding } };
      return { members: items, _links: next === null ? links : { ...links, next: { href: next } } };
    },
  }),
  addRoute(ports),
  members.get({
    use: ({ context, params }) => getMember(ports.db, context, namesOf(params), params.memberId),
  }),
  members.delete({
    operationId: 'unassignMemberFromBinding',
    summary: 'Unassign a member from a binding',
    errors: ['E0000006'],
    use: ({ context, params }) => removeMemberOfBinding(ports.work, context, namesOf(params), params.memberId),
  }),
];
