import { type AnyRoute, cursor, linksInBody, resourceRoutes } from '../../platform/http/index.ts';
import { createCustomRole } from './changes/create-custom-role.ts';
import { deleteCustomRole } from './changes/delete-custom-role.ts';
import { replaceCustomRole } from './changes/replace-custom-role.ts';
import { CreateRoleBody, ReplaceRoleBody, RoleListSchema, RoleParams, RoleSchema } from './contract.ts';
import { getCustomRole, listCustomRoles } from './get-custom-role.ts';
import { permissionRoutes } from './permissions/permission-routes.ts';
import { type CustomRoleRoutesPorts, rolesPath, roleUrl } from './route-declarations.ts';
import { customRoleVersion, roleAddress, wireCustomRole } from './wire.ts';

const roles = resourceRoutes({
  tag: 'RoleECustom',
  name: 'Role',
  one: 'a custom role',
  all: 'all custom roles',
  scope: 'roles',
  url: roleUrl,
  params: RoleParams,
  schema: RoleSchema,
  wire: wireCustomRole,
  version: customRoleVersion,
  // Responses with a single role have a `Link` header with the relation `self` (contract section 2).
  headers: ({ id }, context) => ({ Link: `<${roleAddress(id, context)}>; rel="self"` }),
});

export const customRoleRoutes = (ports: CustomRoleRoutesPorts): AnyRoute[] => [
  roles.list({
    query: { after: cursor('The cursor of the next page, from a `next` link.') },
    schema: RoleListSchema,
    use: ({ context, query, rawQuery }) => listCustomRoles(ports, context, query.after, rawQuery),
    envelope: (items, { links }, context) => ({ roles: items, _links: linksInBody(context, rolesPath, links) }),
  }),
  roles.create({
    body: CreateRoleBody,
    errors: ['E0000006'],
    use: ({ context, body }) => createCustomRole(ports.work, context, body),
  }),
  roles.get({
    use: ({ context, params }) => getCustomRole(ports.db, context, params.roleIdOrLabel),
  }),
  roles.replace({
    body: ReplaceRoleBody,
    errors: ['E0000006'],
    use: ({ context, params, body }) => replaceCustomRole(ports.work, context, params.roleIdOrLabel, body),
  }),
  roles.delete({
    errors: ['E0000006'],
    use: ({ context, params }) => deleteCustomRole(ports.work, context, params.roleIdOrLabel),
  }),
  ...permissionRoutes(ports),
];
