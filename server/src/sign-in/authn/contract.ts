import { type Static, Type } from '@sinclair/typebox';

const RelayState = Type.Optional(
  Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()], {
    description: 'A value that is returned when the sign-in is finished.',
  }),
);
const StateToken = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The state token of the sign-in in progress.',
});
const Username = Type.String({
  minLength: 1,
  description: 'The login of the user, or the part before its `@` if that is unique.',
});

export const AuthenticateBody = Type.Object({
  username: Type.Optional(Username),
  password: Type.Optional(Type.String({ minLength: 1 })),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'The activation token of the user.' })),
  stateToken: Type.Optional(StateToken),
  relayState: RelayState,
  options: Type.Optional(
    Type.Object({
      multiOptionalFactorEnroll: Type.Optional(Type.Boolean()),
      warnBeforePasswordExpired: Type.Optional(Type.Boolean()),
    }),
  ),
  context: Type.Optional(Type.Object({ deviceToken: Type.Optional(Type.String({ maxLength: 256 })) })),
});
export type AuthenticateInput = Static<typeof AuthenticateBody>;

export const StateTokenBody = Type.Object({ stateToken: StateToken });

export const ChangePasswordBody = Type.Object({
  stateToken: StateToken,
  oldPassword: Type.String(),
  newPassword: Type.String(),
});

export const ResetPasswordBody = Type.Object({ stateToken: StateToken, newPassword: Type.String() });

export const StartRecoveryBody = Type.Object({
  username: Username,
  factorType: Type.Optional(
    Type.String({
      description: 'How the user gets the link. It must be `EMAIL`, and is not needed with an API token.',
    }),
  ),
  relayState: RelayState,
});

export const RecoveryTokenBody = Type.Object({
  recoveryToken: Type.String({ minLength: 1, maxLength: 256 }),
  relayState: RelayState,
});

export const AnswerBody = Type.Object({
  stateToken: StateToken,
  answer: Type.String({ minLength: 1, maxLength: 100 }),
});

/** `factorId` names a factor that the state of the sign-in shows. */
export const FactorParams = Type.Object({ factorId: Type.String() });

const PassCode = Type.String({ minLength: 1, maxLength: 20, description: 'The code of the device or the email.' });

export const EnrollAtSignInBody = Type.Object({
  stateToken: StateToken,
  factorType: Type.String({ maxLength: 50, description: 'The type: `token:software:totp`.' }),
  provider: Type.String({
    maxLength: 50,
    description: 'The provider: the namespace word in capitals, or `GOOGLE` for Google Authenticator.',
  }),
});

export const ActivateAtSignInBody = Type.Object({ stateToken: StateToken, passCode: PassCode });

export const VerifyAtSignInBody = Type.Object({
  stateToken: StateToken,
  passCode: Type.Optional(PassCode),
  answer: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The answer to the security question.' }),
  ),
});

export const CancelledSchema = Type.Object({ relayState: Type.Optional(Type.String()) });

/** The members that are present depend on `status`. */
export const AuthnSchema = Type.Object({
  status: Type.String(),
  stateToken: Type.Optional(Type.String()),
  sessionToken: Type.Optional(Type.String({ description: 'The session token, which opens one session.' })),
  recoveryToken: Type.Optional(Type.String()),
  expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  recoveryType: Type.Optional(Type.String()),
  factorType: Type.Optional(Type.String()),
  factorResult: Type.Optional(Type.String()),
  relayState: Type.Optional(Type.String()),
  _embedded: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  _links: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
