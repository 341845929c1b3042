import { beforeEach, describe, expect, test } from 'vitest';
import { verifyOrg } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { isSwitched, switchLog, undoSwitch } from '../support/log-switch.ts';
import { startTestService } from '../support/service.ts';
import { LogBench, targetIds } from '../support/system-log.ts';

// F30 (docs/faults.md): an upgrade renames the table to which relays append, and older builds come back afterward.

const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const bench = beforeTests(() => new LogBench(database.pool));
beforeEach(() => undoSwitch(database));

describe('a statement of an older build', () => {
  test.each([
    [
      'that appends',
      `insert into log_events (org_id, position, persisted_at, uuid, published, event_type, severity, actor_id,
         target_ids, transaction_id, tokens, digest, hash, body)
       values ($1, 1, now(), gen_random_uuid(), now(), 't', 'INFO', 'a', '{}', 't', '{}', '', '', '{}')`,
    ],
    ['that reads a page', 'select position, body from log_events where org_id = $1 order by position limit 10'],
    ['that deletes', 'delete from log_events where org_id = $1 and position <= 1'],
  ])('%s fails after the switch on the connection that had prepared it', async (name, text) => {
    const statement = { name, text, values: [await bench.newOrg()] };
    const client = await database.pool.connect();
    // PostgreSQL keeps a plan that it has used some times.
    for (let times = 0; times < 7; times += 1) {
      await client.query('begin');
      await client.query(statement);
      await client.query('rollback');
    }
    expect(await switchLog(database)).toBe(true);
    const gone = { code: '42P01', message: 'relation "log_events" does not exist' };
    await expect(client.query(statement)).rejects.toMatchObject(gone);
    client.release();
  });
});

test('the retention of an older build finds no partition to drop after the switch', async () => {
  const statement = { name: 'older_weeks', text: 'select name from log_partitions() order by first_instant' };
  const client = await database.pool.connect();
  for (let times = 0; times < 7; times += 1) expect((await client.query(statement)).rows.length).toBeGreaterThan(0);
  const { rows: weeks } = await client.query('select name from log_weeks()');
  expect(await switchLog(database)).toBe(true);
  expect((await client.query(statement)).rows).toEqual([]);
  expect((await client.query('select name from log_weeks()')).rows).toEqual(weeks);
  client.release();
});

test('services go on across the switch, and their log is one chain', async () => {
  const own = await openTestDatabase({ isSwitched: false });
  const services = [await startTestService({ database: own }), await startTestService({ database: own })];
  try {
    const [first, second] = services;
    if (first === undefined || second === undefined) throw new Error('there are two services');
    const { org } = first;
    const before = await org.createUser();
    await first.drained();
    // A drain may use the table at the very moment.
    await expect.poll(() => isSwitched(own).then((is) => is || switchLog(own)), { timeout: 20_000 }).toBe(true);
    const after = await org.createUser();
    const made = await org.systemLog('eventType eq "user.lifecycle.create"');
    const ids = targetIds(made);
    expect(ids).toContain(before.id);
    expect(ids.at(-1)).toBe(after.id);
    for (const service of services) expect(service.logged()).not.toContain('the relay could not drain');
    const rows = await own.pool.query('select from log_fresh where org_id = $1', [org.id]);
    expect(rows.rowCount).toBeGreaterThan(0);
    expect(await verifyOrg(new LogBench(own.pool).connections, org.id)).toMatchObject({ ok: true });
  } finally {
    for (const service of services) await service.close();
    await own.close();
  }
});
