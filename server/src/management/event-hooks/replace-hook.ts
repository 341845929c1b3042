import { isDeepStrictEqual } from 'node:util';
import { type Context, ownerIdOf } from '../../kernel/context.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { changedRow } from '../resource/index.ts';
import type { EventHookInput } from './contract.ts';
import type { EventHooksPorts } from './create-hook.ts';
import { type HookChannel, readChannel, refuseSecretElsewhere, secretMissing } from './documents/channel-rules.ts';
import { EVENT_CATALOGUE } from './documents/event-catalogue.ts';
import { openHookSecret, sealHookSecret } from './documents/hook-secret.ts';
import { readSubscription } from './documents/subscription-rules.ts';
import { readDescription, readName } from './documents/text-rules.ts';
import { eventHookLifecycle } from './lifecycle.ts';
import { eventHooks } from './resource.ts';
import type { EventHook } from './store.ts';
import { eventHookChange } from './wire.ts';

interface Given {
  readonly channel: HookChannel;
  readonly secret: string | null;
}

/** An unchanged secret keeps its sealed form, so that it does not appear as a change. */
function sealedSecretOf(masterKey: MasterKey, context: Context, before: EventHook, given: Given): Buffer | null {
  const { channel, secret } = given;
  if (channel.authKey === null) return null;
  if (secret === null) {
    if (before.sealedSecret === null) throw secretMissing();
    refuseSecretElsewhere(before.channel, channel);
    return before.sealedSecret;
  }
  if (openHookSecret(masterKey, context.orgId, before) === secret) return before.sealedSecret;
  return sealHookSecret(masterKey, context.orgId, before.id, secret);
}

/**
 * Keeps the status if the body omits it. A hook whose channel or secret changes receives nothing until it is verified
 * again.
 */
export async function replaceEventHook(
  { masterKey, work }: EventHooksPorts,
  context: Context,
  id: string,
  input: EventHookInput,
): Promise<EventHook> {
  const given = readChannel(input.channel, context.namespace.word);
  const subscription = readSubscription(input.events, EVENT_CATALOGUE);
  return work(context, async (tx, record) => {
    const before = await eventHooks.lock(tx, context, id);
    const sealedSecret = sealedSecretOf(masterKey, context, before, given);
    const isSameChannel = isDeepStrictEqual(given.channel, before.channel) && sealedSecret === before.sealedSecret;
    const after = changedRow(context, before, {
      name: readName(input.name, before.name),
      description: readDescription(input.description, before.description),
      subscription,
      sealedSecret,
      channel: given.channel,
      status: input.status ?? before.status,
      verificationStatus: isSameChannel ? before.verificationStatus : 'UNVERIFIED',
      channelRevision: before.channelRevision + (isSameChannel ? 0 : 1),
      ownerId: ownerIdOf(context.principal),
    });
    await eventHooks.write(tx, context, [before, after], record);
    if (after.status !== before.status) {
      const action = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      const { event } = eventHookLifecycle.transition(action);
      record({ eventType: event, target: [eventHookChange([before, { ...before, status: after.status }])] });
    }
    return after;
  });
}
