import { type Static, type TSchema, Type } from '@sinclair/typebox';

export const AppUserParams = Type.Object({ appId: Type.String(), userId: Type.String() });
export const AppParams = Type.Object({ appId: Type.String() });
export const AppGroupParams = Type.Object({ appId: Type.String(), groupId: Type.String() });
export const UserParams = Type.Object({ id: Type.String() });

/** Allows null in place of an absent member, because clients send back the nulls that they received. */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Limits a profile to more attributes than any schema has, so that larger bodies are refused early. */
const FEW = { maxProperties: 1_000 };

const AnyObject = Type.Record(Type.String(), Type.Unknown());

const ScopeWord = Type.Unsafe<'USER' | 'GROUP'>({
  type: 'string',
  enum: ['USER', 'GROUP'],
  description: 'USER: assigned to the user; GROUP: the user has the app by a group.',
});

const members = {
  scope: given(ScopeWord),
  credentials: given(
    Type.Object({
      userName: given(Type.String({ description: 'Name in the app; null: the one that its template makes.' })),
      password: given(
        Type.Object({ value: given(Type.String({ description: 'Never shown again.', writeOnly: true })) }),
      ),
    }),
  ),
  profile: given(Type.Record(Type.String(), Type.Unknown(), { ...FEW, description: 'By the schema of the app.' })),
};

export const AppUserBody = Type.Object(members);
export type AppUserInput = Static<typeof AppUserBody>;

export const AssignUserBody = Type.Object({ id: Type.String({ description: 'Of the user.' }), ...members });

export const AssignGroupBody = Type.Object({
  priority: given(Type.Number({ description: 'The lower goes first. Behind the others when left out.' })),
  profile: given(
    Type.Record(Type.String(), Type.Unknown(), { ...FEW, description: 'What the group gives its members.' }),
  ),
});
export type AssignGroupInput = Static<typeof AssignGroupBody>;

export const PatchGroupBody = Type.Array(
  Type.Object({
    op: Type.Optional(Type.String({ description: '`replace` or `remove`.' })),
    path: Type.Optional(Type.String({ maxLength: 512, description: '`/priority`, `/profile` or an attribute of it.' })),
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
    password: Type.Optional(Type.Object({}, { description: 'Empty; a password is set.' })),
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
