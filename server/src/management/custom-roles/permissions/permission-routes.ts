import { type AnyRoute, noContent, resourceRoutes, route } from '../../../platform/http/index.ts';
import { PermissionBody, PermissionListSchema, PermissionParams, PermissionSchema, RoleParams } from '../contract.ts';
import { getPermission, listPermissions, type PermissionOfRole } from '../get-custom-role.ts';
import { type CustomRoleRoutesPorts, roleUrl } from '../route-declarations.ts';
import { permissionVersion, wirePermission } from '../wire.ts';
import { deleteRolePermission, putRolePermission } from './change-permissions.ts';

const url = `${roleUrl}/permissions/:permissionType`;
const permissions = resourceRoutes({
  tag: 'RoleECustomPermission',
  name: 'RolePermission',
  one: 'a custom role permission',
  all: 'all custom role permissions',
  scope: 'roles',
  url,
  of: RoleParams,
  params: PermissionParams,
  schema: PermissionSchema,
  wire: ({ permission, role }: PermissionOfRole, context) => wirePermission(role.id, permission, context),
  version: ({ permission, role }) => permissionVersion(role.id, permission),
});

const createRoute = ({ work }: CustomRoleRoutesPorts): AnyRoute =>
  route({
    ...permissions.managing,
    operationId: 'createRolePermission',
    method: 'POST',
    url,
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

export const permissionRoutes = (ports: CustomRoleRoutesPorts): AnyRoute[] => [
  permissions.list({
    schema: PermissionListSchema,
    use: async ({ context, params }) => {
      const { permissions: given, role } = await listPermissions(ports.db, context, params.roleIdOrLabel);
      return given.map((permission) => ({ permission, role }));
    },
    envelope: (items) => ({ permissions: items }),
  }),
  permissions.get({
    use: ({ context, params }) => getPermission(ports.db, context, params.roleIdOrLabel, params.permissionType),
  }),
  createRoute(ports),
  permissions.replace({
    body: PermissionBody,
    bodyOptional: true,
    errors: ['E0000006'],
    use: ({ context, params: { permissionType, roleIdOrLabel }, body }) =>
      putRolePermission(ports.work, context, roleIdOrLabel, permissionType, body, 'replace'),
  }),
  permissions.delete({
    errors: ['E0000006'],
    use: ({ context, params }) =>
      deleteRolePermission(ports.work, context, params.roleIdOrLabel, params.permissionType),
  }),
];
