import { Type } from '@sinclair/typebox';

export const UserParams = Type.Object({ userId: Type.String() });
export const UserGrantParams = Type.Object({ userId: Type.String(), grantId: Type.String() });
export const UserClientParams = Type.Object({ userId: Type.String(), clientId: Type.String() });
export const ServerParams = Type.Object({ authServerId: Type.String() });

const date = Type.String({ format: 'date-time' });
const scope = Type.Object({
  id: Type.String(),
  name: Type.String(),
  displayName: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  _links: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const links = Type.Record(Type.String(), Type.Unknown());

export const UserGrantSchema = Type.Object({
  id: Type.String(),
  status: Type.Literal('ACTIVE'),
  created: date,
  createdBy: Type.Object({ id: Type.String(), type: Type.String() }),
  lastUpdated: date,
  issuer: Type.String(),
  clientId: Type.String(),
  userId: Type.String(),
  scopeId: Type.String(),
  source: Type.Union([Type.Literal('END_USER'), Type.Literal('ADMIN')]),
  _embedded: Type.Optional(Type.Object({ scope })),
  _links: links,
});
export const UserGrantListSchema = Type.Array(UserGrantSchema);

export const RefreshTokenSchema = Type.Object({
  id: Type.String(),
  status: Type.Literal('ACTIVE'),
  created: date,
  lastUpdated: date,
  expiresAt: date,
  issuer: Type.String(),
  clientId: Type.String(),
  userId: Type.String(),
  scopes: Type.Array(Type.String()),
  _embedded: Type.Optional(Type.Object({ scopes: Type.Array(scope) })),
  _links: links,
});
export const RefreshTokenListSchema = Type.Array(RefreshTokenSchema);

export const ListedClientSchema = Type.Object({
  client_id: Type.String(),
  client_name: Type.String(),
  client_uri: Type.Union([Type.String(), Type.Null()]),
  logo_uri: Type.Union([Type.String(), Type.Null()]),
  _links: links,
});
export const ListedClientListSchema = Type.Array(ListedClientSchema);

/** The fields are `request`, `token`, `asked`, `decision`, and one for each optional scope that is checked. */
export const ConsentForm = Type.Record(Type.String(), Type.String());
