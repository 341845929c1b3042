import { createJobRunner, type Job, type JobAgain, type JobReport, type JobRunner } from '../../platform/jobs/index.ts';
import { SINK_JOB } from './change-sink.ts';
import { SINK_BACKOFF, SinkTurn, type TurnPorts } from './delivery/sink-turn.ts';
import { FenceLostError, takeSink } from './store.ts';

export interface SinkEngineOptions
  extends Omit<TurnPorts, 'latestCheckpoint' | 'deliveryMilliseconds' | 'sliceMilliseconds'> {
  /** By default, batches contain no checkpoint. */
  readonly latestCheckpoint?: TurnPorts['latestCheckpoint'];
  readonly deliveryMilliseconds?: number;
  readonly sliceMilliseconds?: number;
  /** The maximum number of sinks that this process serves at a time. */
  readonly concurrency?: number;
  readonly leaseMilliseconds?: number;
  readonly onFinished?: (report: JobReport) => void;
  readonly onError?: (error: unknown) => void;
}

const CONCURRENCY = 8;
/** The lease of a sink's job. Unless the lease is renewed in time, another process may take over the job. */
const LEASE_MILLISECONDS = 15_000;
const DELIVERY_MILLISECONDS = 30_000;
const SLICE_MILLISECONDS = 10_000;
/**
 * If the runner has started jobs and has free places for more, it waits this long, so that events committed meanwhile
 * are sent in one batch.
 */
const GATHER_MILLISECONDS = 100;
const GRACE_MILLISECONDS = 1_000;

async function runJob(ports: TurnPorts, job: Job): Promise<JobAgain | undefined> {
  const sink = await takeSink(ports.db, job.orgId, String(job.payload['sinkId']));
  if (sink === null) return undefined;
  const { nextAttemptAt } = sink;
  if (nextAttemptAt !== null && nextAttemptAt > ports.clock.now()) return { runAgainAt: nextAttemptAt };
  try {
    return await new SinkTurn(ports, job.orgId, sink, job).run();
  } catch (error) {
    if (!(error instanceof FenceLostError)) throw error;
    // The sink was changed, or taken by another turn. The next turn reads its new state.
    return { runAgainAt: ports.clock.now() };
  }
}

/**
 * Creates the job runner that serves the sinks. It is separate from other job runners, so that a target that hangs does
 * not delay emails.
 */
export function createSinkEngine(options: SinkEngineOptions): JobRunner {
  const ports: TurnPorts = {
    ...options,
    latestCheckpoint: options.latestCheckpoint ?? (() => Promise.resolve(null)),
    deliveryMilliseconds: options.deliveryMilliseconds ?? DELIVERY_MILLISECONDS,
    sliceMilliseconds: options.sliceMilliseconds ?? SLICE_MILLISECONDS,
  };
  return createJobRunner({
    db: options.db,
    clock: options.clock,
    kinds: {
      [SINK_JOB]: {
        run: (job) => runJob(ports, job),
        maximumAttempts: Number.POSITIVE_INFINITY,
        backoff: SINK_BACKOFF,
      },
    },
    concurrency: options.concurrency ?? CONCURRENCY,
    leaseMilliseconds: options.leaseMilliseconds ?? LEASE_MILLISECONDS,
    gatherMilliseconds: GATHER_MILLISECONDS,
    graceMilliseconds: GRACE_MILLISECONDS,
    ...(options.onFinished === undefined ? {} : { onFinished: options.onFinished }),
    ...(options.onError === undefined ? {} : { onError: options.onError }),
  });
}
