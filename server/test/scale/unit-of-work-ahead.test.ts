import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/kernel/context.ts';
import { ApiError } from '../../src/kernel/errors/errors.ts';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import {
  assumed,
  assuming,
  createPool,
  createUnitOfWork,
  foresee,
  foreseen,
  run,
  sendAhead,
  startAhead,
  type Tx,
} from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

const database = beforeTests(() => openTestDatabase());

const context: Context = systemContext({
  orgId: toOrgId('00o1'),
  namespace: namespaceOf('svc'),
  name: 'test',
  now: new Date(),
});

beforeAll(async () => {
  await database.pool.query('create table changes (key text, constraint changes_key_key unique (key))');
  await database.pool.query('create table outbox (name text)');
});
beforeEach(async () => {
  await database.pool.query('truncate changes, outbox');
});

let seenByReaction: string[] = [];
const keysIn = async (tx: Tx): Promise<string[]> =>
  (await run<{ key: string }>(tx, 'select key from changes order by key', [])).map(({ key }) => key);

const work = (...given: Parameters<ReturnType<typeof newWork>>) => newWork()(...given);
function newWork(pool = database.pool) {
  return createUnitOfWork<{ readonly eventType: string }>({
    pool,
    constraints: { changes_key_key: () => new ApiError('E0000001', 'taken') },
    reactions: {
      asked: [
        async (tx) => {
          seenByReaction = await keysIn(tx);
        },
      ],
    },
    outbox: (_context, events) => ({
      text: 'insert into outbox (name) select unnest($1::text[])',
      values: [events.map((event) => event.eventType)],
    }),
    committed: () => undefined,
  });
}

const insertion = (key: string) => ({ text: 'insert into changes (key) values ($1)', values: [key] });

async function stored(): Promise<{ changes: string[]; outbox: string[] }> {
  const changes = await database.pool.query<{ key: string }>('select key from changes order by key');
  const outbox = await database.pool.query<{ name: string }>('select name from outbox order by name');
  return { changes: changes.rows.map((row) => row.key), outbox: outbox.rows.map((row) => row.name) };
}

describe('a statement that is sent ahead', () => {
  test('is seen by later statements and by reactions, and commits with the event', async () => {
    await work(context, async (tx, record) => {
      sendAhead(tx, insertion('a'));
      expect(await keysIn(tx)).toEqual(['a']);
      sendAhead(tx, insertion('b'));
      record({ eventType: 'asked' });
    });
    expect(seenByReaction).toEqual(['a', 'b']);
    expect(await stored()).toEqual({ changes: ['a', 'b'], outbox: ['asked'] });
  });

  test('prevents the commit by its failure, which is the error of the whole', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx, record) => {
      sendAhead(tx, insertion('b'));
      sendAhead(tx, insertion('a'));
      record({ eventType: 'made' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('is the cause of what fails after it', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx) => {
      sendAhead(tx, insertion('a'));
      await keysIn(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    const refused = work(context, async (tx) => {
      sendAhead(tx, insertion('b'));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('is run again with the whole after a serialisation failure', async () => {
    let runs = 0;
    await work(context, async (tx, record) => {
      runs += 1;
      sendAhead(tx, insertion(`run ${runs}`));
      if (runs < 3) sendAhead(tx, { text: "do $$ begin raise exception using errcode = '40001'; end $$", values: [] });
      record({ eventType: 'made' });
    });
    expect(runs).toBe(3);
    expect(await stored()).toEqual({ changes: ['run 3'], outbox: ['made'] });
  });

  test('belongs to a unit of work', () => {
    expect(() => sendAhead(database.db, insertion('a'))).toThrow('is not that of a unit of work');
  });
});

describe('a result that is awaited after the unit of work', () => {
  const inserting = (tx: Tx) =>
    startAhead(tx, () => run<{ key: string }>(tx, `insert into changes (key) values ('a') returning key`, []));

  test('is that of the commit', async () => {
    const { result } = await newWork()(context, async (tx) => inserting(tx));
    expect(await result).toEqual([{ key: 'a' }]);
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });

  test('prevents the commit by its failure, whether or not anybody asks for it', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('a')));
    const failing = work(context, async (tx, record) => {
      record({ eventType: 'made' });
      return inserting(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
    expect(await stored()).toEqual({ changes: ['a'], outbox: [] });
  });
});

describe('a decision that assumes something', () => {
  const assume = (condition: string) => ({ text: `select ${assumed(condition)}`, values: [] });
  const decided = (condition: string) =>
    work(context, async (tx, record) => {
      sendAhead(tx, insertion('early'));
      sendAhead(tx, assume(condition));
      record({ eventType: 'made' });
      return 'decided';
    });
  const otherwise = async () => 'decided again';

  test('is committed if it holds', async () => {
    expect(await assuming(() => decided('1 = 1'), otherwise)).toBe('decided');
    expect(await stored()).toEqual({ changes: ['early'], outbox: ['made'] });
  });

  test.each(['1 = 2', 'null'])('leaves no trace if it does not hold (%s), and is made again', async (condition) => {
    expect(await assuming(() => decided(condition), otherwise)).toBe('decided again');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('is made again if a later statement shows that it does not hold', async () => {
    const reading = () =>
      work(context, async (tx) => {
        sendAhead(tx, assume('1 = 2'));
        return (await keysIn(tx)).join();
      });
    expect(await assuming(reading, otherwise)).toBe('decided again');
  });

  test('is not made again for another error', async () => {
    await work(context, async (tx) => sendAhead(tx, insertion('early')));
    await expect(assuming(() => decided('1 = 1'), otherwise)).rejects.toMatchObject({ message: 'taken' });
  });
});

describe('a read that was foreseen', () => {
  test('is taken once; then, and without it, the caller reads', async () => {
    await work(context, async (tx) => {
      foresee(tx, 'keys', () => keysIn(tx));
      sendAhead(tx, insertion('a'));
      expect(await foreseen(tx, 'keys', () => keysIn(tx))).toEqual([]);
      expect(await foreseen(tx, 'keys', () => keysIn(tx))).toEqual(['a']);
      expect(await foreseen(tx, 'other keys', () => keysIn(tx))).toEqual(['a']);
    });
    expect(await foreseen(database.db, 'keys', () => keysIn(database.db))).toEqual(['a']);
  });

  test('is the cause of what fails after it, if a statement of it fails', async () => {
    const failing = work(context, async (tx) => {
      foresee(tx, 'keys', () => run(tx, "do $$ begin raise exception using errcode = '55P03'; end $$", []));
      sendAhead(tx, insertion('a'));
    });
    await expect(failing).rejects.toMatchObject({ status: 503, code: 'E0000181' });
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('is read again with the whole after a deadlock', async () => {
    let runs = 0;
    await work(context, async (tx, record) => {
      runs += 1;
      if (runs < 3)
        foresee(tx, 'keys', () => run(tx, "do $$ begin raise exception using errcode = '40P01'; end $$", []));
      sendAhead(tx, insertion(`run ${runs}`));
      record({ eventType: 'made' });
    });
    expect(runs).toBe(3);
    expect(await stored()).toEqual({ changes: ['run 3'], outbox: ['made'] });
  });

  test('fails for those who take it, and for nobody else', async () => {
    const broken = () => Promise.reject(new Error('unread'));
    await work(context, async (tx) => foresee(tx, 'keys', broken));
    const taking = work(context, async (tx) => {
      foresee(tx, 'keys', broken);
      await foreseen(tx, 'keys', broken);
    });
    await expect(taking).rejects.toThrow('unread');
  });
});

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
