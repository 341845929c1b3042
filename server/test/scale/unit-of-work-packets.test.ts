import { describe, expect, test } from 'vitest';
import { createPool, run, sendAhead, type Tx } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { context, insertion, keysIn, useChanges } from '../support/changes.ts';

const { database, newWork, stored, work } = useChanges();

describe('a transaction whose BEGIN fails', () => {
  /** A pool on whose connections PostgreSQL refuses BEGIN, because the name of its statement is taken. */
  const refusing = beforeTests(() => {
    const pool = createPool({
      connection: database.connection,
      maximumConnections: 1,
      applicationName: 'test',
      statementTimeoutMilliseconds: 30_000,
    });
    pool.on('connect', (client) => {
      client.query('prepare "begin" as select 1').catch(() => undefined);
    });
    return { pool, close: () => pool.end() };
  });
  const failing = (...given: Parameters<ReturnType<typeof newWork>>) => newWork(refusing.pool)(...given);

  test('sends no change after its first answer', async () => {
    const changing = failing(context, async (tx, record) => {
      await keysIn(tx);
      sendAhead(tx, insertion('a'));
      record({ eventType: 'made' });
    });
    await expect(changing).rejects.toThrow('already exists');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('does not report that it was committed', async () => {
    await expect(failing(context, async (_tx, record) => record({ eventType: 'made' }))).rejects.toThrow(
      'already exists',
    );
    const changing = failing(context, async (tx) => sendAhead(tx, insertion('a')));
    await expect(changing).rejects.toThrow('already exists');
  });
});

describe('a transaction whose statements share packets', () => {
  const refuse = (tx: Tx, code: string) => run(tx, `do $$ begin raise exception using errcode = '${code}'; end $$`, []);
  const deep = async <Value>(steps: number, act: () => Promise<Value>): Promise<Value> =>
    steps === 0 ? act() : deep(steps - 1, act);

  test.each([0, 1, 8])('reports the failure itself, however deep in the use case it is (%i)', async (steps) => {
    const failing = work(context, (tx) => Promise.all([deep(steps, () => refuse(tx, '55P03')), keysIn(tx)]));
    await expect(failing).rejects.toMatchObject({ status: 503, code: 'E0000181' });
  });

  test.each([0, 2, 4, 8])('sends nothing after it has ended (%i)', async (steps) => {
    const ends: unknown[] = [];
    const continuing = async (tx: Tx): Promise<void> => {
      await deep(steps, () => keysIn(tx));
      await run(tx, 'insert into changes (key) values ($1)', ['outside']);
    };
    const failing = work(context, async (tx) => {
      const branch = continuing(tx).then(
        () => ends.push('done'),
        (error: unknown) => ends.push(error),
      );
      await Promise.all([branch, run(tx, 'select 1 / 0 from pg_sleep(0.05)', [])]);
    });
    await expect(failing).rejects.toThrow('division by zero');
    await expect.poll(() => ends).toHaveLength(1);
    expect(ends[0]).toBeInstanceOf(Error);
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('refuses statements after its commit', async () => {
    let late: Tx = database.db;
    await work(context, async (tx) => {
      late = tx;
      await keysIn(tx);
    });
    await expect(keysIn(late)).rejects.toThrow('the transaction has ended');
  });

  const single = beforeTests(() => {
    const { connection } = database;
    const settings = { applicationName: 'test', maximumConnections: 1, statementTimeoutMilliseconds: 30_000 };
    const pool = createPool({ connection, ...settings });
    return { pool, close: () => pool.end() };
  });

  test('keeps its connection if the use case fails in the turn of a failing statement', async () => {
    const pid = async (): Promise<unknown> => (await single.pool.query('select pg_backend_pid() as pid')).rows;
    const before = await pid();
    const failing = newWork(single.pool)(context, async (tx) => {
      sendAhead(tx, { text: 'select 1 / 0', values: [] });
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await pid()).toEqual(before);
    const inside = (await single.pool.query('select now() = statement_timestamp() as outside')).rows;
    expect(inside).toEqual([{ outside: true }]);
  });
});
