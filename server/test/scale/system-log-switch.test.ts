import { beforeEach, describe, expect, test } from 'vitest';
import { readPartitionedDays } from '../../src/installation/installation-store.ts';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { createInstallationMetrics } from '../../src/platform/operations/index.ts';
import { applyDeferred } from '../../src/platform/postgres/index.ts';
import { type Relay, verifyOrg } from '../../src/system-log/index.ts';
import { LEDGER_TABLE } from '../../src/system-log/relay/relay-store.ts';
import { beforeTests } from '../support/before-tests.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { openTestDatabase } from '../support/database.ts';
import { FaultyConnections } from '../support/log-model-faults.ts';
import { isSwitched, switchLog, undoSwitch } from '../support/log-switch.ts';
import { created, LogBench, numbersTo, targetIds, testClock } from '../support/system-log.ts';

// The relay appends to `log_events` until a deferred migration renames that table, and to `log_fresh` from then on.

const database = beforeTests(() => openTestDatabase({ isSwitched: false, maximumConnections: 20 }));
const bench = beforeTests(() => new LogBench(database.pool));
beforeEach(() => undoSwitch(database));

async function countsOf(orgId: OrgId): Promise<{ older: number; fresh: number } | undefined> {
  const older = (await isSwitched(database)) ? 'log_older' : 'log_events';
  const [row] = await bench.query<{ older: number; fresh: number }>(
    `select (select count(*) from ${older} where org_id = $1)::integer as older,
       (select count(*) from log_fresh where org_id = $1)::integer as fresh`,
    [orgId],
  );
  return row;
}

/** Expects that the org's log has these events, in this order, with dense positions and an intact chain. */
async function expectLog(orgId: OrgId, ids: readonly string[]): Promise<void> {
  expect(await bench.positions(orgId)).toEqual(numbersTo(ids.length));
  expect(targetIds(await bench.events(orgId))).toEqual(ids);
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: ids.length });
}

const missing = 'relation "log_events" does not exist';

/** Makes the relay of an older build, which appends to `log_events` without looking. */
const olderRelay = (): Relay =>
  bench.relay({
    connections: {
      withConnection: (use) =>
        bench.connections.withConnection((connection) =>
          use({
            query: (text, values, name) =>
              text.includes(LEDGER_TABLE)
                ? connection.query(text.replace(LEDGER_TABLE, `'log_events'`), values)
                : connection.query(text, values, name),
          }),
        ),
    },
  });

const faulty = () =>
  new FaultyConnections({ inner: bench.connections, kill: async () => undefined, onStatement: () => undefined });

describe('the migration', () => {
  test('is applied at once in a new installation, whose relay appends to log_fresh', async () => {
    const fresh = await openTestDatabase();
    try {
      expect(await isSwitched(fresh)).toBe(true);
      const own = new LogBench(fresh.pool);
      const orgId = await own.newOrg();
      await own.write(orgId, [created('00u1')]);
      await own.drainAll();
      const rows = await own.query('select from log_fresh where org_id = $1', [orgId]);
      expect(rows).toHaveLength(1);
    } finally {
      await fresh.close();
    }
  });

  test('leads to a table without an index beside its key, so that appending costs the same at any size', async () => {
    const indexes = await bench.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index where indrelid = 'log_fresh'::regclass`,
    );
    expect(indexes).toEqual([{ name: 'log_fresh_pkey' }]);
    // Vacuum neither waits for a share of a large table nor locks the table to shorten it.
    const [{ options } = { options: [] }] = await bench.query<{ options: readonly string[] }>(
      `select reloptions as options from pg_class where oid = 'log_fresh'::regclass`,
    );
    expect(options).toEqual(expect.arrayContaining(['vacuum_truncate=off', 'autovacuum_vacuum_scale_factor=0']));
  });

  test('waits until no process of an older version was seen for a minute', async () => {
    const seen = (seconds: number) =>
      bench.query('update nodes set seen_at = clock_timestamp() - make_interval(secs => $1)', [seconds]);
    expect(await applyDeferred(database.connection)).toEqual([]);
    await seen(30);
    expect(await applyDeferred(database.connection)).toEqual([]);
    expect(await isSwitched(database)).toBe(false);
    await seen(61);
    expect(await applyDeferred(database.connection)).toEqual([expect.stringContaining('_fresh_end.deferred.contract')]);
    expect(await isSwitched(database)).toBe(true);
  });

  test('gives up soon while somebody reads, and leaves everything as it was', async () => {
    const orgId = await bench.newOrg();
    const reader = await database.pool.connect();
    await reader.query('begin');
    await reader.query('select 1 from log_unsealed limit 1');
    const over = new AbortController();
    const switched = switchLog(database).finally(() => over.abort());
    const waits: number[] = [];
    while (!over.signal.aborted) {
      const asked = performance.now();
      await bench.query('select 1 from log_unsealed limit 1');
      waits.push(performance.now() - asked);
    }
    expect(await switched).toBe(false);
    // A reader that comes after the rename queues behind it, until it gives up after 150 ms.
    expect(Math.max(...waits)).toBeLessThan(whileBusy(500));
    await bench.write(orgId, [created('00u1')]);
    await bench.drainAll();
    expect(await countsOf(orgId)).toEqual({ older: 1, fresh: 0 });
    await reader.query('commit');
    reader.release();
    expect(await switchLog(database)).toBe(true);
    await expectLog(orgId, ['00u1']);
  });

  test('drops nothing, and no partition is made after it', async () => {
    const nameOf = ({ name }: { name: string }) => name;
    const namesOf = async () => (await bench.query<{ name: string }>('select name from log_weeks()')).map(nameOf);
    const make = async (day: string) =>
      (await bench.query<{ made: number }>('select log_ensure_partitions($1, $1) as made', [day]))[0]?.made;
    expect(await make('2032-01-07')).toBe(1);
    const before = await namesOf();
    expect(before).toContain('log_events_20320105');
    expect(await switchLog(database)).toBe(true);
    expect(await make('2033-01-05')).toBe(0);
    expect(await namesOf()).toEqual(before);
  });

  test('ends what doctor and the metrics say of partitions ahead', async () => {
    const metrics = createInstallationMetrics(database.db, testClock());
    expect(await readPartitionedDays(database.db)).toBeGreaterThan(14);
    expect(await metrics()).toContain('gatehouse_log_partitions_ahead ');
    expect(await switchLog(database)).toBe(true);
    expect(await readPartitionedDays(database.db)).toBeNull();
    for (const text of [await metrics(), await metrics()]) {
      expect(text).toMatch(/^gatehouse_log_partitions \d/m);
      expect(text).not.toContain('gatehouse_log_partitions_ahead');
    }
  });
});

describe('a relay', () => {
  test('appends to the one table before the switch and to the other after it, in one chain', async () => {
    const orgId = await bench.newOrg();
    const relay = bench.relay();
    await bench.write(orgId, [created('00u1'), created('00u2')]);
    await relay.drain();
    expect(await countsOf(orgId)).toEqual({ older: 2, fresh: 0 });
    expect(await switchLog(database)).toBe(true);
    // Events of either form that wait for the relay are appended to the same table.
    await bench.write(orgId, [created('00u3')]);
    await bench.writeRows(orgId, [created('00u4')]);
    await relay.drain();
    expect(await countsOf(orgId)).toEqual({ older: 2, fresh: 2 });
    await expectLog(orgId, ['00u1', '00u2', '00u3', '00u4']);
  });

  test('of an older version takes turns with one of this version before the switch, and fails after it', async () => {
    const orgId = await bench.newOrg();
    const [older, newer] = [olderRelay(), bench.relay()];
    for (const [number, relay] of [older, newer, older, newer].entries()) {
      await bench.write(orgId, [created(`00u${number}`)]);
      expect(await relay.drain()).toMatchObject({ events: 1 });
    }
    expect(await switchLog(database)).toBe(true);
    await bench.write(orgId, [created('00u4')]);
    await expect(older.drain()).rejects.toThrow(missing);
    await bench.writeRows(orgId, [created('00u5')]);
    await expect(older.drain()).rejects.toThrow(missing);
    expect(await bench.positions(orgId)).toEqual(numbersTo(4));
    expect(await newer.drain()).toMatchObject({ events: 2 });
    expect(await countsOf(orgId)).toEqual({ older: 4, fresh: 2 });
    await expectLog(orgId, ['00u0', '00u1', '00u2', '00u3', '00u4', '00u5']);
  });

  test.each([...numbersTo(9), 'commit' as const])(
    'that is before its statement %s when another process switches loses and repeats nothing',
    async (at) => {
      const orgId = await bench.newOrg();
      await bench.write(orgId, [created('00u1'), created('00u2')]);
      await bench.writeRows(orgId, [created('00u3')]);
      const connections = faulty();
      const relay = bench.relay({ connections });
      const paused = new Promise<void>((resolve) => connections.arm({ kind: 'pause', at }, false, resolve));
      const drained = relay.drain();
      await Promise.race([paused, drained]);
      await switchLog(database);
      connections.goOn();
      expect(await drained).toMatchObject({ events: 3 });
      await expect.poll(() => isSwitched(database).then((is) => is || switchLog(database))).toBe(true);
      await bench.write(orgId, [created('00u4')]);
      expect(await relay.drain()).toMatchObject({ events: 1 });
      await expectLog(orgId, ['00u1', '00u2', '00u3', '00u4']);
    },
  );

  test.each([4, 5, 6, 7])(
    'that looked before the switch, and is before its statement %i, does not fork the chain of a later one',
    async (at) => {
      const orgId = await bench.newOrg();
      await bench.write(orgId, [created('00u1'), created('00u2')]);
      const [early, late] = [faulty(), faulty()];
      late.arm(null, true, () => undefined);
      const paused = new Promise<void>((resolve) => early.arm({ kind: 'pause', at }, false, resolve));
      const drains = [bench.relay({ connections: early }).drain()];
      await Promise.race([paused, ...drains]);
      await switchLog(database);
      drains.push(bench.relay({ connections: late }).drain());
      early.goOn();
      await Promise.allSettled(drains);
      await bench.drainAll();
      await expectLog(orgId, ['00u1', '00u2']);
    },
  );

  test('that finds neither table fails each time, and goes on when it is back', async () => {
    const orgId = await bench.newOrg();
    expect(await switchLog(database)).toBe(true);
    await bench.query('alter table log_fresh rename to log_hidden');
    await bench.write(orgId, [created('00u1')]);
    const relay = bench.relay();
    for (let drains = 0; drains < 3; drains += 1) {
      await expect(relay.drain()).rejects.toMatchObject({ code: '42P01' });
    }
    await bench.query('alter table log_hidden rename to log_fresh');
    expect(await relay.drain()).toMatchObject({ events: 1 });
    await expectLog(orgId, ['00u1']);
  });

  test('takes no position twice: behind a head that was moved back, events wait, and other orgs go on', async () => {
    const [orgId, other] = [await bench.newOrg(), await bench.newOrg()];
    expect(await switchLog(database)).toBe(true);
    await bench.write(orgId, [created('00u1'), created('00u2')]);
    await bench.drainAll();
    const moveHead = (position: number) =>
      bench.query(
        `update log_heads set position = $2, hash = (select hash from log_fresh where org_id = $1 and position = $2)
         where org_id = $1`,
        [orgId, position],
      );
    await moveHead(1);
    await bench.write(orgId, [created('00u3')]);
    await bench.write(other, [created('00u1')]);
    const relay = bench.relay();
    const errors: unknown[] = [];
    for (let drains = 0; drains < 30; drains += 1) await relay.drain().catch((error: unknown) => errors.push(error));
    expect(errors.length).toBeGreaterThan(0);
    expect(String(errors[0])).toContain('log_fresh_pkey');
    expect(await bench.query('select from log_quarantine where org_id = $1', [orgId])).toEqual([]);
    await expectLog(other, ['00u1']);
    await moveHead(2);
    await bench.drainAll(relay);
    await expectLog(orgId, ['00u1', '00u2', '00u3']);
  });
});
