import type { Clock } from '../../../kernel/clock.ts';
import { boundedCache } from '../../caches/index.ts';

const WINDOW_SECONDS = 60;
const MAXIMUM_COUNTERS = 50_000;
const MAXIMUM_CLIENTS = 10_000;

export interface RateLimitTaken {
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window in epoch seconds. */
  readonly resetEpochSeconds: number;
  readonly allowed: boolean;
  /** Whether this is the first refusal by this counter in this window. Each process has its own counters. */
  readonly firstRefusal: boolean;
}

export interface CounterKey {
  readonly orgId: string;
  readonly bucket: string;
  readonly key: string;
  readonly windowStartEpochSeconds: number;
}

export interface Delta extends CounterKey {
  readonly count: number;
}

export interface Total extends CounterKey {
  readonly total: number;
}

export interface PrefixLimiter {
  /** Counts one request, unless the limit per minute is reached. */
  take(orgId: string, bucket: string, key: string, limit: number): RateLimitTaken;
}

export interface RateLimiter extends PrefixLimiter {
  /** Returns the increments that `applyTotals` has not confirmed. Only one merge may run at a time. */
  pendingDeltas(): Delta[];
  /** Takes the totals that the upsert of the last pending deltas returned. Totals of other windows are ignored. */
  applyTotals(totals: readonly Total[]): void;
}

interface Counter {
  readonly orgId: string;
  readonly bucket: string;
  readonly key: string;
  /** The number of requests that all processes have counted, as of the last merge. */
  merged: number;
  /** The number of requests that `pendingDeltas` has returned and `applyTotals` has not confirmed. */
  inFlight: number;
  local: number;
  refused: boolean;
}

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The maximum number of counters. Above it, the least recently used counters are dropped. */
  readonly maximumCounters?: number;
}

const windowStart = (clock: Clock): number =>
  Math.floor(clock.now().getTime() / (WINDOW_SECONDS * 1_000)) * WINDOW_SECONDS;

/** The org and the bucket contain no NUL, so different counters have different names. */
const counterName = (orgId: string, bucket: string, key: string): string => `${orgId}\0${bucket}\0${key}`;

function takeFrom(counter: Counter, limit: number, resetEpochSeconds: number): RateLimitTaken {
  const used = counter.merged + counter.inFlight + counter.local;
  if (used < limit) {
    counter.local += 1;
    return { limit, remaining: limit - used - 1, resetEpochSeconds, allowed: true, firstRefusal: false };
  }
  const firstRefusal = !counter.refused;
  counter.refused = true;
  return { limit, remaining: 0, resetEpochSeconds, allowed: false, firstRefusal };
}

/** Creates a rate limiter. It counts local requests at once, and those of other processes after each merge. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock, maximumCounters = MAXIMUM_COUNTERS } = options;
  const counters = boundedCache<string, Counter>(maximumCounters);
  let current = windowStart(clock);

  const enterWindow = (): void => {
    const start = windowStart(clock);
    if (start === current) return;
    counters.clear();
    current = start;
  };

  return {
    take(orgId, bucket, key, limit) {
      enterWindow();
      const name = counterName(orgId, bucket, key);
      let counter = counters.get(name);
      if (counter === undefined) {
        counter = { orgId, bucket, key, merged: 0, inFlight: 0, local: 0, refused: false };
        counters.set(name, counter);
      }
      return takeFrom(counter, limit, current + WINDOW_SECONDS);
    },
    pendingDeltas() {
      enterWindow();
      const deltas: Delta[] = [];
      for (const counter of counters.values()) {
        counter.inFlight += counter.local;
        counter.local = 0;
        if (counter.inFlight === 0) continue;
        const { orgId, bucket, key, inFlight } = counter;
        deltas.push({ orgId, bucket, key, windowStartEpochSeconds: current, count: inFlight });
      }
      return deltas;
    },
    applyTotals(totals) {
      enterWindow();
      for (const { orgId, bucket, key, windowStartEpochSeconds, total } of totals) {
        const counter = counters.peek(counterName(orgId, bucket, key));
        if (counter === undefined || windowStartEpochSeconds !== current) continue;
        counter.merged = total;
        counter.inFlight = 0;
      }
    },
  };
}

/** Creates a limiter that shares no counts with other processes. */
export function createPrefixLimiter(options: RateLimiterOptions): PrefixLimiter {
  const limiter = createRateLimiter(options);
  return { take: (orgId, bucket, key, limit) => limiter.take(orgId, bucket, key, limit) };
}

/** Returns the share of a bucket for one token: a percentage (1 to 100) of the limit, but at least one request. */
export const tokenShare = (limit: number, percentage: number): number =>
  Math.max(1, Math.floor((limit * Math.min(100, percentage)) / 100));

/** Refusals with the same key are counted together. */
export interface RefusalKey {
  readonly orgId: string;
  readonly kind: string;
  /**
   * The client's address or id. Null means that it is unknown, or that too many other clients are counted separately.
   */
  readonly client: string | null;
}

export interface AggregatedRefusal<Sample> extends RefusalKey {
  readonly windowStartEpochSeconds: number;
  readonly count: number;
  /** The first refusal of the minute, as a sample of all of them. */
  readonly sample: Sample;
}

export interface RefusalAggregator<Sample> {
  count(refusal: RefusalKey, sample: Sample): void;
  /** Removes and returns the refusals of earlier minutes. */
  drain(): AggregatedRefusal<Sample>[];
  /** Removes and returns all refusals, including those of the current minute. */
  drainAll(): AggregatedRefusal<Sample>[];
}

export interface RefusalAggregatorOptions {
  readonly clock: Clock;
  /** The maximum number of separate counters. Above it, further clients share one counter per org, kind and minute. */
  readonly maximumClients?: number;
}

interface Refusals<Sample> extends RefusalKey {
  readonly windowStartEpochSeconds: number;
  readonly sample: Sample;
  count: number;
}

export function refusalAggregator<Sample>(options: RefusalAggregatorOptions): RefusalAggregator<Sample> {
  const { clock, maximumClients = MAXIMUM_CLIENTS } = options;
  const open = new Map<string, Refusals<Sample>>();

  const takeOut = (before: number): AggregatedRefusal<Sample>[] => {
    const out = [...open].filter(([, refusals]) => refusals.windowStartEpochSeconds !== before);
    for (const [name] of out) open.delete(name);
    return out.map(([, refusals]) => ({ ...refusals }));
  };

  const add = (refusal: RefusalKey, sample: Sample): void => {
    const windowStartEpochSeconds = windowStart(clock);
    const name = JSON.stringify([refusal.orgId, refusal.kind, refusal.client, windowStartEpochSeconds]);
    const known = open.get(name);
    if (known !== undefined) known.count += 1;
    else if (open.size >= maximumClients && refusal.client !== null) add({ ...refusal, client: null }, sample);
    else {
      const { orgId, kind, client } = refusal;
      open.set(name, { orgId, kind, client, windowStartEpochSeconds, sample, count: 1 });
    }
  };

  return {
    count: add,
    drain: () => takeOut(windowStart(clock)),
    drainAll: () => takeOut(Number.NaN),
  };
}
