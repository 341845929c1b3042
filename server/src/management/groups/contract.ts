import { type Static, Type } from '@sinclair/typebox';

const MAXIMUM_ATTRIBUTES = 1_000;

export const GroupIdParams = Type.Object({ groupId: Type.String() });
export const GroupUserParams = Type.Object({ groupId: Type.String(), userId: Type.String() });
export const GroupOwnerParams = Type.Object({ groupId: Type.String(), ownerId: Type.String() });
export const UserGroupsParams = Type.Object({ id: Type.String() });

export const GroupBody = Type.Object({
  profile: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: MAXIMUM_ATTRIBUTES,
    description: 'The profile: `name` (1 to 255 characters, unique in the org), `description` and custom attributes.',
  }),
});
export type GroupInput = Static<typeof GroupBody>;

const Stats = Type.Object({
  usersCount: Type.Integer(),
  appsCount: Type.Integer(),
  groupPushMappingsCount: Type.Integer(),
  hasAdminPrivilege: Type.Boolean(),
  hasAdminPrivlege: Type.Boolean({
    description: 'The same as `hasAdminPrivilege`, in the spelling that clients of this API know.',
  }),
});

export const GroupSchema = Type.Object({
  id: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  lastMembershipUpdated: Type.String({ format: 'date-time' }),
  objectClass: Type.Array(Type.String()),
  type: Type.String({
    description:
      '`SVC_GROUP` is a group that was made in this org, `APP_GROUP` one of an app, and `BUILT_IN` the group of ' +
      'everyone.',
  }),
  profile: Type.Record(Type.String(), Type.Unknown()),
  _links: Type.Record(Type.String(), Type.Unknown()),
  _embedded: Type.Optional(
    Type.Object({ stats: Type.Optional(Stats), app: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
  ),
});
export const GroupListSchema = Type.Array(GroupSchema);

export const MemberListSchema = Type.Array(Type.Record(Type.String(), Type.Unknown()));

export const OwnerBody = Type.Object({
  id: Type.String({ description: 'The id of a user or of a group.' }),
  type: Type.String({ description: 'Whether the owner is a user or a group: `USER` or `GROUP`.' }),
});
export type OwnerInput = Static<typeof OwnerBody>;

export const OwnerSchema = Type.Object({
  id: Type.String(),
  type: Type.String(),
  resolved: Type.Boolean(),
  originId: Type.Null(),
  originType: Type.String(),
  displayName: Type.String(),
  lastUpdated: Type.String({ format: 'date-time' }),
});
export const OwnerListSchema = Type.Array(OwnerSchema);
