import { Type } from '@sinclair/typebox';
import { APP_STATUSES, type AppStatus } from '../lifecycle.ts';

export const SecretIdParams = Type.Object({ appId: Type.String(), secretId: Type.String() });

const Status = Type.Unsafe<AppStatus>({ type: 'string', enum: [...APP_STATUSES] });

export const SecretBody = Type.Object({
  client_secret: Type.Optional(
    Type.String({ description: 'The secret, of 14 to 100 characters. The service makes one if it is left out.' }),
  ),
  status: Type.Optional(Status),
});

export const SecretSchema = Type.Object({
  id: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  status: Status,
  client_secret: Type.Optional(
    Type.String({
      description: 'The secret. The response contains it if it has just been made, or if the caller may read secrets.',
    }),
  ),
  secret_hash: Type.String({ description: 'A hash that tells secrets apart. It reveals nothing about the secret.' }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const SecretListSchema = Type.Array(SecretSchema);
