import { expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

// Guards compare the rows that a request has read with later commits of other requests (ADR 0072). This works only if
// each statement sees these commits.

const database = beforeTests(() =>
  openTestDatabase({ settings: { default_transaction_isolation: 'repeatable read' } }),
);

test('a transaction sees what others commit, whatever the default of the database is', async () => {
  const { pool } = database;
  const { rows } = await pool.query<{ transaction_isolation: string }>('show transaction_isolation');
  expect(rows).toEqual([{ transaction_isolation: 'read committed' }]);
  await pool.query('create table seen (id integer)');
  const client = await pool.connect();
  try {
    await client.query('begin');
    expect((await client.query('select id from seen')).rows).toEqual([]);
    await pool.query('insert into seen (id) values (1)');
    expect((await client.query('select id from seen')).rows).toEqual([{ id: 1 }]);
    await client.query('rollback');
  } finally {
    client.release();
  }
});
