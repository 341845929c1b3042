import { type Context, ownerIdOf } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { EventHookInput } from './contract.ts';
import { readChannel, secretMissing } from './documents/channel-rules.ts';
import { EVENT_CATALOGUE } from './documents/event-catalogue.ts';
import { sealHookSecret } from './documents/hook-secret.ts';
import { readSubscription } from './documents/subscription-rules.ts';
import { readDescription, readName } from './documents/text-rules.ts';
import { eventHooks } from './resource.ts';
import type { EventHook } from './store.ts';

export type EventHooksPorts = Pick<Foundation, 'work' | 'masterKey'>;

function draft(masterKey: MasterKey, context: Context, input: EventHookInput): EventHook {
  const { namespace, orgId } = context;
  const { channel, secret } = readChannel(input.channel, namespace.word);
  if (channel.authKey !== null && secret === null) throw secretMissing();
  const now = wholeSecond(context.now);
  const id = newId('eventHook', orgSuffixOf(orgId));
  return {
    id,
    name: readName(input.name),
    description: readDescription(input.description),
    // Every new hook is ACTIVE, whatever status the body contains, but receives nothing before it is verified.
    status: 'ACTIVE',
    verificationStatus: 'UNVERIFIED',
    subscription: readSubscription(input.events, EVENT_CATALOGUE),
    channel,
    channelRevision: 1,
    sealedSecret: secret === null ? null : sealHookSecret(masterKey, orgId, id, secret),
    createdAt: now,
    createdBy: context.actor.id,
    ownerId: ownerIdOf(context.principal),
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
}

export const createEventHook = async (
  { masterKey, work }: EventHooksPorts,
  context: Context,
  input: EventHookInput,
): Promise<EventHook> => eventHooks.create(work, context, draft(masterKey, context, input));
