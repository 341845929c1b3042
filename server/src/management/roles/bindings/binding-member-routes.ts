import { type AnyRoute, cursor, nextAddress, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import {
  AddMembersBody,
  BindingEditSchema,
  BindingParams,
  MemberListSchema,
  MemberParams,
  MemberSchema,
} from '../contract.ts';
import { managing, type RoleRoutesPorts, reading } from '../route-declarations.ts';
import { memberVersion, wireMember } from '../wire.ts';
import { keyOf } from './binding.ts';
import { BINDING, bindingAddress, wireEdited } from './binding-routes.ts';
import { addMembersToBinding, getMember, listMembers, removeMemberOfBinding } from './bindings.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

const tag = 'RoleDResourceSetBindingMember';
const collection = `${BINDING}/members`;
const single = `${collection}/:memberId`;

interface Names {
  readonly resourceSetIdOrLabel: string;
  readonly roleIdOrLabel: string;
}

const namesOf = ({ resourceSetIdOrLabel, roleIdOrLabel }: Names) => ({
  set: resourceSetIdOrLabel,
  role: roleIdOrLabel,
});

const listRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listMembersOfBinding',
    method: 'GET',
    url: collection,
    summary: 'List all members of a binding',
    params: BindingParams,
    query: { after: cursor('Cursor of the next page.') },
    response: { status: 200, schema: MemberListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query, rawQuery }) => {
      const listed = await listMembers(ports, context, namesOf(params), query.after, rawQuery);
      const binding = bindingAddress(keyOf(listed), context);
      const self = `${binding}/members`;
      const next = nextAddress(self, listed.links);
      const links = { self: { href: self }, binding: { href: binding } };
      return ok({
        members: listed.rows.map((member) => wireMember(member, context)),
        _links: next === null ? links : { ...links, next: { href: next } },
      });
    },
  });

const addRoute = ({ work }: RoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'addMembersToBinding',
    bodyLimit: BODY_LIMIT,
    method: 'PATCH',
    url: collection,
    summary: 'Add more members to a binding',
    params: BindingParams,
    body: AddMembersBody,
    response: { status: 200, schema: BindingEditSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000192', 'E0000193', 'E0000194', 'E0000211'],
    handler: async ({ context, params, body }) =>
      ok(wireEdited(await addMembersToBinding(work, context, namesOf(params), body.additions), context)),
  });

const getRoute = ({ db }: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getMemberOfBinding',
    method: 'GET',
    url: single,
    summary: 'Retrieve a member of a binding',
    params: MemberParams,
    response: { status: 200, schema: MemberSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const member = await getMember(db, context, namesOf(params), params.memberId);
      return versioned(memberVersion(member), wireMember(member, context));
    },
  });

const removeRoute = ({ work }: RoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'unassignMemberFromBinding',
    method: 'DELETE',
    url: single,
    summary: 'Unassign a member from a binding',
    params: MemberParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await removeMemberOfBinding(work, context, namesOf(params), params.memberId);
      return noContent();
    },
  });

/** Routes for the members of a custom role on a resource set (contract section 14). */
export const bindingMemberRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  addRoute(ports),
  getRoute(ports),
  removeRoute(ports),
];
