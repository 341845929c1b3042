import { sightOfOwner } from '../../../access/index.ts';
import { type CheckedExpression, matches } from '../../../filter/index.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type OutboundAnswer, retryAfterMilliseconds } from '../../../platform/outbound/index.ts';
import type { DeliveryResult, Foundation, SinkBatch, SinkEvent, SinkProvider } from '../../../system-log/index.ts';
import { EVENT_CATALOGUE } from '../documents/event-catalogue.ts';
import { openHookSecret } from '../documents/hook-secret.ts';
import { compileSubscription } from '../documents/subscription-rules.ts';
import { receivesEvents } from '../lifecycle.ts';
import { EVENT_HOOKS, type EventHook } from '../store.ts';
import { eventHookTarget } from '../wire.ts';
import { envelopeText, hookEventText, outcomeOfStatus } from './delivery-rules.ts';
import { failureText, type HookOutbound, headersOf, hookHeader, type NoAnswer, sendTwice } from './hook-request.ts';
import { signDelivery } from './signature.ts';

export interface HookSinkOptions extends Pick<Foundation, 'db' | 'masterKey' | 'namespace'> {
  readonly outbound: HookOutbound;
  /** The `source` of a delivery begins with this address. */
  readonly addressOf: (orgId: OrgId) => Promise<string>;
}

const MAXIMUM_EVENTS = 100;
const MAXIMUM_BYTES = 512 * 1_024;
const LONGEST_WAIT_MILLISECONDS = 3_600_000;

const wantsBy =
  (wanted: ReadonlyMap<string, CheckedExpression | null>) =>
  ({ body, eventType }: SinkEvent): boolean => {
    const filter = wanted.get(eventType);
    if (filter === undefined) return false;
    return filter === null || matches(filter, JSON.parse(body));
  };

/** The contract requires a second request after a timeout or a 5xx status, but not after a 4xx status. */
const isWorthAnother = (outcome: OutboundAnswer | NoAnswer): boolean =>
  'status' in outcome ? outcome.status >= 500 : outcome.reason === 'timeout';

function resultOf(outcome: OutboundAnswer | NoAnswer, now: Date): DeliveryResult {
  if (!('status' in outcome)) return { outcome: 'failed', status: null, reason: failureText(outcome) };
  const { headers, status } = outcome;
  const meaning = outcomeOfStatus(status);
  if (meaning === 'delivered') return { outcome: meaning, status };
  const reason = failureText(outcome);
  const wait = retryAfterMilliseconds(headers['retry-after'], now, LONGEST_WAIT_MILLISECONDS);
  if (meaning === 'refused' || wait === undefined) return { outcome: meaning, status, reason };
  return { outcome: meaning, status, reason, retryAfterMilliseconds: wait };
}

interface Ready {
  readonly orgId: OrgId;
  readonly hook: EventHook;
  readonly secret: string | null;
  readonly address: string;
}

async function deliver(
  { namespace, outbound }: HookSinkOptions,
  { address, hook, orgId, secret }: Ready,
  batch: SinkBatch,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const body = envelopeText({
    word: namespace.word,
    source: `${address}/api/v1/eventHooks/${hook.id}`,
    eventId: batch.id,
    eventTime: wireDate(batch.now),
    events: batch.events.map((event) => hookEventText(event.body)),
  });
  const signature = secret === null ? null : signDelivery(secret, { id: batch.id, body, at: batch.now });
  const headers = headersOf(hook.channel, secret, {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    ...(signature === null ? {} : { [hookHeader(namespace, 'Hook-Signature')]: signature }),
    ...(batch.checkpoint === null ? {} : { [hookHeader(namespace, 'Log-Checkpoint')]: batch.checkpoint }),
  });
  return resultOf(
    await sendTwice(outbound, { orgId, method: 'POST', url: hook.channel.uri, headers, body, signal }, isWorthAnother),
    batch.now,
  );
}

/** A hook that is INACTIVE or UNVERIFIED cannot be opened, so it receives no events. */
export const createEventHookSinks = (options: HookSinkOptions): SinkProvider => ({
  open: async (orgId, id) => {
    const hook = await EVENT_HOOKS.find(options.db, orgId, id);
    if (hook === undefined || !receivesEvents(hook)) return null;
    const secret = openHookSecret(options.masterKey, orgId, hook);
    const ready = { orgId, hook, secret, address: await options.addressOf(orgId) };
    return {
      maximumEvents: MAXIMUM_EVENTS,
      maximumBytes: MAXIMUM_BYTES,
      target: eventHookTarget(hook),
      showsValues: (await sightOfOwner(options.db, orgId, hook.ownerId)).reach === 'whole',
      wants: wantsBy(compileSubscription(hook.subscription, EVENT_CATALOGUE)),
      deliver: (batch, signal) => deliver(options, ready, batch, signal),
    };
  },
});
