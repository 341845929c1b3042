import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { PermissionBody, PermissionListSchema, PermissionParams, PermissionSchema, RoleParams } from '../contract.ts';
import { getPermission, listPermissions, type PermissionOfRole } from '../get-custom-role.ts';
import { type CustomRoleRoutesPorts, managing, reading, single } from '../route-declarations.ts';
import { permissionVersion, wirePermission } from '../wire.ts';
import { deleteRolePermission, putRolePermission } from './change-permissions.ts';

const tag = 'RoleECustomPermission';
const collection = `${single}/permissions`;
const permission = `${collection}/:permissionType`;

const answer = ({ permission: given, role }: PermissionOfRole, context: Context): Answer =>
  versioned(permissionVersion(role.id, given), wirePermission(role.id, given, context));

const listRoute = ({ db }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listRolePermissions',
    method: 'GET',
    url: collection,
    summary: 'List all custom role permissions',
    params: RoleParams,
    response: { status: 200, schema: PermissionListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const { permissions, role } = await listPermissions(db, context, params.roleIdOrLabel);
      return ok({ permissions: permissions.map((one) => wirePermission(role.id, one, context)) });
    },
  });

const getRoute = ({ db }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getRolePermission',
    method: 'GET',
    url: permission,
    summary: 'Retrieve a custom role permission',
    params: PermissionParams,
    response: { status: 200, schema: PermissionSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const found = await getPermission(db, context, params.roleIdOrLabel, params.permissionType);
      return answer(found, context);
    },
  });

const createRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createRolePermission',
    method: 'POST',
    url: permission,
    summary: 'Create a custom role permission',
    params: PermissionParams,
    body: PermissionBody,
    bodyOptional: true,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params: { permissionType, roleIdOrLabel }, body }) => {
      await putRolePermission(work, context, roleIdOrLabel, permissionType, body, 'create');
      return noContent();
    },
  });

const replaceRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceRolePermission',
    method: 'PUT',
    url: permission,
    summary: 'Replace a custom role permission',
    params: PermissionParams,
    body: PermissionBody,
    bodyOptional: true,
    response: { status: 200, schema: PermissionSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params: { permissionType, roleIdOrLabel }, body }) => {
      const put = await putRolePermission(work, context, roleIdOrLabel, permissionType, body, 'replace');
      return answer(put, context);
    },
  });

const deleteRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteRolePermission',
    method: 'DELETE',
    url: permission,
    summary: 'Delete a custom role permission',
    params: PermissionParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteRolePermission(work, context, params.roleIdOrLabel, params.permissionType);
      return noContent();
    },
  });

/** Routes for the permissions of a custom role (contract section 14). */
export const permissionRoutes = (ports: CustomRoleRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  getRoute(ports),
  createRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
