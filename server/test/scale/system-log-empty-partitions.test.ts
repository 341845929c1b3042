import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import type { Connections } from '../../src/system-log/relay/connections.ts';
import { dropEmptyPartitions, MOST_DROPS } from '../../src/system-log/retention/empty-partitions.ts';
import { beforeTests } from '../support/before-tests.ts';
import { switchLog, undoSwitch } from '../support/log-switch.ts';
import { RetentionBench } from '../support/retention-bench.ts';
import { withAnswers } from '../support/sealing-bench.ts';
import { numbersTo } from '../support/system-log.ts';

// After the switch to `log_fresh`, sealing empties the partitions of the renamed table, and retention drops them.

const bench = beforeTests(() => RetentionBench.open());
beforeEach(async () => {
  await undoSwitch(bench.database);
  await bench.clear();
  await bench.log.query(`select log_ensure_partitions(now(), now() + interval '35 days')`);
});

const running = (): AbortSignal => new AbortController().signal;
const drop = (signal = running()) => dropEmptyPartitions(bench.log.connections, signal);

/** Runs a drop that is told to stop when it looks for the second time whether a reader has an older snapshot. */
function dropUntilSecondLook() {
  const stopping = new AbortController();
  let looks = 0;
  const connections: Connections = {
    withConnection: (use) =>
      bench.log.connections.withConnection((connection) =>
        use({
          query: (text, values, name) => {
            if (text.includes('pg_stat_activity')) looks += 1;
            if (looks === 2) stopping.abort();
            return connection.query(text, values, name);
          },
        }),
      ),
  };
  return dropEmptyPartitions(connections, stopping.signal);
}

/** Drops partitions until a run finds no more. Returns their names. */
async function dropAll(): Promise<string[]> {
  const dropped: string[] = [];
  for (;;) {
    const run = await drop();
    dropped.push(...run.dropped);
    if (!run.unfinished) return dropped;
  }
}

const partitions = async (): Promise<string[]> =>
  (await bench.log.query<{ name: string }>('select name from log_weeks()')).map(({ name }) => name);

/** Deletes the rows of an org from the renamed table, as sealing does. */
const empty = (orgId: OrgId) => bench.log.query('delete from log_older where org_id = $1', [orgId]);

describe('an empty partition', () => {
  test('stays before the switch, because its week may come', async () => {
    const before = await partitions();
    expect(before.length).toBeGreaterThan(0);
    expect(await drop()).toEqual({ dropped: [], unfinished: false });
    expect(await partitions()).toEqual(before);
  });

  test('is dropped after the switch, and one with events stays', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 20, 0);
    expect(await switchLog(bench.database)).toBe(true);
    const before = await partitions();
    const dropped = await dropAll();
    const left = await partitions();
    expect(left).toHaveLength(2);
    expect([...dropped, ...left].toSorted()).toEqual(before.toSorted());
    expect(await bench.keptOf(orgId)).toEqual(['at20', 'at0']);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 2 });
    expect(await drop()).toEqual({ dropped: [], unfinished: false });
  });

  test('is dropped once its last event is sealed, without an anchor', async () => {
    const [orgId, other] = [await bench.newOrg(), await bench.newOrg()];
    await bench.writeAt(orgId, 20, 0);
    await bench.writeAt(other, 0);
    expect(await switchLog(bench.database)).toBe(true);
    await empty(orgId);
    await dropAll();
    expect(await partitions()).toHaveLength(1);
    await empty(other);
    await dropAll();
    expect(await partitions()).toEqual([]);
    expect(await bench.anchorsOf(orgId)).toEqual([]);
    // The relay goes on without any partition.
    await bench.writeAt(other, 0);
    expect(await bench.keptOf(other)).toEqual(['at0']);
  });

  test('is one of few that a run drops', async () => {
    const weeks = MOST_DROPS + 4;
    await bench.log.query(`select log_ensure_partitions('2030-01-07', $1::timestamptz)`, [
      new Date(Date.UTC(2030, 0, 7) + (weeks - 1) * 7 * 86_400_000),
    ]);
    expect(await switchLog(bench.database)).toBe(true);
    const first = await drop();
    expect(first.dropped).toHaveLength(MOST_DROPS);
    expect(first.unfinished).toBe(true);
    await dropAll();
    expect(await partitions()).toEqual([]);
  });
});

test('a partition that takes long to look through stays, and the other empty ones are dropped', async () => {
  expect(await switchLog(bench.database)).toBe(true);
  const [slowest, ...others] = await partitions();
  const slow = Object.assign(new Error('a statement took too long'), { code: '57014' });
  const connections = withAnswers(bench.log.connections, (text) =>
    text.includes(`from "${slowest}" order by`) ? Promise.reject(slow) : null,
  );
  const { dropped } = await dropEmptyPartitions(connections, running());
  expect(dropped.toSorted()).toEqual(others.slice(0, MOST_DROPS).toSorted());
  expect(await partitions()).toContain(slowest);
});

describe('beside others', () => {
  test('stays while a reader has a snapshot in which it has events', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 20, 0);
    expect(await switchLog(bench.database)).toBe(true);
    await dropAll();
    const before = await partitions();
    const reader = await bench.database.pool.connect();
    await reader.query('begin isolation level repeatable read');
    // This statement takes the snapshot, and locks no table of the log.
    await reader.query('select 1 from orgs limit 1');
    await empty(orgId);
    expect(await dropUntilSecondLook()).toEqual({ dropped: [], unfinished: false });
    expect(await partitions()).toEqual(before);
    const { rows } = await reader.query<{ count: number }>(
      'select count(*)::integer as count from log_unsealed where org_id = $1',
      [orgId],
    );
    expect(rows).toEqual([{ count: 2 }]);
    await reader.query('commit');
    reader.release();
    expect((await dropAll()).toSorted()).toEqual(before.toSorted());
  });

  test('stays while a reader uses the table, and goes with a later run', async () => {
    expect(await switchLog(bench.database)).toBe(true);
    const before = await partitions();
    const reader = await bench.database.pool.connect();
    await reader.query('begin');
    await reader.query('select 1 from log_unsealed limit 1');
    expect(await drop()).toEqual({ dropped: [], unfinished: false });
    expect(await partitions()).toEqual(before);
    await reader.query('commit');
    reader.release();
    expect((await dropAll()).toSorted()).toEqual(before.toSorted());
  });

  test('is dropped by one of several processes', async () => {
    expect(await switchLog(bench.database)).toBe(true);
    const before = await partitions();
    const runs = await Promise.all(numbersTo(3).map(() => drop()));
    const dropped = [...runs.flatMap((run) => run.dropped), ...(await dropAll())];
    expect(dropped.toSorted()).toEqual(before.toSorted());
  });

  test('stays if the run is told to stop', async () => {
    expect(await switchLog(bench.database)).toBe(true);
    const before = await partitions();
    expect((await drop(AbortSignal.abort())).dropped).toEqual([]);
    expect(await partitions()).toEqual(before);
  });
});

test('retention tells which partitions it dropped, and drops weeks of the renamed table with anchors', async () => {
  const orgId = await bench.newOrg();
  await bench.writeAt(orgId, 110, 20, 0);
  expect(await switchLog(bench.database)).toBe(true);
  await bench.writeAt(orgId, 0);
  const reports = [await bench.run()];
  while (reports.at(-1)?.unfinished === true) reports.push(await bench.run());
  expect(reports.flatMap(({ dropped }) => dropped).length).toBeGreaterThanOrEqual(1);
  expect(reports.flatMap(({ emptied }) => emptied).length).toBeGreaterThanOrEqual(1);
  expect(await partitions()).toHaveLength(2);
  expect(await bench.keptOf(orgId)).toEqual(['at20', 'at0', 'at0']);
  expect(await bench.anchorsOf(orgId)).toEqual([1]);
  expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 1, verified: 3 });
});
