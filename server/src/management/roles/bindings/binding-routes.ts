import type { Context } from '../../../kernel/context.ts';
import { type AnyRoute, cursor, nextAddress, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
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
import { managing, type RoleRoutesPorts, reading } from '../route-declarations.ts';
import { bindingVersion } from '../wire.ts';
import { type Bound, keyOf } from './binding.ts';
import type { BindingKey } from './binding-store.ts';
import { createBinding, deleteBinding, getBinding, listBindings } from './bindings.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to 1,000 addresses of some 200 characters.',
};

const tag = 'RoleDResourceSetBinding';
export const BINDINGS = '/api/v1/iam/resource-sets/:resourceSetIdOrLabel/bindings';
export const BINDING = `${BINDINGS}/:roleIdOrLabel`;

export const bindingAddress = ({ resourceSetId, roleId }: BindingKey, context: Context): string =>
  `${setAddress(resourceSetId, context)}/bindings/${roleId}`;

/** The answer to an edit of a binding: its links. */
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

const listRoute = (ports: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listBindings',
    method: 'GET',
    url: BINDINGS,
    summary: 'List all bindings of a resource set',
    params: BindingsOfSetParams,
    query: { after: cursor('Cursor of the next page.') },
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
    ...managing,
    tag,
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

const getRoute = ({ db }: RoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getBinding',
    method: 'GET',
    url: BINDING,
    summary: 'Retrieve a binding',
    params: BindingParams,
    response: { status: 200, schema: BindingSchema },
    errors: ['E0000007'],
    handler: async ({ context, params: { resourceSetIdOrLabel, roleIdOrLabel } }) => {
      const bound = await getBinding(db, context, resourceSetIdOrLabel, roleIdOrLabel);
      const self = bindingAddress(keyOf(bound), context);
      return versioned(bindingVersion(bound), {
        id: bound.role.id,
        _links: {
          self: { href: self },
          members: { href: `${self}/members` },
          'resource-set': { href: setAddress(bound.set.id, context) },
        },
      });
    },
  });

const deleteRoute = ({ work }: RoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteBinding',
    method: 'DELETE',
    url: BINDING,
    summary: 'Delete a binding',
    params: BindingParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params: { resourceSetIdOrLabel, roleIdOrLabel } }) => {
      await deleteBinding(work, context, resourceSetIdOrLabel, roleIdOrLabel);
      return noContent();
    },
  });

/** Routes for custom roles on resource sets (contract section 14). */
export const bindingRoutes = (ports: RoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  deleteRoute(ports),
];
