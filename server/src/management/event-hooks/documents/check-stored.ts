import type { Context } from '../../../kernel/context.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import { isAbsent, type Members } from '../../../kernel/words/members.ts';
import { assertIsOf } from '../../../platform/http/index.ts';
import { EventHookBody } from '../contract.ts';
import { wireChannel, wireSubscription } from '../wire.ts';
import { type HookChannel, readChannel } from './channel-rules.ts';
import { EVENT_CATALOGUE } from './event-catalogue.ts';
import { readSubscription, type Subscription } from './subscription-rules.ts';
import { readDescription, readName } from './text-rules.ts';

export function checkStoredEventHook(row: Members, { namespace }: Context): void {
  const channel = row['channel'] as HookChannel;
  const subscription = row['subscription'] as Subscription;
  const description = isAbsent(row['description']) ? null : row['description'];
  const body: unknown = {
    name: row['name'],
    description,
    channel: wireChannel(channel),
    events: wireSubscription(subscription),
  };
  assertIsOf(EventHookBody, body);
  readName(body.name, body.name);
  readDescription(body.description);
  assertReadsAsStored('channel', channel, readChannel(body.channel, namespace.word).channel);
  assertReadsAsStored('subscription', subscription, readSubscription(body.events, EVENT_CATALOGUE));
}
