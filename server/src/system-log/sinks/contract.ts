import { type Static, Type } from '@sinclair/typebox';

const Position = Type.Integer({ minimum: 0 });
const orNull = <Schema extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: 'date-time' });

export const DeliveryListSchema = Type.Array(
  Type.Object({
    id: Type.String({ description: 'Of the batch: the same again where the batch was sent again.' }),
    attempt: Type.Integer({ minimum: 1 }),
    outcome: Type.String({
      description:
        'DELIVERED. FAILED: the same batch comes again. REFUSED: it comes again in halves; an event refused alone is ' +
        'a dead letter.',
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
    uuid: orNull(Type.String({ description: 'Of the event; null for a range that had left the log.' })),
    eventType: orNull(Type.String()),
    reason: Type.String(),
    status: orNull(Type.Integer()),
    created: DateTime,
  }),
);

export const DeliveryStateSchema = Type.Object({
  status: Type.String({ description: 'ACTIVE, STOPPED, or NEW: nothing was started yet.' }),
  position: orNull(Type.Integer({ description: 'Everything up to here was delivered, left out or set aside.' })),
  head: orNull(Type.Integer({ description: 'Position of the newest event of the org.' })),
  lag: orNull(Type.Integer({ description: 'The number of events between `position` and `head`.' })),
  failures: Type.Integer({ description: 'Failed attempts since the last success.' }),
  failingSince: orNull(DateTime),
  nextAttempt: orNull(DateTime),
  lastError: orNull(Type.String()),
  lastStatus: orNull(Type.Integer()),
  lastDelivered: orNull(DateTime),
});

export const ReplayBody = Type.Object({
  position: Type.Optional(Type.Integer({ description: 'Position of the first event to deliver.' })),
  since: Type.Optional(Type.String({ description: 'Date-time; delivers what was published since.' })),
});
export type ReplayInput = Static<typeof ReplayBody>;
