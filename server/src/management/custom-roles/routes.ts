import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  nextAddress,
  noContent,
  ok,
  route,
  versioned,
} from '../../platform/http/index.ts';
import { createCustomRole } from './changes/create-custom-role.ts';
import { deleteCustomRole } from './changes/delete-custom-role.ts';
import { replaceCustomRole } from './changes/replace-custom-role.ts';
import { CreateRoleBody, ReplaceRoleBody, RoleListSchema, RoleParams, RoleSchema } from './contract.ts';
import { getCustomRole, listCustomRoles } from './get-custom-role.ts';
import { permissionRoutes } from './permissions/permission-routes.ts';
import { type CustomRoleRoutesPorts, collection, managing, reading, single } from './route-declarations.ts';
import type { CustomRole } from './store.ts';
import { customRoleVersion, roleAddress, wireCustomRole } from './wire.ts';

const tag = 'RoleECustom';

/** Single roles carry a `self` Link header too (contract section 2). */
const answerRole = (role: CustomRole, context: Context): Answer => ({
  ...versioned(customRoleVersion(role), wireCustomRole(role, context)),
  headers: { Link: `<${roleAddress(role.id, context)}>; rel="self"` },
});

const listRoute = (ports: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listRoles',
    method: 'GET',
    url: collection,
    summary: 'List all custom roles',
    query: { after: cursor('Cursor of the next page.') },
    response: { status: 200, schema: RoleListSchema },
    errors: ['E0000001'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listCustomRoles(ports, context, query.after, rawQuery);
      const next = nextAddress(`${context.baseUrl}${collection}`, links);
      const roles = rows.map((role) => wireCustomRole(role, context));
      const self = { href: `${context.baseUrl}${(context.url ?? collection).replace(/\?$/, '')}` };
      return ok({ roles, _links: next === null ? { self } : { self, next: { href: next } } });
    },
  });

const createRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createRole',
    method: 'POST',
    url: collection,
    summary: 'Create a custom role',
    body: CreateRoleBody,
    idempotent: true,
    response: { status: 200, schema: RoleSchema },
    errors: ['E0000001', 'E0000006', 'E0000195'],
    handler: async ({ context, body }) => answerRole(await createCustomRole(work, context, body), context),
  });

const getRoute = ({ db }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getRole',
    method: 'GET',
    url: single,
    summary: 'Retrieve a custom role',
    params: RoleParams,
    response: { status: 200, schema: RoleSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answerRole(await getCustomRole(db, context, params.roleIdOrLabel), context),
  });

const replaceRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceRole',
    method: 'PUT',
    url: single,
    summary: 'Replace a custom role',
    params: RoleParams,
    body: ReplaceRoleBody,
    response: { status: 200, schema: RoleSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answerRole(await replaceCustomRole(work, context, params.roleIdOrLabel, body), context),
  });

const deleteRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteRole',
    method: 'DELETE',
    url: single,
    summary: 'Delete a custom role',
    params: RoleParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteCustomRole(work, context, params.roleIdOrLabel);
      return noContent();
    },
  });

export const customRoleRoutes = (ports: CustomRoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  ...permissionRoutes(ports),
];
