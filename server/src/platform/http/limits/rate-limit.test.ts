import { beforeEach, describe, expect, test } from 'vitest';
import {
  createPrefixLimiter,
  createRateLimiter,
  type Delta,
  type RateLimiter,
  refusalAggregator,
  type Total,
  tokenShare,
} from './rate-limit.ts';

const START = Date.parse('2026-01-01T00:00:30.000Z');
const RESET = START / 1_000 + 30;
let now = START;
const clock = { now: () => new Date(now) };
beforeEach(() => {
  now = START;
});

const takes = (limiter: Pick<RateLimiter, 'take'>, count: number, orgId = 'a', limit = 3) =>
  Array.from({ length: count }, () => limiter.take(orgId, 'users', '', limit));

/** Imitates the table in which processes merge their counts: it adds deltas and returns totals. */
function createTable() {
  const rows = new Map<string, Total>();
  return (deltas: readonly Delta[]): Total[] =>
    deltas.map(({ count, ...key }) => {
      const name = JSON.stringify(key);
      const row = { ...key, total: (rows.get(name)?.total ?? 0) + count };
      rows.set(name, row);
      return row;
    });
}

describe.each([
  ['createRateLimiter', createRateLimiter],
  ['createPrefixLimiter', createPrefixLimiter],
])('%s', (_, create) => {
  test('counts down to the limit, then refuses until the window ends', () => {
    const limiter = create({ clock });
    expect(takes(limiter, 5)).toEqual([
      { limit: 3, remaining: 2, resetEpochSeconds: RESET, allowed: true, firstRefusal: false },
      { limit: 3, remaining: 1, resetEpochSeconds: RESET, allowed: true, firstRefusal: false },
      { limit: 3, remaining: 0, resetEpochSeconds: RESET, allowed: true, firstRefusal: false },
      { limit: 3, remaining: 0, resetEpochSeconds: RESET, allowed: false, firstRefusal: true },
      { limit: 3, remaining: 0, resetEpochSeconds: RESET, allowed: false, firstRefusal: false },
    ]);
    now = RESET * 1_000 - 1;
    expect(takes(limiter, 1)[0]?.allowed).toBe(false);
    now = RESET * 1_000;
    expect(takes(limiter, 1)[0]).toMatchObject({ allowed: true, remaining: 2, resetEpochSeconds: RESET + 60 });
  });

  test('orgs, buckets and keys do not share a counter', () => {
    const limiter = create({ clock });
    takes(limiter, 10, 'a');
    expect(takes(limiter, 1, 'b')[0]?.allowed).toBe(true);
    expect(limiter.take('a', 'logs', '', 3).allowed).toBe(true);
    expect(limiter.take('a', 'users', 'token', 3).allowed).toBe(true);
    expect(limiter.take('a","users', '', '', 3).allowed).toBe(true);
  });

  test('a limit of zero refuses all', () => {
    expect(create({ clock }).take('a', 'users', '', 0)).toMatchObject({
      allowed: false,
      remaining: 0,
      firstRefusal: true,
    });
  });

  test('keeps a bounded number of counters, those in use', () => {
    const limiter = create({ clock, maximumCounters: 3 });
    for (let index = 0; index < 100; index += 1) {
      takes(limiter, 1);
      limiter.take('a', 'users', `token${index}`, 3);
    }
    expect(takes(limiter, 1)[0]?.allowed).toBe(false);
    expect(limiter.take('a', 'users', 'token0', 3).remaining).toBe(2);
  });
});

describe('merging with other processes', () => {
  test('two processes share one limit after a merge', () => {
    const table = createTable();
    const [one, two] = [createRateLimiter({ clock }), createRateLimiter({ clock })];
    takes(one, 4, 'a', 10);
    takes(two, 5, 'a', 10);
    for (const limiter of [one, two, one]) limiter.applyTotals(table(limiter.pendingDeltas()));
    expect(takes(two, 1, 'a', 10)[0]).toMatchObject({ allowed: true, remaining: 0 });
    two.applyTotals(table(two.pendingDeltas()));
    takes(one, 1, 'a', 10);
    one.applyTotals(table(one.pendingDeltas()));
    expect(takes(one, 1, 'a', 10)[0]).toMatchObject({ allowed: false, firstRefusal: true });
    expect(takes(two, 1, 'a', 10)[0]?.allowed).toBe(false);
  });

  test('hands out each increment once, and what is counted meanwhile later', () => {
    const table = createTable();
    const limiter = createRateLimiter({ clock });
    takes(limiter, 2, 'a', 10);
    const deltas = limiter.pendingDeltas();
    const windowStartEpochSeconds = RESET - 60;
    expect(deltas).toEqual([{ orgId: 'a', bucket: 'users', key: '', windowStartEpochSeconds, count: 2 }]);
    takes(limiter, 3, 'a', 10);
    limiter.applyTotals(table(deltas));
    expect(limiter.pendingDeltas()).toMatchObject([{ count: 3 }]);
    expect(takes(limiter, 1, 'a', 10)[0]?.remaining).toBe(4);
  });

  test('an upsert that failed is repeated, and its counts hold meanwhile', () => {
    const limiter = createRateLimiter({ clock });
    takes(limiter, 2);
    limiter.pendingDeltas();
    expect(takes(limiter, 1)[0]?.remaining).toBe(0);
    expect(limiter.pendingDeltas()).toMatchObject([{ count: 3 }]);
  });

  test('refusals are no increments, and nothing is pending twice', () => {
    const table = createTable();
    const limiter = createRateLimiter({ clock });
    takes(limiter, 10);
    const deltas = limiter.pendingDeltas();
    expect(deltas).toMatchObject([{ count: 3 }]);
    limiter.applyTotals(table(deltas));
    expect(limiter.pendingDeltas()).toEqual([]);
  });

  test('totals of another window, or of a key never seen here, change nothing', () => {
    const limiter = createRateLimiter({ clock });
    takes(limiter, 1);
    const totals = limiter.pendingDeltas().map(({ count, ...key }) => ({ ...key, total: count + 100 }));
    limiter.applyTotals([{ orgId: 'b', bucket: 'users', key: '', windowStartEpochSeconds: RESET - 60, total: 100 }]);
    now += 60_000;
    limiter.applyTotals(totals);
    expect(limiter.pendingDeltas()).toEqual([]);
    expect(takes(limiter, 1)[0]?.remaining).toBe(2);
    expect(takes(limiter, 1, 'b')[0]?.remaining).toBe(2);
  });
});

test.each([
  [100, 50, 50],
  [100, 100, 100],
  [100, 200, 100],
  [3, 50, 1],
  [1, 1, 1],
])('tokenShare of %i at %i %% is %i', (limit, percentage, share) => expect(tokenShare(limit, percentage)).toBe(share));

describe('refusalAggregator', () => {
  const refusal = { orgId: 'a', kind: 'rateLimit', client: '1.2.3.4' };

  test('hands out one refusal per org, kind, client and minute, when the minute is over', () => {
    const refusals = refusalAggregator<string>({ clock });
    for (const sample of ['first', 'second', 'third']) refusals.count(refusal, sample);
    refusals.count({ ...refusal, orgId: 'b' }, 'other org');
    refusals.count({ ...refusal, kind: 'credential' }, 'other kind');
    refusals.count({ ...refusal, client: '1.2.3.5' }, 'other client');
    expect(refusals.drain()).toEqual([]);
    now += 30_000;
    refusals.count(refusal, 'next minute');
    const drained = refusals.drain();
    expect(drained).toHaveLength(4);
    expect(drained[0]).toEqual({ ...refusal, windowStartEpochSeconds: RESET - 60, count: 3, sample: 'first' });
    expect(refusals.drain()).toEqual([]);
    now += 60_000;
    expect(refusals.drain()).toMatchObject([{ count: 1, sample: 'next minute' }]);
  });

  test('hands out the running minute too when the process ends', () => {
    const refusals = refusalAggregator<string>({ clock });
    refusals.count(refusal, 'only');
    expect(refusals.drainAll()).toMatchObject([{ count: 1 }]);
    expect(refusals.drainAll()).toEqual([]);
  });

  test('beyond the bound it counts clients together and loses none', () => {
    const refusals = refusalAggregator<number>({ clock, maximumClients: 2 });
    for (let index = 0; index < 100; index += 1) refusals.count({ ...refusal, client: `c${index}` }, index);
    const drained = refusals.drainAll();
    expect(drained.map(({ client, count }) => [client, count])).toEqual([
      ['c0', 1],
      ['c1', 1],
      [null, 98],
    ]);
  });
});
