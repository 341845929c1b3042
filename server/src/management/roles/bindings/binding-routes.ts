import type { Context } from '../../../kernel/context.ts';
import { type AnyRoute, cursor, nextAddress, ok, resourceRoutes, route } from '../../../platform/http/index.ts';
import { roleAddress } from '../../custom-roles/index.ts';
import { setAddress } from '../../resource-sets/index.ts';
import {
  BindingEditSchema,
  BindingListSchema,
  BindingParams,
  BindingSchema,
  BindingsOfSetParams,
  CreateBindingBody,
} from '../contract.ts';
import type { RoleRoutesPorts } from '../route-declarations.ts';
import { bindingVersion } from '../wire.ts';
import { type Binding, type Bound, keyOf } from './binding.ts';
import type { BindingKey } from './binding-store.ts';
import { createBinding, deleteBinding, getBinding, listBindings } from './bindings.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

export const BINDINGS = '/api/v1/iam/resource-sets/:resourceSetIdOrLabel/bindings';
export const BINDING = `${BINDINGS}/:roleIdOrLabel`;

export const bindingAddress = ({ resourceSetId, roleId }: BindingKey, context: Context): string =>
  `${setAddress(resourceSetId, context)}/bindings/${roleId}`;

export function wireEdited(bound: Bound, context: Context): Record<string, unknown> {
  const set = setAddress(bound.set.id, context);
  return {
    _links: {
      self: { href: bindingAddress(keyOf(bound), context) },
      bindings: { href: `${set}/bindings` },
      'resource-set': { href: set },
    },
  };
}

const bindings = resourceRoutes({
  tag: 'RoleDResourceSetBinding',
  name: 'Binding',
  one: 'a binding',
  scope: 'roles',
  url: BINDING,
  params: BindingParams,
  schema: BindingSchema,
  wire: (bound: Binding, context) => {
    const self = bindingAddress(keyOf(bound), context);
    return {
      id: bound.role.id,
      _links: {
        self: { href: self },
        members: { href: `${self}/members` },
        'resource-set': { href: setAddress(bound.set.id, context) },
      },
    };
  },
  version: bindingVersion,
});

const listRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...bindings.reading,
    operationId: 'listBindings',
    method: 'GET',
    url: BINDINGS,
    summary: 'List all bindings of a resource set',
    params: BindingsOfSetParams,
    query: { after: cursor('The cursor of the next page, from a `next` link.') },
    response: { status: 200, schema: BindingListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query, rawQuery }) => {
      const listed = await listBindings(ports, context, params.resourceSetIdOrLabel, query.after, rawQuery);
      const address = setAddress(listed.set.id, context);
      const self = `${address}/bindings`;
      const next = nextAddress(self, listed.links);
      const roles = listed.rows.map(({ roleId }) => ({
        id: roleId,
        _links: {
          self: { href: roleAddress(roleId, context) },
          members: { href: `${self}/${roleId}/members` },
        },
      }));
      const links = { self: { href: self }, 'resource-set': { href: address } };
      return ok({ roles, _links: next === null ? links : { ...links, next: { href: next } } });
    },
  });

const createRoute = ({ work }: RoleRoutesPorts): AnyRoute =>
  route({
    ...bindings.managing,
    operationId: 'createResourceSetBinding',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: BINDINGS,
    summary: 'Bind a custom role to a resource set',
    params: BindingsOfSetParams,
    body: CreateBindingBody,
    response: { status: 200, schema: BindingEditSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000192', 'E0000193', 'E0000194', 'E0000211'],
    handler: async ({ context, params, body: { members = [], role } }) =>
      ok(wireEdited(await createBinding(work, context, params.resourceSetIdOrLabel, { role, members }), context)),
  });

export const bindingRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  bindings.get({
    use: ({ context, params }) => getBinding(ports.db, context, params.resourceSetIdOrLabel, params.roleIdOrLabel),
  }),
  bindings.delete({
    errors: ['E0000006'],
    use: ({ context, params }) => deleteBinding(ports.work, context, params.resourceSetIdOrLabel, params.roleIdOrLabel),
  }),
];
