import { type Static, Type } from '@sinclair/typebox';

const Position = Type.Integer({ minimum: 0 });
const orNull = <Schema extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: 'date-time' });

export const DeliveryListSchema = Type.Array(
  Type.Object({
    id: Type.String({ description: 'The id of the batch, which stays the same when the batch is sent again.' }),
    attempt: Type.Integer({ minimum: 1 }),
    outcome: Type.String({
      description:
        '`DELIVERED`, `FAILED` or `REFUSED`. A failed batch is sent again. A refused batch is sent again in ' +
        'halves, and a single refused event becomes a dead letter.',
    }),
    status: orNull(Type.Integer()),
    reason: orNull(Type.String()),
    firstPosition: Position,
    lastPosition: Position,
    events: Type.Integer({ minimum: 1 }),
    attempted: DateTime,
    milliseconds: Type.Integer({ minimum: 0 }),
  }),
);

export const DeadLetterListSchema = Type.Array(
  Type.Object({
    firstPosition: Position,
    lastPosition: Position,
    uuid: orNull(
      Type.String({ description: 'The id of the event. It is `null` for a range of events that have left the log.' }),
    ),
    eventType: orNull(Type.String()),
    reason: Type.String(),
    status: orNull(Type.Integer()),
    created: DateTime,
  }),
);

export const DeliveryStateSchema = Type.Object({
  status: Type.String({
    description: 'The status of the delivery: `ACTIVE`, `STOPPED`, or `NEW` if it has never been started.',
  }),
  position: orNull(
    Type.Integer({ description: 'The position of the last event that was delivered, filtered out or set aside.' }),
  ),
  head: orNull(Type.Integer({ description: 'The position of the newest event of the org.' })),
  lag: orNull(Type.Integer({ description: 'The number of events between `position` and `head`.' })),
  failures: Type.Integer({ description: 'The number of failed attempts since the last success.' }),
  failingSince: orNull(DateTime),
  nextAttempt: orNull(DateTime),
  lastError: orNull(Type.String()),
  lastStatus: orNull(Type.Integer()),
  lastDelivered: orNull(DateTime),
});

export const ReplayBody = Type.Object({
  position: Type.Optional(Type.Integer({ description: 'The position of the first event to deliver.' })),
  since: Type.Optional(
    Type.String({ description: 'A date-time. The delivery starts with the first event that was published since.' }),
  ),
});
export type ReplayInput = Static<typeof ReplayBody>;
