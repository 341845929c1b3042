import { type Static, Type } from '@sinclair/typebox';
import { USER_STATUSES, type UserStatus } from '../../kernel/user-statuses.ts';

/** `id` can also be a login, a short login, or `me`. */
export const UserIdParams = Type.Object({ id: Type.String() });

const Nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

const MAXIMUM_ATTRIBUTES = 1_000;
const Profile = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MAXIMUM_ATTRIBUTES,
  description: 'The attributes of the profile, by name.',
});

const MAXIMUM_COST = 'A hash that takes more than about 250 ms to check is refused';

export const PasswordHashSchema = Type.Object({
  algorithm: Type.String({
    description: 'The hash algorithm: `BCRYPT`, `PBKDF2`, `SHA-512`, `SHA-256`, `SHA-1` or `MD5`.',
  }),
  salt: Type.Optional(Type.String()),
  saltOrder: Type.Optional(Type.String()),
  workFactor: Type.Optional(Type.Integer({ description: `The cost of \`BCRYPT\`, from 4 to 12. ${MAXIMUM_COST}.` })),
  iterationCount: Type.Optional(
    Type.Integer({
      description:
        'The iterations of `PBKDF2` for each block, from 4,096 to 1,300,000 (`SHA512_HMAC`: 600,000). ' +
        `${MAXIMUM_COST}.`,
    }),
  ),
  keySize: Type.Optional(Type.Integer()),
  digestAlgorithm: Type.Optional(Type.String()),
  value: Type.String(),
});

const PasswordCredential = Type.Object({
  value: Type.Optional(Type.String({ description: 'The password in plain text, at most 72 characters.' })),
  hash: Type.Optional(PasswordHashSchema),
  hook: Type.Optional(Type.Object({ type: Type.Optional(Type.String()) })),
});

const RecoveryQuestion = Type.Object({
  question: Type.String({ minLength: 1, maxLength: 100 }),
  answer: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

const Provider = Type.Object({ type: Type.String(), name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))) });

const Credentials = Type.Object({
  password: Type.Optional(PasswordCredential),
  recovery_question: Type.Optional(RecoveryQuestion),
  provider: Type.Optional(Provider),
});
export type CredentialsInput = Static<typeof Credentials>;

export const CreateUserBody = Type.Object({
  profile: Profile,
  credentials: Type.Optional(Credentials),
  groupIds: Type.Optional(Type.Array(Type.String())),
  type: Type.Optional(Type.Object({ id: Type.Optional(Type.String()) })),
  realmId: Type.Optional(Type.String()),
});
export type CreateUserInput = Static<typeof CreateUserBody>;

export const UpdateUserBody = Type.Object({
  profile: Type.Optional(Profile),
  credentials: Type.Optional(Credentials),
  type: Type.Optional(Type.Object({ id: Type.Optional(Type.String()) })),
  realmId: Type.Optional(Type.String()),
});
export type UpdateUserInput = Static<typeof UpdateUserBody>;

const PlainPassword = Type.Object({ value: Type.String() });

export const ChangePasswordBody = Type.Object({
  oldPassword: PlainPassword,
  newPassword: PlainPassword,
  revokeSessions: Type.Optional(
    Type.Boolean({
      description:
        'The sessions of the user end unless this is `false`. After a reset of the password, they always end.',
    }),
  ),
});

export const RecoverPasswordBody = Type.Object({
  password: PlainPassword,
  recovery_question: Type.Object({ answer: Type.String({ minLength: 1, maxLength: 100 }) }),
});

export const UserBlockListSchema = Type.Array(
  Type.Object({
    type: Type.Literal('DEVICE_BASED'),
    appliesTo: Type.Union([Type.Literal('ANY_DEVICES'), Type.Literal('UNKNOWN_DEVICES')]),
  }),
);

export const UserDeviceListSchema = Type.Array(
  Type.Object({
    created: Type.String({ format: 'date-time' }),
    deviceUserId: Type.String(),
    device: Type.Record(Type.String(), Type.Unknown()),
  }),
);

export const ChangeRecoveryQuestionBody = Type.Object({
  password: PlainPassword,
  recovery_question: Type.Object({
    question: Type.String({ minLength: 1, maxLength: 100 }),
    answer: Type.String({ minLength: 1, maxLength: 100 }),
  }),
});

export const UserStatusSchema = Type.Unsafe<UserStatus>({
  type: 'string',
  enum: [...USER_STATUSES],
  description: 'The status of the user. The lifecycle operations change it.',
});

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);

export const UserSchema = Type.Object({
  id: Type.String(),
  status: UserStatusSchema,
  created: Instant,
  activated: InstantOrNull,
  statusChanged: InstantOrNull,
  lastLogin: InstantOrNull,
  lastUpdated: Instant,
  passwordChanged: InstantOrNull,
  type: Type.Object({ id: Type.String() }),
  profile: Profile,
  credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  _embedded: Type.Optional(Type.Object({ blocks: Type.Optional(UserBlockListSchema) })),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

/** The members are optional, because `fields` can select some of them. */
export const UserListSchema = Type.Array(Type.Partial(UserSchema));
export const CredentialsSchema = Type.Record(Type.String(), Type.Unknown());
export const EmptyObject = Type.Object({});
export const ActivationSchema = Type.Object({
  activationUrl: Type.Optional(Type.String()),
  activationToken: Type.Optional(Type.String()),
});
export const ResetPasswordSchema = Type.Object({ resetPasswordUrl: Type.Optional(Type.String()) });
export const TempPasswordSchema = Type.Object({ tempPassword: Type.String() });
export const UserOrTempPasswordSchema = Type.Union([UserSchema, TempPasswordSchema]);
