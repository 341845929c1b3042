import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sendChange, type Tx, together } from '../../src/platform/postgres/index.ts';
import { keysIn, refusal, type UseCase, useChanges } from '../support/changes.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';

const { database, outcomesOf, stored } = useChanges();

describe('changes', () => {
  const inserted: string[] = [];
  /** Sends the insert of a key. Inserts of the same name from several use cases may become one statement. */
  const change = (tx: Tx, key: string, name = 'insert') =>
    sendChange(tx, name, key, (keys) => {
      inserted.push(`${name} ${keys.join(' ')}`);
      return { text: 'insert into changes (key) select unnest($1::text[])', values: [keys] };
    });
  const changing =
    (key: string): UseCase =>
    async (tx, record) => {
      change(tx, key);
      record({ eventType: key });
    };
  beforeEach(() => {
    inserted.length = 0;
  });

  test('of all use cases become one statement, and their events another one', async () => {
    const sent: string[] = [];
    spyOnStatements(({ text }) => {
      if (text.startsWith('insert')) sent.push(text.split(' ')[2] ?? '');
      return null;
    });
    await outcomesOf({ a: changing('a'), b: changing('b'), c: changing('c') });
    vi.restoreAllMocks();
    expect(inserted).toEqual(['insert a b c']);
    expect(sent).toEqual(['changes', 'outbox']);
    expect(await stored()).toEqual({ changes: ['a', 'b', 'c'], outbox: ['a', 'b', 'c'] });
  });

  test('of one use case keep their order', async () => {
    const inOrder =
      (key: string, names: readonly string[]): UseCase =>
      async (tx) => {
        for (const name of names) change(tx, `${key}${name}`, name);
      };
    await outcomesOf({ a: inOrder('a', ['x', 'y']), b: inOrder('b', ['y', 'x']), c: inOrder('c', ['x', 'y']) });
    expect(inserted).toEqual(['x ax cx', 'y by', 'y ay cy', 'x bx']);
  });

  test('are visible to later statements and calls of their use case', async () => {
    const all = (tx: Tx) => together(tx, 'keys', null, (given) => keysIn(given));
    const [read, called] = await outcomesOf({
      a: async (tx) => {
        change(tx, 'a');
        return keysIn(tx);
      },
      b: async (tx) => {
        change(tx, 'b');
        return all(tx);
      },
      c: changing('c'),
    });
    expect(read).toContain('a');
    expect(called).toContain('b');
    expect(inserted.at(-1)).toBe('insert c');
    expect((await stored()).changes).toEqual(['a', 'b', 'c']);
  });

  test('that were not sent when their use case fails cost the others nothing', async () => {
    const tries: string[] = [];
    const failing: UseCase = async (tx, record) => {
      tries.push('b');
      await changing('b')(tx, record);
      throw refusal();
    };
    const counting =
      (key: string): UseCase =>
      (tx, record) => {
        tries.push(key);
        return changing(key)(tx, record);
      };
    const [, refused] = await outcomesOf({ a: counting('a'), b: failing, c: counting('c') });
    expect(refused).toMatchObject({ code: 'E0000038' });
    expect(tries).toEqual(['a', 'b', 'c']);
    expect(inserted).toEqual(['insert a c']);
    expect(await stored()).toEqual({ changes: ['a', 'c'], outbox: ['a', 'c'] });
  });

  test('of which one fails are made again, each on its own', async () => {
    await database.pool.query("insert into changes (key) values ('b')");
    const [a, taken, c] = await outcomesOf({ a: changing('a'), b: changing('b'), c: changing('c') });
    expect([a, c]).toEqual([undefined, undefined]);
    expect(taken).toMatchObject({ code: 'E0000001' });
    expect(inserted.toSorted()).toEqual(['insert a', 'insert a b c', 'insert b', 'insert c']);
    expect(await stored()).toEqual({ changes: ['a', 'b', 'c'], outbox: ['a', 'c'] });
  });
});

test('events that are too many for one insert are inserted by each use case', async () => {
  const recording: (key: string) => UseCase = (key) => async (_tx, record) => {
    for (let number = 0; number < 3_000; number += 1) record({ eventType: key });
  };
  const inserts: number[] = [];
  spyOnStatements(({ text, values }) => {
    if (text.startsWith('insert into outbox')) inserts.push(Array.isArray(values[0]) ? values[0].length : 0);
    return null;
  });
  await outcomesOf({ a: recording('a'), b: recording('b') });
  vi.restoreAllMocks();
  expect(inserts).toEqual([3_000, 3_000]);
  expect((await stored()).outbox).toHaveLength(6_000);
});

test('an exception after the commit is told to its use case alone', async () => {
  const recording: (key: string) => UseCase = (key) => async (_tx, record) => {
    record({ eventType: key });
  };
  const [a, untold, c] = await outcomesOf({ a: recording('a'), b: recording('untold'), c: recording('c') });
  expect([a, c]).toEqual([undefined, undefined]);
  expect(untold).toMatchObject({ message: 'nobody is told' });
  expect((await stored()).outbox).toEqual(['a', 'c', 'untold']);
});
