import { describe, expect, it } from 'vitest';
import { apiError } from '../../../kernel/errors/errors.ts';
import { unavailable } from '../connections/failures.ts';
import type { CacheKey } from './authorisation-cache.ts';
import { createKeptCopies } from './kept-copies.ts';

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const of = (orgId: string, id = 'keys'): CacheKey => ({ orgId, kind: 'test', id });
const MINUTE = 60_000;

function open(load: (key: CacheKey) => Promise<string | null>) {
  let now = 1_000_000;
  const asked: string[] = [];
  const copies = createKeptCopies<string>({
    clock: { now: () => new Date(now) },
    bytesOf: (value) => value.length,
    load: (key) => {
      asked.push(`${key.orgId} ${key.id}`);
      return load(key);
    },
  });
  const wait = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { copies, asked, wait };
}

describe('kept copies', () => {
  it('are told for ten minutes while the database is away, and never where it answers', async () => {
    let answer: () => Promise<string | null> = async () => 'one';
    const { copies, wait } = open(() => answer());
    expect(await copies.read(of('a'))).toBe('one');
    answer = () => Promise.reject(unavailable(away));
    wait(10 * MINUTE - 1);
    expect(await copies.read(of('a'))).toBe('one');
    wait(1);
    await expect(copies.read(of('a'))).rejects.toMatchObject({ status: 503 });
    answer = async () => 'two';
    expect(await copies.read(of('a'))).toBe('two');
  });

  it('are not there for what was not asked before, of another org, or is gone by now', async () => {
    let answer: () => Promise<string | null> = async () => 'one';
    const { copies } = open(() => answer());
    await copies.read(of('a'));
    await copies.read(of('b'));
    answer = async () => null;
    expect(await copies.read(of('b'))).toBeNull();
    answer = () => Promise.reject(unavailable(away));
    for (const key of [of('a', 'other'), of('b'), of('c')]) {
      await expect(copies.read(key)).rejects.toMatchObject({ status: 503 });
    }
    expect(await copies.read(of('a'))).toBe('one');
  });

  it.each([
    ['a fault of ours', new Error('a fault')],
    ['a refusal', apiError('E0000006')],
    ['a 503 that is not of the database', apiError('E0000181')],
  ])('are neither told nor kept behind %s', async (_, error) => {
    let answer: () => Promise<string | null> = async () => 'one';
    const { copies } = open(() => answer());
    await copies.read(of('a'));
    answer = () => Promise.reject(error);
    await expect(copies.read(of('a'))).rejects.toBe(error);
    answer = () => Promise.reject(unavailable(away));
    await expect(copies.read(of('a'))).rejects.toMatchObject({ status: 503 });
  });

  it('are gone once a change was committed, and read anew where the database answers', async () => {
    let answer = (): Promise<string | null> => Promise.resolve('one');
    const { asked, copies } = open(() => answer());
    await copies.read(of('a'));
    await copies.read(of('b'));
    answer = () => Promise.reject(unavailable(away));
    copies.drop('a');
    await expect(copies.read(of('a'))).rejects.toMatchObject({ status: 503 });
    expect(await copies.read(of('b'))).toBe('one');

    answer = async () => 'two';
    await copies.read(of('a'));
    answer = async () => 'three';
    copies.drop('a');
    await expect.poll(() => asked.filter((one) => one === 'a keys').length).toBe(5);
    answer = () => Promise.reject(unavailable(away));
    expect(await copies.read(of('a'))).toBe('three');
  });

  it('are read again where something was changed while they were read', async () => {
    let finish: (value: string) => void = () => undefined;
    let answer = (): Promise<string | null> =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const { copies } = open(() => answer());
    const reading = copies.read(of('a'));
    copies.drop('a');
    answer = async () => 'two';
    finish('what it was before');
    expect(await reading).toBe('two');
    answer = () => Promise.reject(unavailable(away));
    expect(await copies.read(of('a'))).toBe('two');
  });

  it('are not what is changed with every reading', async () => {
    let isAway = false;
    const { asked, copies } = open(async () => {
      if (isAway) throw unavailable(away);
      copies.drop('a');
      return 'one';
    });
    expect(await copies.read(of('a'))).toBe('one');
    expect(asked).toHaveLength(3);
    isAway = true;
    await expect(copies.read(of('a'))).rejects.toMatchObject({ status: 503 });
  });

  it('are read anew every minute, as long as the database answers', async () => {
    let isAway = false;
    const { asked, copies, wait } = open(async () => (isAway ? Promise.reject(unavailable(away)) : 'one'));
    await copies.read(of('a'));
    await copies.read(of('b'));
    wait(MINUTE - 1);
    await copies.refresh();
    expect(asked).toEqual(['a keys', 'b keys']);
    wait(1);
    await copies.refresh();
    expect(asked.slice(2)).toEqual(['a keys', 'b keys']);
    isAway = true;
    wait(MINUTE);
    await expect(copies.refresh()).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(5);
    wait(8 * MINUTE);
    expect(await copies.read(of('a'))).toBe('one');
  });

  it('are bounded in number and in bytes', async () => {
    let isAway = false;
    const { copies } = open(async ({ id }) => {
      if (isAway) throw unavailable(away);
      return id.startsWith('large') ? 'x'.repeat(1_500_000) : 'small';
    });
    const held = async (ids: readonly string[]): Promise<number> => {
      const results = await Promise.allSettled(ids.map(async (id) => copies.read(of('a', id))));
      return results.filter(({ status }) => status === 'fulfilled').length;
    };
    const small = Array.from({ length: 3_000 }, (_, index) => `small${index}`);
    const large = ['large1', 'large2', 'large3'];
    await held(small);
    isAway = true;
    expect(await held(small)).toBeLessThanOrEqual(2_000);
    isAway = false;
    for (const id of large) await copies.read(of('a', id));
    isAway = true;
    expect(await held(large)).toBe(2);
  });

  it('are measured once, and get a new time, for as long as the value is the same', async () => {
    let now = 1_000_000;
    let measured = 0;
    let load: () => object | Promise<object> = () => value;
    const value = {};
    const copies = createKeptCopies<object>({
      clock: { now: () => new Date(now) },
      bytesOf: () => {
        measured += 1;
        return 1;
      },
      load: () => load(),
    });
    // If `load` returns a value and no promise, so does `read`.
    expect(copies.read(of('a'))).toBe(value);
    now += 9 * MINUTE;
    expect(copies.read(of('a'))).toBe(value);
    expect(measured).toBe(1);
    load = () => Promise.reject(unavailable(away));
    now += 9 * MINUTE;
    expect(await copies.read(of('a'))).toBe(value);
    const other = {};
    load = () => other;
    expect(copies.read(of('a'))).toBe(other);
    expect(measured).toBe(2);
  });

  it('are not what was changed while it was read at once', async () => {
    let isAway = false;
    const copies = createKeptCopies<string>({
      clock: { now: () => new Date() },
      bytesOf: (value) => value.length,
      load: (): string | Promise<string> => {
        if (isAway) return Promise.reject(unavailable(away));
        copies.drop('a');
        return 'one';
      },
    });
    expect(await copies.read(of('a'))).toBe('one');
    isAway = true;
    await expect(copies.read(of('a'))).rejects.toMatchObject({ status: 503 });
  });
});
