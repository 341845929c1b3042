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
  description: 'Whether the address is verified. An `UNVERIFIED` hook receives no events.',
});
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

const FilterInput = Type.Object({
  type: Type.Optional(Type.String({ description: 'The type of the filter, which is `EXPRESSION_LANGUAGE`.' })),
  eventFilterMap: Type.Optional(
    Type.Array(
      Type.Object({
        event: Type.String({ description: 'The event type, which is one of `items`.' }),
        condition: Type.Object({
          expression: Type.String({
            description: 'A filter expression of the System Log. Events that do not match are not sent.',
          }),
          version: Type.Optional(orNull(Type.String())),
        }),
      }),
    ),
  ),
});

const SubscriptionInputSchema = Type.Object({
  type: Type.String({ description: 'The type of the subscription, which is `EVENT_TYPE`.' }),
  items: Type.Array(Type.String(), { description: 'From 1 to 300 event types.' }),
  filter: Type.Optional(orNull(FilterInput)),
});
export type SubscriptionInput = Static<typeof SubscriptionInputSchema>;

const HeaderInput = Type.Object({ key: Type.String(), value: Type.String() });

const ChannelInputSchema = Type.Object({
  type: Type.String({ description: 'The type of the channel, which is `HTTP`.' }),
  version: Type.String({ description: 'The version of the channel, which is `1.0.0`.' }),
  config: Type.Object({
    uri: Type.String({ description: 'The https address that gets the events, at most 1,024 characters.' }),
    method: Type.Optional(Type.String({ description: 'The method of the requests, which is `POST`.' })),
    headers: Type.Optional(orNull(Type.Array(HeaderInput))),
    authScheme: Type.Optional(
      orNull(
        Type.Object({
          type: Type.Optional(Type.String({ description: 'The type of the authentication, which is `HEADER`.' })),
          key: Type.Optional(
            Type.String({ description: 'The name of the header, which is `Authorization` by default.' }),
          ),
          value: Type.Optional(Type.String({ description: 'The value of the header. No response contains it.' })),
        }),
      ),
    ),
  }),
});
export type ChannelInput = Static<typeof ChannelInputSchema>;

export const EventHookBody = Type.Object({
  name: Type.String({ description: 'It has at most 255 characters.' }),
  description: Type.Optional(orNull(Type.String({ description: 'It has at most 1,024 characters.' }))),
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
