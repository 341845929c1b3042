import { type Static, Type } from '@sinclair/typebox';
import { TRUSTED_ORIGIN_STATUSES, type TrustedOriginStatus } from './lifecycle.ts';

export const TrustedOriginIdParams = Type.Object({ trustedOriginId: Type.String() });

const Status = Type.Unsafe<TrustedOriginStatus>({ type: 'string', enum: [...TRUSTED_ORIGIN_STATUSES] });

const ScopeInput = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A scope, whose `type` is `CORS`, `REDIRECT` or `IFRAME_EMBED`.',
});

export const TrustedOriginBody = Type.Object({
  name: Type.String({ description: 'It is unique in the org and has at most 255 characters.' }),
  origin: Type.String({ description: 'The scheme (`http` or `https`), the host and the port, as browsers send them.' }),
  scopes: Type.Array(ScopeInput, { description: 'From one to three scopes, for which the origin is trusted.' }),
  status: Type.Optional(Status),
});
export type TrustedOriginInput = Static<typeof TrustedOriginBody>;

export const TrustedOriginSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  origin: Type.String(),
  scopes: Type.Array(Type.Object({ type: Type.String() })),
  status: Status,
  created: Type.String({ format: 'date-time' }),
  createdBy: Type.String(),
  lastUpdated: Type.String({ format: 'date-time' }),
  lastUpdatedBy: Type.String(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

export const TrustedOriginListSchema = Type.Array(TrustedOriginSchema);
