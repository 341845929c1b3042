import { Type } from '@sinclair/typebox';
import { APP_STATUSES, type AppStatus } from '../lifecycle.ts';

export const SecretIdParams = Type.Object({ appId: Type.String(), secretId: Type.String() });

const Status = Type.Unsafe<AppStatus>({ type: 'string', enum: [...APP_STATUSES] });

export const SecretBody = Type.Object({
  client_secret: Type.Optional(Type.String({ description: '14 to 100 characters; made when it is left out.' })),
  status: Type.Optional(Status),
});

export const SecretSchema = Type.Object({
  id: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  status: Status,
  client_secret: Type.Optional(
    Type.String({ description: 'Where it was just made, and where the caller may read secrets.' }),
  ),
  secret_hash: Type.String({ description: 'Tells secrets apart; nothing can be learnt from it.' }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const SecretListSchema = Type.Array(SecretSchema);
