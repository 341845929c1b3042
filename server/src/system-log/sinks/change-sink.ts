import type { OrgId } from '../../kernel/words/ids.ts';
import { enqueue, forget } from '../../platform/jobs/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { SinkKind } from './sink.ts';
import { removeSink, setSinkStopped, upsertSink } from './store.ts';

/** The kind of job that serves one sink. The sink's id is the job's dedupe key. */
export const SINK_JOB = 'log.sink';

/** The job is overdue from the start, so that a sink that was just started or moved does not wait for other sinks. */
const AT_ONCE = new Date(0);

export const enqueueSink = (tx: Tx, orgId: OrgId, id: string): Promise<void> =>
  enqueue(tx, orgId, { kind: SINK_JOB, payload: { sinkId: id }, dedupeKey: id, runAt: AT_ONCE });

/**
 * Starts deliveries after `position`, or after the end of the log if `position` is missing or beyond it. Keeps dead
 * letters and the delivery log.
 */
export async function startSink(
  tx: Tx,
  orgId: OrgId,
  sink: { readonly id: string; readonly kind: SinkKind; readonly position?: number },
): Promise<void> {
  await upsertSink(tx, orgId, { id: sink.id, kind: sink.kind, position: sink.position ?? null });
  await enqueueSink(tx, orgId, sink.id);
}

/** Stops deliveries. A delivery in progress may still reach the target. The cursor and the delivery log are kept. */
export async function stopSink(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await setSinkStopped(tx, orgId, id);
  await forget(tx, orgId, { kind: SINK_JOB, dedupeKey: id });
}

/** Removes a sink with its cursor, delivery log, dead letters and job. */
export async function dropSink(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await removeSink(tx, orgId, id);
  await forget(tx, orgId, { kind: SINK_JOB, dedupeKey: id });
}
