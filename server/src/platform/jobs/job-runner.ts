import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../postgres/index.ts';
import { backoffMilliseconds, JOB_BACKOFF } from './backoff.ts';
import { type Claimed, claim } from './cross-org-store.ts';
import { HeldLease } from './held-lease.ts';
import { INSTALLATION, type Job, type JobAgain, type JobKind, JobRefusedError } from './job.ts';
import { SlowOrgs } from './slow-orgs.ts';
import { complete, type Lease, postpone, schedule } from './store.ts';

export type JobResult = 'done' | 'retried' | 'dead' | 'lost';

export interface JobReport {
  readonly kind: string;
  readonly result: JobResult;
  readonly milliseconds: number;
  readonly error?: unknown;
}

export interface JobRunnerOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly kinds: Readonly<Record<string, JobKind>>;
  readonly concurrency?: number;
  readonly leaseMilliseconds?: number;
  /** The pause after a claim that started jobs and left places free, so that the next claim takes more jobs at once. */
  readonly gatherMilliseconds?: number;
  /** Orgs whose recent jobs took at least this long in total are served after the others. */
  readonly slowMilliseconds?: number;
  /** The time for which `stop` waits for running jobs, once before it aborts them and once after that. */
  readonly graceMilliseconds?: number;
  readonly onFinished?: (report: JobReport) => void;
  readonly onError?: (error: unknown) => void;
}

export interface JobRunner {
  readonly kinds: Readonly<Record<string, JobKind>>;
  start(): void;
  wake(): void;
  /** Returns the number of jobs that ran. */
  runDue(): Promise<number>;
  stop(): Promise<void>;
}

const DEFAULTS = {
  concurrency: 4,
  leaseMilliseconds: 20_000,
  graceMilliseconds: 10_000,
  gatherMilliseconds: 0,
  slowMilliseconds: 1_000,
};
/** Claims for slow orgs leave one place in this many free, unless there is only one place. */
const PLACES_FOR_ONE_FREE = 4;
const MAXIMUM_ATTEMPTS = 12;
const SHORTEST_POLL_MILLISECONDS = 100;
const LONGEST_POLL_MILLISECONDS = 2_000;
/** The interval at which the runner makes sure that recurring jobs exist. */
const SCHEDULE_MILLISECONDS = 60_000;
const LONGEST_ERROR_TEXT = 1_000;

const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR_TEXT);

type Settings = JobRunnerOptions & typeof DEFAULTS;

/** The outcome of an attempt. An empty object means success. */
interface Outcome {
  readonly error?: unknown;
  readonly again?: JobAgain;
}

class Execution {
  readonly #options: Settings;
  readonly #running = new Map<Promise<unknown>, AbortController>();
  readonly #slowOrgs: SlowOrgs;

  constructor(options: Settings) {
    this.#options = options;
    this.#slowOrgs = new SlowOrgs(options.slowMilliseconds);
  }

  get free(): number {
    return this.#options.concurrency - this.#running.size;
  }

  /** The number of places that jobs of slow orgs may still take. It can be negative. */
  get freeForSlow(): number {
    const { concurrency } = this.#options;
    return this.free - Math.min(Math.ceil(concurrency / PLACES_FOR_ONE_FREE), concurrency - 1);
  }

  get slowOrgs(): readonly OrgId[] {
    return this.#slowOrgs.all;
  }

  /** `endsAt` is the value of `performance.now()` until which the lease is valid at least. */
  start(claimed: Claimed, endsAt: number): Promise<void> {
    const controller = new AbortController();
    const ended = this.#slowOrgs.began(claimed.orgId);
    const done = this.#run(claimed, controller, endsAt)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#running.delete(done);
        ended();
      });
    this.#running.set(done, controller);
    return done;
  }

  async oneEnded(signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const stopped = once(signal, 'abort', { signal: enough.signal }).catch(() => undefined);
    if (!signal.aborted) await Promise.race([...this.#running.keys(), stopped]);
    enough.abort();
  }

  async drain(graceMilliseconds: number): Promise<void> {
    const ended = Promise.all(this.#running.keys());
    const enough = new AbortController();
    const wait = (milliseconds: number) =>
      delay(milliseconds, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([ended, wait(graceMilliseconds)]);
    for (const controller of this.#running.values()) controller.abort();
    // If a handler ignores the signal, another process takes over the job when its lease ends.
    await Promise.race([ended, wait(graceMilliseconds)]);
    enough.abort();
  }

  async #run(claimed: Claimed, controller: AbortController, endsAt: number): Promise<void> {
    const startedAt = performance.now();
    const kind = this.#options.kinds[claimed.kind];
    if (kind === undefined) return;
    const held = new HeldLease(this.#options, claimed, endsAt, controller);
    const { isHeld } = held;
    const outcome = isHeld() ? await this.#attempt(kind, claimed, { signal: controller.signal, isHeld }) : {};
    const lease = await held.end();
    const result = lease === null ? 'lost' : await this.#settle(kind, lease, outcome);
    const milliseconds = performance.now() - startedAt;
    const failed = 'error' in outcome ? { error: outcome.error } : {};
    this.#options.onFinished?.({ kind: claimed.kind, result, milliseconds, ...failed });
  }

  async #attempt(kind: JobKind, claimed: Claimed, held: Pick<Job, 'isHeld' | 'signal'>): Promise<Outcome> {
    const { orgId, id, payload, attempt } = claimed;
    // A job that kills its process reports no failure, so the number of its attempts is checked here.
    if (attempt > this.#maximumAttempts(kind)) {
      return { error: new JobRefusedError(claimed.lastError ?? 'the process ended while it ran') };
    }
    try {
      const again = await kind.run({ orgId, id, kind: claimed.kind, payload, attempt, ...held });
      return again === undefined ? {} : { again };
    } catch (error) {
      return { error };
    }
  }

  #maximumAttempts(kind: JobKind): number {
    return kind.maximumAttempts ?? MAXIMUM_ATTEMPTS;
  }

  async #settle(kind: JobKind, lease: Lease, outcome: Outcome): Promise<JobResult> {
    const { db, clock } = this.#options;
    const after = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);
    if (outcome.again !== undefined) {
      const { runAgainAt } = outcome.again;
      await postpone(db, lease, { runAt: runAgainAt, error: null, fresh: true, whatever: true });
      return 'done';
    }
    if (!('error' in outcome)) {
      if (kind.everyMilliseconds === undefined) await complete(db, lease);
      else await postpone(db, lease, { runAt: after(kind.everyMilliseconds), error: null, fresh: true });
      return 'done';
    }
    const error = textOf(outcome.error);
    const isOver = outcome.error instanceof JobRefusedError || lease.attempt >= this.#maximumAttempts(kind);
    if (!isOver) {
      const pause = backoffMilliseconds(lease.attempt, kind.backoff ?? JOB_BACKOFF);
      await postpone(db, lease, { runAt: after(pause), error, fresh: false });
      return 'retried';
    }
    if (kind.everyMilliseconds !== undefined) {
      await postpone(db, lease, { runAt: after(kind.everyMilliseconds), error, fresh: true });
      return 'retried';
    }
    await postpone(db, lease, { runAt: 'never', error, fresh: false });
    return 'dead';
  }
}

/** Starts due jobs in free places: first those of orgs that are not slow, then those of slow orgs, the slowest last. */
async function claimFor(execution: Execution, options: Settings): Promise<Promise<void>[]> {
  const { clock, db, leaseMilliseconds } = options;
  const kinds = Object.keys(options.kinds);
  const start = async (limit: number, except: readonly OrgId[]): Promise<Promise<void>[]> => {
    if (limit <= 0 || kinds.length === 0) return [];
    const endsAt = performance.now() + leaseMilliseconds;
    const claimed = await claim(db, { now: clock.now(), kinds, except, leaseMilliseconds, limit });
    return claimed.map((one) => execution.start(one, endsAt));
  };
  let behind = execution.slowOrgs;
  const started = await start(execution.free, behind);
  while (behind.length > 0) {
    behind = behind.slice(0, Math.floor(behind.length / 2));
    started.push(...(await start(execution.freeForSlow, behind)));
  }
  return started;
}

/** Creates a runner. Several processes may run jobs, because `skip locked` and leases divide the jobs between them. */
export function createJobRunner(given: JobRunnerOptions): JobRunner {
  const options: Settings = { ...DEFAULTS, ...given };
  const execution = new Execution(options);
  const stopping = new AbortController();
  let wakeUp = new AbortController();
  let running: Promise<void> | null = null;
  let poll = SHORTEST_POLL_MILLISECONDS;

  const claimDue = (): Promise<Promise<void>[]> => claimFor(execution, options);

  async function sleep(): Promise<void> {
    await delay(poll, undefined, { signal: wakeUp.signal }).catch(() => undefined);
    if (wakeUp.signal.aborted) wakeUp = new AbortController();
  }

  async function gather(): Promise<void> {
    if (options.gatherMilliseconds === 0) return;
    await delay(options.gatherMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function scheduleRecurring(): Promise<void> {
    for (const [name, kind] of Object.entries(options.kinds)) {
      if (kind.everyMilliseconds === undefined) continue;
      const now = options.clock.now();
      const latest = new Date(now.getTime() + kind.everyMilliseconds + 2 * JOB_BACKOFF.longest);
      await schedule(options.db, INSTALLATION, name, { runAt: now, latest });
    }
  }

  async function loop(): Promise<void> {
    let scheduledAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() - scheduledAt > SCHEDULE_MILLISECONDS) {
          await scheduleRecurring();
          scheduledAt = performance.now();
        }
        const started = await claimDue();
        poll = started.length > 0 ? SHORTEST_POLL_MILLISECONDS : Math.min(poll * 1.5, LONGEST_POLL_MILLISECONDS);
        if (execution.free === 0) await execution.oneEnded(stopping.signal);
        else if (started.length === 0) await sleep();
        else await gather();
      } catch (error) {
        options.onError?.(error);
        poll = LONGEST_POLL_MILLISECONDS;
        await sleep();
      }
    }
  }

  return {
    kinds: options.kinds,
    start: () => {
      running ??= loop();
    },
    wake: () => wakeUp.abort(),
    runDue: async () => {
      const started = await claimDue();
      await Promise.all(started);
      return started.length;
    },
    stop: async () => {
      stopping.abort();
      wakeUp.abort();
      await running;
      await execution.drain(options.graceMilliseconds);
    },
  };
}
