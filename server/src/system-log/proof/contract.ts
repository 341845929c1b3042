import { Type } from '@sinclair/typebox';

const LogCheckpointSchema = Type.Object(
  {
    position: Type.Integer({ description: 'Position of the last event that it covers; they count from 1.' }),
    hash: Type.String({ description: "The event's hash in the chain, base64url." }),
    created: Type.String({ format: 'date-time' }),
    jws: Type.String({
      description: "Compact JWS by the org's signing key that says so; `gatehouse log verify --checkpoint` takes it.",
    }),
  },
  { $id: 'LogCheckpoint', description: 'A signed statement about the System Log.' },
);

export const LogCheckpointsSchema = Type.Array(LogCheckpointSchema);
