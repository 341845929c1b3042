import { type Static, type TSchema, Type } from '@sinclair/typebox';

export const AppUserParams = Type.Object({ appId: Type.String(), userId: Type.String() });
export const AppParams = Type.Object({ appId: Type.String() });
export const AppGroupParams = Type.Object({ appId: Type.String(), groupId: Type.String() });
export const UserParams = Type.Object({ id: Type.String() });

/** Makes a member optional and nullable, because some clients send absent members as null. */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const FEW = { maxProperties: 1_000 };

const AnyObject = Type.Record(Type.String(), Type.Unknown());

const ScopeWord = Type.Unsafe<'USER' | 'GROUP'>({
  type: 'string',
  enum: ['USER', 'GROUP'],
  description: '`USER` means that the app is assigned to the user, and `GROUP` that they have it by a group.',
});

const members = {
  scope: given(ScopeWord),
  credentials: given(
    Type.Object({
      userName: given(
        Type.String({
          description:
            'The name of the user in the app. `null` stands for the name that the template of the app makes.',
        }),
      ),
      password: given(
        Type.Object({
          value: given(Type.String({ description: 'The password. No response contains it.', writeOnly: true })),
        }),
      ),
    }),
  ),
  profile: given(
    Type.Record(Type.String(), Type.Unknown(), { ...FEW, description: 'Attributes of the app’s schema, by name.' }),
  ),
};

export const AppUserBody = Type.Object(members);
export type AppUserInput = Static<typeof AppUserBody>;

export const AssignUserBody = Type.Object({ id: Type.String({ description: 'The id of the user.' }), ...members });

export const AssignGroupBody = Type.Object({
  priority: given(
    Type.Number({
      description: 'The priority of the assignment. The lowest comes first. By default, the assignment comes last.',
    }),
  ),
  profile: given(
    Type.Record(Type.String(), Type.Unknown(), {
      ...FEW,
      description: 'The attributes that the members get by the group.',
    }),
  ),
});
export type AssignGroupInput = Static<typeof AssignGroupBody>;

export const PatchGroupBody = Type.Array(
  Type.Object({
    op: Type.Optional(Type.String({ description: 'The operation of the patch: `replace` or `remove`.' })),
    path: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'What the patch changes: `/priority`, `/profile` or an attribute of the profile.',
      }),
    ),
    value: Type.Optional(Type.Unknown()),
  }),
  { maxItems: 100 },
);

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);

export const AppUserSchema = Type.Object({
  id: Type.String(),
  externalId: Type.Null(),
  created: Instant,
  lastUpdated: Instant,
  scope: ScopeWord,
  status: Type.String(),
  statusChanged: Instant,
  passwordChanged: InstantOrNull,
  syncState: Type.String(),
  credentials: Type.Object({
    userName: Type.Optional(Type.String()),
    password: Type.Optional(Type.Object({}, { description: 'An empty object, which says that a password is set.' })),
  }),
  profile: AnyObject,
  _embedded: Type.Optional(AnyObject),
  _links: AnyObject,
});
export const AppUserListSchema = Type.Array(AppUserSchema);

export const GroupAssignmentSchema = Type.Object({
  id: Type.String(),
  lastUpdated: Instant,
  priority: Type.Integer(),
  profile: AnyObject,
  _embedded: Type.Optional(AnyObject),
  _links: AnyObject,
});
export const GroupAssignmentListSchema = Type.Array(GroupAssignmentSchema);

export const AppLinkListSchema = Type.Array(
  Type.Object({
    id: Type.String(),
    label: Type.String(),
    linkUrl: Type.String(),
    logoUrl: Type.String(),
    appName: Type.String(),
    appInstanceId: Type.String(),
    appAssignmentId: Type.String(),
    credentialsSetup: Type.Boolean(),
    hidden: Type.Boolean(),
    sortOrder: Type.Integer(),
  }),
);
