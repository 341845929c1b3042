import { type Context, ownerIdOf } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import { limitReached } from '../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { claimIdempotency, waitForOthers } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { EventHookInput } from './contract.ts';
import { readChannel, secretMissing } from './documents/channel-rules.ts';
import { EVENT_CATALOGUE } from './documents/event-catalogue.ts';
import { sealHookSecret } from './documents/hook-secret.ts';
import { readSubscription } from './documents/subscription-rules.ts';
import { readDescription, readName } from './documents/text-rules.ts';
import { countEventHooks, type EventHook, findEventHook, insertEventHook } from './store.ts';
import { eventHookChange } from './wire.ts';

/** Contract section 10. */
export const MAXIMUM_EVENT_HOOKS = 25;

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
    // The contract makes every hook ACTIVE, whatever the body says: unverified ones receive nothing.
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

/**
 * Creates a hook, which receives nothing before it is verified. 400 E0000001 naming the field, and past 25 of them. A
 * repeated `Idempotency-Key` returns what the first request created.
 */
export async function createEventHook(
  { masterKey, work }: EventHooksPorts,
  context: Context,
  input: EventHookInput,
): Promise<EventHook> {
  const hook = draft(masterKey, context, input);
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, hook.id);
    if (earlier !== null) {
      const existing = await findEventHook(tx, orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await waitForOthers(tx, orgId, 'event_hooks');
    if ((await countEventHooks(tx, orgId)) >= MAXIMUM_EVENT_HOOKS) {
      throw limitReached('name', MAXIMUM_EVENT_HOOKS, 'event hooks');
    }
    await insertEventHook(tx, orgId, hook);
    record({ eventType: 'event_hook.created', target: [eventHookChange([null, hook])] });
    return hook;
  });
}
