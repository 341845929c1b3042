import { type Static, Type } from '@sinclair/typebox';

export const ApiTokenIdParams = Type.Object({ apiTokenId: Type.String() });

const Network = Type.Object({
  connection: Type.Optional(Type.String()),
  include: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  exclude: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
});

export const ApiTokenUpdateBody = Type.Object({
  name: Type.Optional(Type.String({ description: 'It has at most 255 characters.' })),
  network: Type.Optional(Network),
});
export type ApiTokenUpdateInput = Static<typeof ApiTokenUpdateBody>;

export const ApiTokenSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  userId: Type.String(),
  clientName: Type.String(),
  tokenWindow: Type.String(),
  network: Network,
  expiresAt: Type.String({ format: 'date-time' }),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const ApiTokenListSchema = Type.Array(ApiTokenSchema);
