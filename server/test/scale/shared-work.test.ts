import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createPool,
  needOwnTransaction,
  run,
  type SharedWork,
  sendAhead,
  sendChange,
  type Tx,
  together,
} from '../../src/platform/postgres/index.ts';
import { context, insertion, keysIn, type Made, refusal, type UseCase, useChanges } from '../support/changes.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';

const { committed, database, newSharedWork, outcomesOf, stored } = useChanges();
let shared: SharedWork<Made>;
beforeEach(() => {
  shared = newSharedWork();
});

const transactionOf = async (tx: Tx): Promise<string> => {
  const [row] = await run<{ id: string }>(tx, 'select pg_current_xact_id()::text as id', []);
  return row?.id ?? '';
};

/** Inserts a key, records an event of the same name, and returns the transaction's id. */
const inserting =
  (key: string): UseCase =>
  async (tx, record) => {
    const id = await transactionOf(tx);
    sendAhead(tx, insertion(key));
    record({ eventType: key });
    return id;
  };

describe('simultaneous use cases', () => {
  test('share a transaction, and each commits its change and its event', async () => {
    const ids = await outcomesOf({ a: inserting('a'), b: inserting('b'), c: inserting('c') });
    expect(new Set(ids).size).toBe(1);
    expect(await stored()).toEqual({ changes: ['a', 'b', 'c'], outbox: ['a', 'b', 'c'] });
    expect(committed()).toEqual(['a', 'b', 'c']);
  });

  test('are at most 16 in a transaction', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `k${String(index).padStart(2, '0')}`);
    const ids = await outcomesOf(Object.fromEntries(keys.map((key) => [key, inserting(key)])));
    const sizes = [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
    expect(sizes).toEqual([16, 16, 8]);
    expect((await stored()).changes).toEqual(keys);
  });

  test('with the same key run one after the other', async () => {
    const steps: string[] = [];
    const stepping =
      (name: string): UseCase =>
      async (tx) => {
        steps.push(`${name} begins`);
        await keysIn(tx);
        steps.push(`${name} ends`);
      };
    await Promise.all(['one', 'two', 'three'].map((name) => shared(context, 'same', stepping(name))));
    expect(steps).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test('make one call together, and a use case alone makes it for itself', async () => {
    const calls: (readonly string[])[] = [];
    const calling =
      (input: string): UseCase =>
      (tx) =>
        together(tx, 'call', input, async (all, inputs) => {
          calls.push(inputs);
          return keysIn(all);
        });
    await outcomesOf({ a: calling('a'), b: calling('b') });
    expect(calls).toEqual([['a', 'b']]);
    await database.pool.query("insert into changes (key) values ('x')");
    await expect(shared(context, 'c', calling('c'))).resolves.toEqual(['x']);
    expect(calls).toEqual([['a', 'b'], ['c']]);
  });
});

test('the statements of each use case keep their order, whatever the others send', async () => {
  const sent: string[] = [];
  spyOnStatements(({ text }) => {
    if (text.startsWith('select ')) sent.push(text);
    return null;
  });
  const lock = (tx: Tx, name: string, input: string) =>
    together(tx, name, input, (all, inputs) => run(all, `select '${name} ${inputs.join('')}'`, []));
  const both: (input: string) => UseCase = (input) => async (tx) => {
    await Promise.all([lock(tx, 'user', input), lock(tx, 'schema', input)]);
  };
  const readingBetween: (input: string) => UseCase = (input) => async (tx) => {
    const locked = lock(tx, 'user', input);
    await Promise.all([locked, run(tx, `select 'read ${input}'`, []), lock(tx, 'schema', input)]);
  };
  await outcomesOf({ a: readingBetween('a'), b: both('b'), c: both('c'), d: readingBetween('d') });
  vi.restoreAllMocks();
  for (const input of ['a', 'b', 'c', 'd']) {
    const own = sent
      .filter((text) => new RegExp(` [a-d]*${input}[a-d]*'$`).test(text))
      .map((text) => text.split(/[ ']+/)[1]);
    expect(own).toEqual(['a', 'd'].includes(input) ? ['user', 'read', 'schema'] : ['user', 'schema']);
  }
});

describe('a use case that fails', () => {
  test('before it has changed anything leaves the others alone, and is told its own error', async () => {
    const [a, refused, c] = await outcomesOf({
      a: inserting('a'),
      b: async (tx, record) => {
        await keysIn(tx);
        record({ eventType: 'b' });
        throw refusal();
      },
      c: inserting('c'),
    });
    expect(refused).toMatchObject({ code: 'E0000038' });
    expect(a).toBe(c);
    expect(await stored()).toEqual({ changes: ['a', 'c'], outbox: ['a', 'c'] });
    expect(committed()).toEqual(['a', 'c']);
  });

  test('after a change runs on its own, and the others share a transaction again', async () => {
    const ids: Record<string, string[]> = { a: [], b: [], c: [] };
    const noting =
      (key: string): UseCase =>
      async (tx, record) => {
        ids[key]?.push(await transactionOf(tx));
        return inserting(key)(tx, record);
      };
    const [, refused] = await outcomesOf({
      a: noting('a'),
      b: async (tx, record) => {
        await noting('b')(tx, record);
        throw refusal();
      },
      c: noting('c'),
    });
    expect(refused).toMatchObject({ code: 'E0000038' });
    const [[first, second] = [], [, own] = []] = [ids['a'], ids['b']];
    expect(ids).toEqual({ a: [first, second], b: [first, own], c: [first, second] });
    expect(new Set([first, second, own]).size).toBe(3);
    expect(await stored()).toEqual({ changes: ['a', 'c'], outbox: ['a', 'c'] });
    expect(committed()).toEqual(['a', 'c']);
  });

  test('because of its event gets its own error, and the others commit', async () => {
    const [, refused] = await outcomesOf({ a: inserting('a'), b: inserting('refused'), c: inserting('c') });
    expect(refused).toMatchObject({ message: 'an event is refused' });
    expect(await stored()).toEqual({ changes: ['a', 'c'], outbox: ['a', 'c'] });
  });

  test('by a statement makes each run on its own, and the others never see its error', async () => {
    await database.pool.query("insert into changes (key) values ('taken')");
    const [a, taken, c] = await outcomesOf({ a: inserting('a'), b: inserting('taken'), c: inserting('c') });
    expect(taken).toMatchObject({ code: 'E0000001' });
    expect([typeof a, typeof c]).toEqual(['string', 'string']);
    expect(await stored()).toEqual({ changes: ['a', 'c', 'taken'], outbox: ['a', 'c'] });
  });

  test('by a call that was made together is repeated on its own', async () => {
    const failing: UseCase = (tx) =>
      together(tx, 'call', 'input', (all, inputs) => run(all, `select 1 / $1::integer`, [inputs.length - 2]));
    const [one, other] = await outcomesOf({ a: failing, b: failing });
    expect([one, other]).toEqual([[{ '?column?': -1 }], [{ '?column?': -1 }]]);
  });

  test('by a call that throws at once gets that error', async () => {
    const failing: UseCase = (tx) =>
      together(tx, 'call', 'input', () => {
        throw refusal();
      });
    const [one, other, c] = await outcomesOf({ a: failing, b: failing, c: inserting('c') });
    expect([one, other]).toMatchObject([{ code: 'E0000038' }, { code: 'E0000038' }]);
    expect(typeof c).toBe('string');
    expect((await stored()).changes).toEqual(['c']);
  });

  test('because it needs a transaction of its own gets one, and the others stay together', async () => {
    let tries = 0;
    const [a, b, c] = await outcomesOf({
      a: inserting('a'),
      b: async (tx, record) => {
        tries += 1;
        await keysIn(tx);
        needOwnTransaction(tx);
        return inserting('b')(tx, record);
      },
      c: inserting('c'),
    });
    expect(tries).toBe(2);
    expect(a).toBe(c);
    expect(b).not.toBe(a);
    expect(await stored()).toEqual({ changes: ['a', 'b', 'c'], outbox: ['a', 'b', 'c'] });
  });

  test('because of a change that is then rolled back decides again', async () => {
    await database.pool.query("insert into changes (key) values ('taken')");
    const seen: string[][] = [];
    const [, refused] = await outcomesOf({
      a: async (tx) => {
        sendAhead(tx, insertion('x'));
        // This change leaves with COMMIT, so the other use case has read the first one before the insert fails.
        sendChange(tx, 'insert', 'taken', ([key = '']) => insertion(key));
      },
      b: async (tx) => {
        await keysIn(tx);
        seen.push(await keysIn(tx));
        throw refusal();
      },
    });
    expect(refused).toMatchObject({ code: 'E0000038' });
    expect(seen).toEqual([['taken', 'x'], ['taken']]);
  });
});

test('a use case waits for a lock without keeping the turns of the org', async () => {
  await database.pool.query("insert into changes (key) values ('locked')");
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query("select from changes where key = 'locked' for update");
  const lockOrLeave: UseCase = async (tx) => {
    const rows = await run(tx, "select key from changes where key = 'locked' for update skip locked", []);
    if (rows.length === 0) needOwnTransaction(tx);
    return (await run<{ key: string }>(tx, "select key from changes where key = 'locked' for update", [])).length;
  };
  const waiting = [1, 2, 3, 4].map((number) => shared(context, `locked ${number}`, lockOrLeave));
  await nextTurn();
  await shared(context, 'free', inserting('free'));
  expect((await stored()).changes).toEqual(['free', 'locked']);
  await holder.query('rollback');
  holder.release();
  expect(await Promise.all(waiting)).toEqual([1, 1, 1, 1]);
});

describe('a connection that is lost', () => {
  const ended = async (tx: Tx): Promise<void> => {
    await run(tx, 'select pg_terminate_backend(pg_backend_pid())', []);
  };

  test('before COMMIT makes each use case run on its own', async () => {
    let tries = 0;
    const [lost, kept] = await outcomesOf({
      a: async (tx, record) => {
        tries += 1;
        if (tries === 1) await ended(tx);
        return inserting('a')(tx, record);
      },
      b: inserting('b'),
    });
    expect([typeof lost, typeof kept]).toEqual(['string', 'string']);
    expect(await stored()).toEqual({ changes: ['a', 'b'], outbox: ['a', 'b'] });
    expect(committed()).toEqual(['a', 'b']);
  });

  test('with COMMIT is an error for all, which nobody repeats, and caches are dropped', async () => {
    const ending: UseCase = async (tx, record) => {
      await keysIn(tx);
      record({ eventType: 'a' });
      // This statement shares a packet with COMMIT, so the service cannot know whether the transaction was committed.
      sendAhead(tx, { text: 'select pg_terminate_backend(pg_backend_pid())', values: [] });
    };
    let tries = 0;
    const [a, b] = await outcomesOf({
      a: ending,
      b: async (tx, record) => {
        tries += 1;
        return inserting('b')(tx, record);
      },
    });
    expect([a, b]).toEqual([expect.objectContaining({ status: 503 }), expect.objectContaining({ status: 503 })]);
    expect(tries).toBe(1);
    expect(committed()).toEqual(['a', 'b']);
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });
});

test('use cases are refused with 503 when too many wait', async () => {
  const pool = createPool({
    connection: database.connection,
    maximumConnections: 2,
    applicationName: 'test',
    statementTimeoutMilliseconds: 30_000,
  });
  shared = newSharedWork(pool);
  const taken = [await pool.connect(), await pool.connect()];
  const running = Array.from({ length: 1_050 }, (_, index) => shared(context, `k${index}`, async (tx) => keysIn(tx)));
  const refused = running.slice(1_000).map((one) => one.catch((error: unknown) => error));
  expect(await Promise.all(refused)).toEqual(
    Array.from({ length: 50 }, () => expect.objectContaining({ status: 503, code: 'E0000181' })),
  );
  for (const client of taken) client.release();
  expect(await Promise.all(running.slice(0, 1_000))).toEqual(Array.from({ length: 1_000 }, () => []));
  await pool.end();
});
