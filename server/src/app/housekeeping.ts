import type { Clock } from '../kernel/clock.ts';
import {
  dropOldAuthorizationCodes,
  dropOldAuthorizationRequests,
  dropOldPendingAuthorizations,
  dropOldRefreshTokens,
  dropOldUsedAssertions,
  dropSpentTokens,
  dropVoidRefreshTokens,
  FIRST_TOKEN,
} from '../oauth/index.ts';
import type { RateLimiter } from '../platform/http/index.ts';
import { type Db, dropOldIdempotencyKeys, dropOldWindows, mergeWindowCounts } from '../platform/postgres/index.ts';
import type { DatabaseLog } from '../process/database/database-log.ts';
import { dropEndedSessions, dropOldSignInRows, type RoutingEvents } from '../sign-in/index.ts';
import { dropOldTraces, type EdgeEvents, type LogTrace } from '../system-log/index.ts';

export interface Housekeeping {
  readonly start: () => void;
  /** Ends the loops, and writes the events and the last uses of API tokens that are still in memory. */
  readonly stop: () => Promise<void>;
  /** Merges this process's rate-limit counts once with the counts of the other processes. */
  readonly mergeLimits: () => Promise<void>;
  /** Drops expired rows of all orgs. If a step fails, the later steps still run, and then AggregateError is thrown. */
  readonly sweep: () => Promise<void>;
}

export interface HousekeepingOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly limiter: Pick<RateLimiter, 'pendingDeltas' | 'applyTotals'>;
  readonly edgeEvents: Pick<EdgeEvents, 'flush'>;
  readonly routingEvents: Pick<RoutingEvents, 'flush'>;
  readonly apiTokens: { readonly flushLastUsed: () => Promise<void> };
  readonly logTrace: Pick<LogTrace, 'settled'>;
  /** The services that keep copies of their data for a database outage. */
  readonly kept: readonly { readonly refreshKept: () => Promise<void> }[];
  readonly databaseLog: Pick<DatabaseLog, 'failed'>;
}

const MERGE_MILLISECONDS = 250;
const FLUSH_MILLISECONDS = 5_000;
const SWEEP_MILLISECONDS = 60_000;
const REFRESH_MILLISECONDS = 30_000;
const WINDOWS_KEPT_MILLISECONDS = 10 * 60_000;
/** The maximum number of batches that one sweep drops from a table. */
const MAXIMUM_BATCHES = 20;
const KEYS_KEPT_MILLISECONDS = 25 * 60 * 60_000;
/** Counters must be kept for longer than the windows in which sign-in attempts are counted. */
const SIGN_INS_KEPT_MILLISECONDS = 60 * 60_000;

/** The maximum number of batches of refresh tokens that one sweep searches for void ones. */
const WALK_BATCHES = 4;

/** Codes are kept this long after they expire, because a second use of a code voids the tokens of its first use. */
const CODES_KEPT_MILLISECONDS = 60 * 60_000;

interface Loop {
  readonly stop: () => Promise<void>;
}

/** Runs `task` periodically, but never two runs at once. */
function every(
  milliseconds: number,
  name: string,
  log: HousekeepingOptions['databaseLog'],
  task: () => Promise<void>,
): Loop {
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = task()
      .catch((error: unknown) => log.failed(error, `${name} failed`))
      .finally(() => {
        busy = false;
      });
  }, milliseconds);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

export function createHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { apiTokens, clock, databaseLog, db, edgeEvents, kept, limiter, logTrace, routingEvents } = options;
  const loops: Loop[] = [];
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const merge = async (): Promise<void> => {
    const deltas = limiter.pendingDeltas();
    if (deltas.length > 0) limiter.applyTotals(await mergeWindowCounts(db, deltas));
  };
  let merging = Promise.resolve();
  // Two merges at the same time would write the same increments twice.
  const mergeLimits = (): Promise<void> => {
    merging = merging.then(merge, merge);
    return merging;
  };
  const flush = async (all: boolean): Promise<void> => {
    await edgeEvents.flush(all);
    await routingEvents.flush(all);
    await apiTokens.flushLastUsed();
    if (all) await logTrace.settled();
  };
  const inBatches =
    (drop: (db: Db, before: Date) => Promise<boolean>, keptMilliseconds = 0) =>
    async (): Promise<void> => {
      const instant = before(keptMilliseconds);
      for (let batch = 0; batch < MAXIMUM_BATCHES && (await drop(db, instant)); batch += 1);
    };
  let walked = FIRST_TOKEN;
  const dropVoidTokens = async (): Promise<void> => {
    for (let batch = 0; batch < WALK_BATCHES; batch += 1) {
      walked = (await dropVoidRefreshTokens(db, walked)) ?? FIRST_TOKEN;
      if (walked === FIRST_TOKEN) return;
    }
  };
  const steps: readonly (() => Promise<void>)[] = [
    () => dropOldWindows(db, before(WINDOWS_KEPT_MILLISECONDS)),
    inBatches(dropOldIdempotencyKeys, KEYS_KEPT_MILLISECONDS),
    inBatches(dropEndedSessions, SIGN_INS_KEPT_MILLISECONDS),
    inBatches(dropOldSignInRows, SIGN_INS_KEPT_MILLISECONDS),
    inBatches(dropSpentTokens),
    inBatches(dropOldUsedAssertions),
    inBatches(dropOldAuthorizationRequests),
    inBatches(dropOldAuthorizationCodes, CODES_KEPT_MILLISECONDS),
    // Expired requests are kept so that the client learns that its request has expired, not that it never existed.
    inBatches(dropOldPendingAuthorizations, CODES_KEPT_MILLISECONDS),
    inBatches(dropOldRefreshTokens),
    dropVoidTokens,
    () => dropOldTraces(db, clock.now()),
  ];
  const sweep = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'a part of the sweep failed');
  };
  const refreshKept = async (): Promise<void> => {
    for (const copies of kept) await copies.refreshKept();
  };
  return {
    mergeLimits,
    sweep,
    start: () => {
      loops.push(every(MERGE_MILLISECONDS, 'merging rate limits', databaseLog, mergeLimits));
      loops.push(every(FLUSH_MILLISECONDS, 'writing what the edge counted', databaseLog, () => flush(false)));
      loops.push(every(SWEEP_MILLISECONDS, 'sweeping', databaseLog, sweep));
      loops.push(every(REFRESH_MILLISECONDS, 'reading what is kept', databaseLog, refreshKept));
    },
    stop: async () => {
      for (const loop of loops.splice(0)) await loop.stop();
      await flush(true).catch((error: unknown) => databaseLog.failed(error, 'the last refusals could not be written'));
    },
  };
}
