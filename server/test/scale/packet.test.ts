import assert from 'node:assert/strict';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Packet, sendPacket } from '../../src/platform/postgres/connections/packet.ts';
import { sendQuery } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

// This file tests statements that are sent alone with `sendQuery`, or together with `sendPacket`.

const database = beforeTests(() => openTestDatabase());
let client: pg.PoolClient;
let descriptions = 0;

beforeAll(async () => {
  client = await database.pool.connect();
  const connection: unknown = Reflect.get(client, 'connection');
  const on: unknown = Reflect.get(Object(connection), 'on');
  if (typeof on !== 'function') throw new Error('this version of pg has no connection');
  Reflect.apply(on, connection, ['rowDescription', () => (descriptions += 1)]);
  await client.query('create table kept (id integer, at timestamptz, data bytea, tags text[], note jsonb)');
});
afterAll(() => client.release(true));
beforeEach(async () => {
  await client.query('truncate kept');
  descriptions = 0;
});

const AT = new Date('2026-01-02T03:04:05.678Z');
const INSERT = 'insert into kept (id, at, data, tags, note) values ($1, $2, $3, $4, $5)';
const insertion = (id: number) => ({
  name: 'kept_insert',
  text: INSERT,
  values: [id, AT, Buffer.from([0, id]), ['a', '"'], '{"b":1}'],
});
const insert = (id: number) => sendQuery(client, insertion(id));
const find = (id: number) =>
  sendQuery(client, { name: 'kept_find', text: 'select * from kept where id >= $1 order by id', values: [id] });
const rowOf = (id: number) => ({ id, at: AT, data: Buffer.from([0, id]), tags: ['a', '"'], note: { b: 1 } });

test('is described once, and each result has all rows and types', async () => {
  for (const id of [1, 2, 3]) expect(await insert(id)).toMatchObject({ command: 'INSERT', rowCount: 1, rows: [] });
  for (const id of [1, 2, 3, 4]) {
    const { command, rowCount, rows } = await find(id);
    expect({ command, rowCount, rows }).toEqual({
      command: 'SELECT',
      rowCount: 4 - id,
      rows: [1, 2, 3].filter((other) => other >= id).map(rowOf),
    });
  }
  expect(descriptions).toBe(1);
});

test('is described by each execution that was sent before the first result', async () => {
  const text = 'select $1::integer + 1 as next';
  const send = (value: number) => sendQuery(client, { name: 'next', text, values: [value] });
  const first = await Promise.all([1, 2, 3].map(send));
  expect(first.map(({ rows }) => rows)).toEqual([[{ next: 2 }], [{ next: 3 }], [{ next: 4 }]]);
  expect(descriptions).toBe(3);
  expect((await send(7)).rows).toEqual([{ next: 8 }]);
  expect(descriptions).toBe(3);
});

test('goes on after a failed execution, whether the first or a later one failed', async () => {
  const send = (divisor: number) =>
    sendQuery(client, { name: 'ratio', text: 'select 6 / $1::integer as ratio', values: [divisor] });
  const refused = { code: '22012', stack: expect.stringContaining('packet.test') };
  await expect(send(0)).rejects.toMatchObject(refused);
  expect((await send(2)).rows).toEqual([{ ratio: 3 }]);
  await expect(send(0)).rejects.toMatchObject(refused);
  expect((await send(3)).rows).toEqual([{ ratio: 2 }]);
});

test('refuses the statement if a change of its table affects the columns', async () => {
  await insert(1);
  await find(1);
  await client.query('alter table kept add column further text');
  try {
    await expect(find(1)).rejects.toMatchObject({ code: '0A000' });
  } finally {
    await client.query('alter table kept drop column further');
  }
  expect((await find(1)).rows).toEqual([rowOf(1)]);
});

test('has descriptions of its own on each connection', async () => {
  await insert(1);
  const other = await database.pool.connect();
  try {
    const config = { name: 'kept_find', text: 'select id as other from kept where id = $1', values: [1] };
    expect((await sendQuery(other, config)).rows).toEqual([{ other: 1 }]);
    expect((await sendQuery(other, config)).rows).toEqual([{ other: 1 }]);
  } finally {
    other.release(true);
  }
  expect((await find(1)).rows).toEqual([rowOf(1)]);
});

describe('a packet of several statements', () => {
  const ratio = (divisor: number) => ({
    name: `six by ${divisor}`,
    text: `select 6 / $1::integer as by_${divisor}`,
    values: [divisor],
  });
  const send = async (...configs: pg.QueryConfig[]) => {
    const packet = new Packet();
    const results = configs.map((config) => packet.add(config));
    const settled = Promise.allSettled(results);
    const sent = await sendPacket(client, packet).then(
      () => 'sent',
      (error: Error) => error.message,
    );
    return { sent, results: await settled };
  };
  const rows = (...expected: object[]) => ({ status: 'fulfilled', value: { rows: expected } });
  const refused = (code: string) => ({ status: 'rejected', reason: { code } });

  test('has a result for each', async () => {
    const unnamed = { text: 'select 1 as one' };
    const { results, sent } = await send(unnamed, ratio(2), insertion(1), ratio(2), { text: '' }, unnamed);
    expect(sent).toBe('sent');
    expect(results).toMatchObject([
      rows({ one: 1 }),
      rows({ by_2: 3 }),
      rows(),
      rows({ by_2: 3 }),
      rows(),
      rows({ one: 1 }),
    ]);
    expect((await find(1)).rows).toEqual([rowOf(1)]);
  });

  test('stops at the first that fails, and the names of the others can still be used', async () => {
    const { results, sent } = await send(insertion(1), ratio(0), insertion(2), ratio(3));
    expect(sent).toBe('division by zero');
    expect(results).toMatchObject([rows(), refused('22012'), refused('22012'), refused('22012')]);
    // Without BEGIN, a packet is one transaction.
    expect((await find(1)).rows).toEqual([]);
    expect((await send(ratio(3), ratio(0))).results).toMatchObject([rows({ by_3: 2 }), refused('22012')]);
    expect((await send(ratio(3))).results).toMatchObject([rows({ by_3: 2 })]);
  });

  test('is not sent if a value has no form, or a name has another text', async () => {
    const formless = {
      toPostgres: () => {
        throw new Error('formless');
      },
    };
    const failing = await send(insertion(1), { ...ratio(5), values: [formless] });
    expect(failing).toMatchObject({ sent: 'formless', results: [{ status: 'rejected' }, { status: 'rejected' }] });
    const other = await send(insertion(1), ratio(6), { ...ratio(6), text: 'select 1' });
    expect(other.sent).toBe('two statements have the name six by 6');
    expect((await find(1)).rows).toEqual([]);
    expect((await send(ratio(5), ratio(6))).sent).toBe('sent');
  });

  test('keeps the names that another packet has sent to be parsed', async () => {
    const formless = { ...ratio(7), values: [{ toPostgres: () => assert.fail('formless') }] };
    const [first, second, third] = await Promise.all([
      send({ text: 'select pg_sleep(0.05)' }, ratio(7)),
      send(formless),
      send(ratio(7)),
    ]);
    expect([first.sent, second.sent, third.sent]).toEqual(['sent', 'formless', 'sent']);
  });

  test('fails where a value cannot be read, and goes on behind it', async () => {
    // Gatehouse uses no values of this type.
    pg.types.setTypeParser(pg.types.builtins.MONEY, () => assert.fail('unreadable'));
    const { results, sent } = await send({ text: 'select 1::money union all select 2::money' }, ratio(2));
    expect(sent).toBe('sent');
    expect(results).toMatchObject([{ status: 'rejected', reason: { message: 'unreadable' } }, rows({ by_2: 3 })]);
  });

  test('fails as a whole if the connection is lost', async () => {
    const lost = await database.pool.connect();
    const packet = new Packet();
    const results = Promise.allSettled([
      packet.add({ text: 'select pg_terminate_backend(pg_backend_pid())' }),
      packet.add({ text: 'select 1' }),
    ]);
    await expect(sendPacket(lost, packet)).rejects.toThrow();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    lost.release(true);
  });
});
