import { randomBytes } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { OutboundAnswer } from '../../../platform/outbound/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { changedRow } from '../../resource/index.ts';
import type { EventHooksPorts } from '../create-hook.ts';
import { openHookSecret } from '../documents/hook-secret.ts';
import { eventHookLifecycle } from '../lifecycle.ts';
import { eventHooks, getEventHook } from '../resource.ts';
import type { EventHook } from '../store.ts';
import { eventHookChange } from '../wire.ts';
import { failureText, type HookOutbound, headersOf, hookHeader, type NoAnswer, sendTwice } from './hook-request.ts';

export interface VerifyPorts extends EventHooksPorts {
  readonly db: Db;
  readonly outbound: HookOutbound;
}

const CHALLENGE_BYTES = 32;

function verificationIn(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'verification')
      ? Reflect.get(answer, 'verification')
      : undefined;
  } catch {
    return undefined;
  }
}

const isAnswered = (outcome: OutboundAnswer | NoAnswer): outcome is OutboundAnswer =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300;

/** Returns the reason for a failure, or null if the host repeated the random value. */
async function challenge(ports: VerifyPorts, context: Context, hook: EventHook): Promise<Problem | null> {
  const value = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const secret = openHookSecret(ports.masterKey, context.orgId, hook);
  const headers = headersOf(hook.channel, secret, {
    Accept: 'application/json',
    [hookHeader(context.namespace, 'Verification-Challenge')]: value,
  });
  const outcome = await sendTwice(
    ports.outbound,
    { orgId: context.orgId, method: 'GET', url: hook.channel.uri, headers },
    (first) => !isAnswered(first) && !('reason' in first && first.reason === 'address'),
  );
  if (!isAnswered(outcome)) return failureText(outcome);
  return verificationIn(outcome.body) === value ? null : 'The host did not answer with the value of the challenge.';
}

const refusal = (cause: Problem): ApiError => invalid('channel.config.uri', cause);

/** Asks the host of an ACTIVE hook, outside of a transaction, to repeat a value. */
export async function verifyEventHook(ports: VerifyPorts, context: Context, id: string): Promise<EventHook> {
  const asked = await getEventHook(ports.db, context, id);
  if (!eventHookLifecycle.allows(asked.status, 'verify')) {
    throw invalid('status', 'Only an ACTIVE event hook can be verified.');
  }
  const problem = await challenge(ports, context, asked);
  const outcome = await ports.work(context, async (tx, record) => {
    const before = await eventHooks.lock(tx, context, id);
    const isSame = before.channelRevision === asked.channelRevision && before.status === asked.status;
    const reason: Problem | null = problem ?? (isSame ? null : 'The event hook has been changed in the meantime.');
    const { event } = eventHookLifecycle.transition('verify');
    if (reason !== null) {
      const target = [eventHookChange([before, before])];
      record({ eventType: event, target, outcome: { result: 'FAILURE', reason } });
      // The error is returned and thrown later, so that the event of this attempt is committed.
      return refusal(reason);
    }
    const after = changedRow(context, before, { verificationStatus: 'VERIFIED' });
    return eventHooks.write(tx, context, [before, after], record, event);
  });
  if (outcome instanceof Error) throw outcome;
  return outcome;
}
