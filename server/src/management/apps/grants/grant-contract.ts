import { Type } from '@sinclair/typebox';

export const GrantIdParams = Type.Object({ appId: Type.String(), grantId: Type.String() });

export const GrantBody = Type.Object({
  issuer: Type.String({ description: 'The address of the org.' }),
  scopeId: Type.String({ description: 'The name of the scope, such as `svc.users.read`.' }),
});

export const GrantSchema = Type.Object({
  id: Type.String(),
  status: Type.String(),
  created: Type.String({ format: 'date-time' }),
  createdBy: Type.Object({ id: Type.String(), type: Type.String() }),
  lastUpdated: Type.String({ format: 'date-time' }),
  issuer: Type.String(),
  clientId: Type.String(),
  scopeId: Type.String(),
  source: Type.String(),
  _embedded: Type.Optional(Type.Object({ scope: Type.Object({ id: Type.String() }) })),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const GrantListSchema = Type.Array(GrantSchema);
