import { type Static, Type } from '@sinclair/typebox';
import {
  EVENT_HOOK_STATUSES,
  type EventHookStatus,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from './lifecycle.ts';

export const EventHookIdParams = Type.Object({ eventHookId: Type.String() });

const Status = Type.Unsafe<EventHookStatus>({ type: 'string', enum: [...EVENT_HOOK_STATUSES] });
const Verification = Type.Unsafe<VerificationStatus>({
  type: 'string',
  enum: [...VERIFICATION_STATUSES],
  description: 'UNVERIFIED hooks receive nothing.',
});
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

const FilterInput = Type.Object({
  type: Type.Optional(Type.String({ description: 'EXPRESSION_LANGUAGE.' })),
  eventFilterMap: Type.Optional(
    Type.Array(
      Type.Object({
        event: Type.String({ description: 'One of `items`.' }),
        condition: Type.Object({
          expression: Type.String({ description: 'Filter expression of the System Log; other events are not sent.' }),
          version: Type.Optional(orNull(Type.String())),
        }),
      }),
    ),
  ),
});

const SubscriptionInputSchema = Type.Object({
  type: Type.String({ description: 'EVENT_TYPE.' }),
  items: Type.Array(Type.String(), { description: 'Event types, 1 to 300.' }),
  filter: Type.Optional(orNull(FilterInput)),
});
export type SubscriptionInput = Static<typeof SubscriptionInputSchema>;

const HeaderInput = Type.Object({ key: Type.String(), value: Type.String() });

const ChannelInputSchema = Type.Object({
  type: Type.String({ description: 'HTTP.' }),
  version: Type.String({ description: '1.0.0.' }),
  config: Type.Object({
    uri: Type.String({ description: 'Where events are sent: https, at most 1,024 characters.' }),
    method: Type.Optional(Type.String({ description: 'POST.' })),
    headers: Type.Optional(orNull(Type.Array(HeaderInput))),
    authScheme: Type.Optional(
      orNull(
        Type.Object({
          type: Type.Optional(Type.String({ description: 'HEADER.' })),
          key: Type.Optional(Type.String({ description: 'Name of the header; Authorization where it is left out.' })),
          value: Type.Optional(Type.String({ description: 'Its value; never returned.' })),
        }),
      ),
    ),
  }),
});
export type ChannelInput = Static<typeof ChannelInputSchema>;

export const EventHookBody = Type.Object({
  name: Type.String({ description: 'At most 255 characters.' }),
  description: Type.Optional(orNull(Type.String({ description: 'At most 1,024 characters.' }))),
  status: Type.Optional(Status),
  events: SubscriptionInputSchema,
  channel: ChannelInputSchema,
});
export type EventHookInput = Static<typeof EventHookBody>;

export const EventHookSchema = Type.Object({
  id: Type.String(),
  status: Status,
  verificationStatus: Verification,
  name: Type.String(),
  description: orNull(Type.String()),
  created: Type.String({ format: 'date-time' }),
  createdBy: Type.String(),
  lastUpdated: Type.String({ format: 'date-time' }),
  events: Type.Object({ type: Type.String(), items: Type.Array(Type.String()), filter: orNull(FilterInput) }),
  channel: Type.Object({
    type: Type.String(),
    version: Type.String(),
    config: Type.Object({
      uri: Type.String(),
      headers: Type.Array(HeaderInput),
      method: Type.String(),
      authScheme: Type.Optional(Type.Object({ type: Type.String(), key: Type.String() })),
    }),
  }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

export const EventHookListSchema = Type.Array(EventHookSchema);
