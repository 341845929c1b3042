import { Type } from '@sinclair/typebox';

const LogCheckpointSchema = Type.Object(
  {
    position: Type.Integer({ description: 'The position of the last event that it covers. Positions start at 1.' }),
    hash: Type.String({ description: 'The hash of this event in the chain, in base64url.' }),
    created: Type.String({ format: 'date-time' }),
    jws: Type.String({
      description:
        'The statement as a compact JWS, signed with the key of the org. `gatehouse log verify --checkpoint` ' +
        'checks it.',
    }),
  },
  { $id: 'LogCheckpoint', description: 'A signed statement about the System Log.' },
);

export const LogCheckpointsSchema = Type.Array(LogCheckpointSchema);
