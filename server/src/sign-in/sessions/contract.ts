import { Type } from '@sinclair/typebox';

export const SessionIdParams = Type.Object({ sessionId: Type.String() });
export const SessionsOfUserParams = Type.Object({ userId: Type.String() });

export const CreateSessionBody = Type.Object({
  sessionToken: Type.String({
    description: 'The session token of a finished sign-in. It can be used once, within five minutes.',
  }),
});

const dateTime = Type.String({ format: 'date-time' });

export const SessionSchema = Type.Object({
  id: Type.String(),
  login: Type.String(),
  userId: Type.String(),
  createdAt: dateTime,
  expiresAt: dateTime,
  status: Type.Literal('ACTIVE'),
  lastPasswordVerification: Type.Union([dateTime, Type.Null()]),
  lastFactorVerification: Type.Union([dateTime, Type.Null()]),
  amr: Type.Array(Type.String()),
  idp: Type.Object({ id: Type.String(), type: Type.String() }),
  mfaActive: Type.Boolean(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
