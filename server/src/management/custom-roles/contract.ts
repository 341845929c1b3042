import { type Static, Type } from '@sinclair/typebox';

export const RoleParams = Type.Object({ roleIdOrLabel: Type.String() });
export const PermissionParams = Type.Object({ roleIdOrLabel: Type.String(), permissionType: Type.String() });

const label = Type.String({ description: 'It is unique in the org and has at most 255 characters.' });
const description = Type.String({ description: 'It has at most 1,024 characters.' });

export const CreateRoleBody = Type.Object({
  label,
  description,
  permissions: Type.Array(Type.String({ description: 'The name of a permission, such as `svc.users.read`.' })),
});
export type CreateRoleInput = Static<typeof CreateRoleBody>;

export const ReplaceRoleBody = Type.Object({ label, description });
export type ReplaceRoleInput = Static<typeof ReplaceRoleBody>;

const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Names of attributes, in the member `svc:ResourceAttribute/User/Profile`.',
});
const Side = Type.Optional(Type.Union([Attributes, Type.Null()]));
const Conditions = Type.Union([Type.Object({ include: Side, exclude: Side }), Type.Null()]);

export const PermissionBody = Type.Object({ conditions: Type.Optional(Conditions) });
export type PermissionInput = Static<typeof PermissionBody>;

const Links = Type.Record(Type.String(), Type.Unknown());
const instant = Type.String({ format: 'date-time' });

export const RoleSchema = Type.Object({
  id: Type.String(),
  label,
  description,
  isCloneable: Type.Boolean(),
  created: instant,
  lastUpdated: instant,
  _links: Links,
});
export const RoleListSchema = Type.Object({ roles: Type.Array(RoleSchema), _links: Links });

export const PermissionSchema = Type.Object({
  label: Type.String(),
  conditions: Conditions,
  created: instant,
  lastUpdated: instant,
  _links: Links,
});
export const PermissionListSchema = Type.Object({ permissions: Type.Array(PermissionSchema) });
