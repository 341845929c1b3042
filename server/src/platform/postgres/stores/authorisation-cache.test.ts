import { describe, expect, test } from 'vitest';
import { type CacheKey, createAuthorisationCache } from './authorisation-cache.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');

function setUp(answer: (key: CacheKey, call: number) => Promise<string | null>, maximumEntries = 100) {
  let now = START;
  let calls = 0;
  const cache = createAuthorisationCache<string | null>({
    clock: { now: () => new Date(now) },
    maximumEntries,
    load: (key) => {
      calls += 1;
      return answer(key, calls);
    },
  });
  return {
    cache,
    calls: () => calls,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

const key = (id: string, orgId = '00oone'): CacheKey => ({ orgId, kind: 'apiToken', id });

function held(): { promise: Promise<string>; release: (value: string) => void } {
  let release: (value: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

describe('createAuthorisationCache', () => {
  test('serves an entry for less than a second, negative answers too', async () => {
    const { cache, calls, pass } = setUp(async () => null);
    expect(await cache.get(key('a'))).toBeNull();
    pass(999);
    await cache.get(key('a'));
    expect(calls()).toBe(1);
    pass(1);
    await cache.get(key('a'));
    expect(calls()).toBe(2);
  });

  test('counts the second from the start of the load', async () => {
    const load = held();
    const { cache, calls, pass } = setUp((_, call) => (call === 1 ? load.promise : Promise.resolve('new')));
    const first = cache.get(key('a'));
    pass(700);
    load.release('old');
    expect(await first).toBe('old');
    pass(300);
    expect(await cache.get(key('a'))).toBe('new');
    expect(calls()).toBe(2);
  });

  test('does not join a load that is older than a second', async () => {
    const load = held();
    const { cache, pass } = setUp((_, call) => (call === 1 ? load.promise : Promise.resolve('new')));
    const first = cache.get(key('a'));
    pass(1_000);
    expect(await cache.get(key('a'))).toBe('new');
    load.release('old');
    expect(await first).toBe('old');
  });

  test('loads once for those who ask together', async () => {
    const { cache, calls } = setUp(async () => 'value');
    expect(await Promise.all([cache.get(key('a')), cache.get(key('a'))])).toEqual(['value', 'value']);
    expect(calls()).toBe(1);
  });

  test('a clock that was set back makes an entry old', async () => {
    const { cache, calls, pass } = setUp(async () => 'value');
    await cache.get(key('a'));
    pass(-5_000);
    await cache.get(key('a'));
    expect(calls()).toBe(2);
  });

  test('drops the entries of one org only', async () => {
    const { cache, calls } = setUp(async () => 'value');
    await cache.get(key('a'));
    await cache.get(key('a', '00otwo'));
    cache.drop('00oone');
    await cache.get(key('a', '00otwo'));
    expect(calls()).toBe(2);
    await cache.get(key('a'));
    expect(calls()).toBe(3);
  });

  test('does not keep what was being loaded when its org was changed', async () => {
    const load = held();
    const { cache, calls } = setUp((_, call) => (call === 1 ? load.promise : Promise.resolve('new')));
    const first = cache.get(key('a'));
    cache.drop('00oone');
    load.release('old');
    expect(await first).toBe('old');
    expect(await cache.get(key('a'))).toBe('new');
    expect(calls()).toBe(2);
  });

  test('does not join a load that began before the change', async () => {
    const load = held();
    const { cache } = setUp((_, call) => (call === 1 ? load.promise : Promise.resolve('new')));
    const first = cache.get(key('a'));
    cache.drop('00oone');
    expect(await cache.get(key('a'))).toBe('new');
    load.release('old');
    await first;
    expect(await cache.get(key('a'))).toBe('new');
  });

  test('a failed load is not remembered', async () => {
    const { cache } = setUp((_, call) => (call === 1 ? Promise.reject(new Error('down')) : Promise.resolve('up')));
    await expect(cache.get(key('a'))).rejects.toThrow('down');
    expect(await cache.get(key('a'))).toBe('up');
  });

  test('is bounded', async () => {
    const { cache, calls } = setUp(async () => 'value', 2);
    for (const id of ['a', 'b', 'c']) await cache.get(key(id));
    await cache.get(key('a'));
    expect(calls()).toBe(4);
  });

  test('a change of any org drops values that belong to none yet', async () => {
    let calls = 0;
    const cache = createAuthorisationCache<string | null>({
      clock: { now: () => new Date(START) },
      maximumEntries: 10,
      orgOf: (value) => value,
      load: async ({ id }) => {
        calls += 1;
        return id === 'unknown.localhost' ? null : '00oone';
      },
    });
    const host = (id: string): CacheKey => ({ orgId: null, kind: 'host', id });
    await cache.get(host('acme.localhost'));
    await cache.get(host('unknown.localhost'));
    cache.drop('00otwo');
    await cache.get(host('acme.localhost'));
    expect(calls).toBe(2);
    await cache.get(host('unknown.localhost'));
    expect(calls).toBe(3);
  });
});
