import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/kernel/context.ts';
import { ApiError } from '../../src/kernel/errors/errors.ts';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { createUnitOfWork, type Reactions, run, type Tx } from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

interface TestEvent {
  readonly eventType: string;
}

const database = beforeTests(() => openTestDatabase());
let wakes = 0;

const context: Context = systemContext({
  orgId: toOrgId('00o1'),
  namespace: namespaceOf('svc'),
  name: 'test',
  now: new Date(),
});

function workWith(reactions: Reactions<TestEvent> = {}) {
  return createUnitOfWork<TestEvent>({
    pool: database.pool,
    constraints: { changes_key_key: () => new ApiError('E0000001', 'taken') },
    reactions,
    outbox: (recorded) => ({
      text: 'insert into outbox (name) select unnest($1::text[])',
      values: [recorded.flatMap(({ events }) => events.map((event) => event.eventType))],
    }),
    committed: () => {
      wakes += 1;
    },
  });
}

const insert = (tx: Tx, key: string) => run(tx, 'insert into changes (key) values ($1)', [key]);

async function stored(): Promise<{ changes: string[]; outbox: string[] }> {
  const changes = await database.pool.query<{ key: string }>('select key from changes order by key');
  const outbox = await database.pool.query<{ name: string }>('select name from outbox order by name');
  return { changes: changes.rows.map((row) => row.key), outbox: outbox.rows.map((row) => row.name) };
}

beforeAll(async () => {
  await database.pool.query('create table changes (key text constraint changes_key_key unique)');
  await database.pool.query('create table outbox (name text constraint outbox_name_check check (name <> $$bad$$))');
});

beforeEach(async () => {
  wakes = 0;
  await database.pool.query('truncate changes, outbox');
});

describe('unitOfWork', () => {
  test('commits the change and its event together, and wakes the relay once', async () => {
    const result = await workWith()(context, async (tx, record) => {
      await insert(tx, 'a');
      record({ eventType: 'made' });
      return 7;
    });
    expect(result).toBe(7);
    expect(await stored()).toEqual({ changes: ['a'], outbox: ['made'] });
    expect(wakes).toBe(1);
  });

  test('a throw leaves neither change nor event, and the connection is usable again', async () => {
    const work = workWith();
    const refused = work(context, async (tx, record) => {
      await insert(tx, 'a');
      record({ eventType: 'made' });
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
    expect(wakes).toBe(0);
    await work(context, (tx) => insert(tx, 'b'));
    expect((await stored()).changes).toEqual(['b']);
  });

  test('an event that cannot be written takes the change with it, though COMMIT itself resolves', async () => {
    const work = workWith();
    const refused = work(context, async (tx, record) => {
      await insert(tx, 'a');
      record({ eventType: 'bad' });
    });
    await expect(refused).rejects.toThrow('outbox_name_check');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('a statement error that a use case swallows does not become a commit', async () => {
    const refused = workWith()(context, async (tx, record) => {
      await insert(tx, 'a');
      await insert(tx, 'a').catch(() => undefined);
      record({ eventType: 'made' });
    });
    await expect(refused).rejects.toThrow();
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('maps a violated constraint by its name to its error', async () => {
    const work = workWith();
    await work(context, (tx) => insert(tx, 'a'));
    await expect(work(context, (tx) => insert(tx, 'a'))).rejects.toMatchObject({ code: 'E0000001', message: 'taken' });
  });

  test('runs the whole use case again on a serialisation failure, with one effect', async () => {
    let runs = 0;
    await workWith()(context, async (tx, record) => {
      runs += 1;
      await insert(tx, `run ${runs}`);
      record({ eventType: 'made' });
      if (runs < 3) await run(tx, "do $$ begin raise exception using errcode = '40001'; end $$", []);
    });
    expect(runs).toBe(3);
    expect(await stored()).toEqual({ changes: ['run 3'], outbox: ['made'] });
  });

  test('gives up after four runs', async () => {
    let runs = 0;
    const endless = workWith()(context, async (tx) => {
      runs += 1;
      await run(tx, "do $$ begin raise exception using errcode = '40P01'; end $$", []);
    });
    await expect(endless).rejects.toMatchObject({ status: 503, code: 'E0000181' });
    expect(runs).toBe(4);
  });

  test('answers 503 with Retry-After when a lock is not to be had', async () => {
    await database.pool.query("insert into changes values ('hot')");
    const holder = await database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query("select from changes where key = 'hot' for update");
      const waiting = workWith()(context, (tx) => run(tx, "update changes set key = 'x' where key = 'hot'", []));
      await expect(waiting).rejects.toMatchObject({
        code: 'E0000181',
        status: 503,
        headers: { 'retry-after': '1' },
      });
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  test('reactions run in the same transaction, breadth first, and may record in turn', async () => {
    const order: string[] = [];
    const reactions: Reactions<TestEvent> = {
      first: [
        async (tx, _context, event, record) => {
          order.push(event.eventType);
          await insert(tx, 'by reaction');
          record({ eventType: 'second' });
        },
      ],
      second: [
        async (_tx, _context, event) => {
          order.push(event.eventType);
        },
      ],
    };
    await workWith(reactions)(context, async (_tx, record) => record({ eventType: 'first' }));
    expect(order).toEqual(['first', 'second']);
    expect(await stored()).toEqual({ changes: ['by reaction'], outbox: ['first', 'second'] });
  });

  test('refuses reactions that would run deeper than three', async () => {
    const again: Reactions<TestEvent> = {
      loop: [async (_tx, _context, _event, record) => record({ eventType: 'loop' })],
    };
    const looping = workWith(again)(context, async (_tx, record) => record({ eventType: 'loop' }));
    await expect(looping).rejects.toThrow('deeper than 3');
    expect(await stored()).toEqual({ changes: [], outbox: [] });
  });

  test('nothing recorded and nothing run is no transaction', async () => {
    expect(await workWith()(context, () => Promise.resolve('nothing'))).toBe('nothing');
    expect(wakes).toBe(0);
  });
});

describe('a request whose caller was checked too long ago', () => {
  const UNAVAILABLE = { code: 'E0000181', headers: { 'retry-after': '1' } };

  test('begins no change', async () => {
    let runs = 0;
    const late = { ...context, changesUntil: performance.now() - 1 };
    await expect(workWith()(late, async () => void (runs += 1))).rejects.toMatchObject(UNAVAILABLE);
    expect(runs).toBe(0);
  });
});
