import { parseDateTime } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { outOfRange } from '../../kernel/errors/field-errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../relay/work.ts';
import type { Target } from '../write/event.ts';
import { enqueueSink } from './change-sink.ts';
import type { ReplayInput } from './contract.ts';
import { findFirstRetained, findFirstSince, findHeadPlace, type LedgerPlace } from './delivery/deliveries-store.ts';
import { lockSink, moveSink } from './store.ts';

const EARLIEST = new Date(0);

async function placeAt(tx: Tx, context: Context, position: number): Promise<LedgerPlace> {
  const head = await findHeadPlace(tx, context.orgId);
  const last = head?.position ?? 0;
  const first = (await findFirstRetained(tx, context.orgId))?.position ?? last + 1;
  if (position < first || position > last + 1) {
    throw outOfRange('position', first, last + 1);
  }
  if (head !== null && position === last + 1) return head;
  return { position: position - 1, persistedAt: EARLIEST };
}

async function placeSince(tx: Tx, context: Context, text: string): Promise<LedgerPlace> {
  const since = parseDateTime(text);
  if (since === undefined) throw invalid('since', 'must be an ISO 8601 date-time.');
  if (since > context.now) throw invalid('since', 'must not be in the future.');
  const first = await findFirstSince(tx, context.orgId, since);
  if (first !== null) return { position: first.position - 1, persistedAt: first.persistedAt };
  return (await findHeadPlace(tx, context.orgId)) ?? { position: 0, persistedAt: EARLIEST };
}

/** Moves an active sink to a position or time. */
export async function replaySink(work: Work, context: Context, target: Target, input: ReplayInput): Promise<void> {
  const { position, since } = input;
  if (position === undefined && since === undefined)
    throw invalid('position', 'One of position and since is required.');
  if (position !== undefined && since !== undefined) {
    throw invalid('since', 'must not be combined with position.');
  }
  await work(context, async (tx, record) => {
    const sink = await lockSink(tx, context.orgId, target.id);
    if (sink?.status !== 'ACTIVE') throw invalid('status', 'Events are delivered only while the sink is active.');
    const place =
      since === undefined ? await placeAt(tx, context, position ?? 0) : await placeSince(tx, context, since);
    await moveSink(tx, context.orgId, target.id, place);
    await enqueueSink(tx, context.orgId, target.id);
    record({
      eventType: 'system.log.delivery.replay',
      target: [target],
      debugData: { fromPosition: String(sink.position + 1), toPosition: String(place.position + 1) },
    });
  });
}
