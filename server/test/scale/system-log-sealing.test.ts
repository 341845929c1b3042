import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { readSealingLag } from '../../src/platform/operations/index.ts';
import { packThreadFile } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { FaultyConnections } from '../support/log-model-faults.ts';
import { actingBefore, interruptedAt, onDay, SealingBench } from '../support/sealing-bench.ts';
import { created } from '../support/system-log.ts';

// The sealer moves each event once, whatever happens beside it.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

/** The time at which the last one of the days in these tests counts as over. */
const LATER = onDay(0);

/** Writes events of three days, the first of which are older rows. */
async function newLog(): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  await bench.writeOlder(orgId, onDay(5, 60), onDay(5, 61), onDay(4, 5));
  await bench.write(orgId, onDay(4, 7), onDay(4, 7), onDay(3, 0), onDay(3, 80_000));
  return orgId;
}

const SEALED = [
  [1, 2],
  [3, 5],
  [6, 7],
] as const;

describe('sealing', () => {
  test('moves the events of each day that is over into a segment, once', async () => {
    const orgId = await newLog();
    const before = await bench.eventsOf(orgId);
    const { errors, faults, report } = await bench.seal(LATER);
    expect([errors, faults, report]).toEqual([[], [], { events: 7, segments: 3, unfinished: false }]);
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED, rows: [] });
    expect(await bench.eventsOf(orgId)).toEqual(before);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 7 });
    expect((await bench.seal(LATER)).report).toEqual({ events: 0, segments: 0, unfinished: false });
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED, rows: [] });
  });

  test('leaves the day that is not over, and goes on after the last segment', async () => {
    const orgId = await newLog();
    await bench.seal(onDay(3, 80_000));
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED.slice(0, 2), rows: [6, 7] });
    expect((await bench.seal(onDay(2, 599))).report.events).toBe(0);
    expect((await bench.seal(onDay(2, 600))).report.events).toBe(2);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 7 });
  });

  test('waits until no process of an older version runs', async () => {
    const orgId = await newLog();
    expect((await bench.seal(LATER, { maySeal: () => false })).report).toMatchObject({ segments: 0 });
    expect((await bench.formsOf(orgId)).rows).toHaveLength(7);
  });

  test('leaves the database to a relay that is behind', async () => {
    const orgId = await newLog();
    expect((await bench.seal(LATER, { isRelayBehind: () => true })).report).toEqual({
      events: 0,
      segments: 0,
      unfinished: true,
    });
    expect((await bench.formsOf(orgId)).segments).toEqual([]);
  });

  test('writes from a thread what it writes without one', async () => {
    const orgId = await newLog();
    const segments = () => bench.log.query('select * from log_segments where org_id = $1 order by 2', [orgId]);
    await bench.log.query(`create table kept as select * from log_unsealed where org_id = '${orgId}'`);
    await bench.seal(LATER);
    const sealed = await segments();
    await bench.log.query('delete from log_segments where org_id = $1', [orgId]);
    await bench.log.query('insert into log_fresh select * from kept');
    await bench.log.query('drop table kept');
    expect(packThreadFile()).not.toBeNull();
    const { errors, report } = await bench.seal(LATER, { packThreadFile: packThreadFile() });
    expect([errors, report.segments]).toEqual([[], 3]);
    expect(await segments()).toEqual(sealed);
  });

  test('passes over an org that is being deleted', async () => {
    const orgId = await newLog();
    await bench.log.query(`update orgs set status = 'INACTIVE' where id = $1`, [orgId]);
    expect((await bench.seal(LATER)).report.segments).toBe(0);
    await bench.log.query(`update orgs set status = 'ACTIVE' where id = $1`, [orgId]);
    // The org is closed after the sealer has looked at it.
    const close = async () => {
      await bench.log.query(`update orgs set status = 'INACTIVE' where id = $1`, [orgId]);
    };
    expect((await bench.seal(LATER, { connections: interruptedAt(bench.log.connections, 4, close) })).report).toEqual({
      events: 0,
      segments: 0,
      unfinished: false,
    });
    expect((await bench.formsOf(orgId)).rows).toHaveLength(7);
  });

  test('finds no fault in an org that is deleted, whenever that begins', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const orgId = await newLog();
      let hasRun = false;
      // Rows that the sealer has locked leave later, as for the job that deletes an org.
      const remove = async () => {
        hasRun = true;
        await bench.log.query(`update orgs set status = 'INACTIVE' where id = $1`, [orgId]);
        await bench.log.query(
          `delete from log_older where org_id = $1 and position = any (array(
             select position from log_older where org_id = $1 for update skip locked))`,
          [orgId],
        );
      };
      const connections = interruptedAt(bench.log.connections, at, remove);
      const { errors, faults } = await bench.seal(LATER, { connections });
      isOver = !hasRun;
      expect([at, faults, errors]).toEqual([at, [], []]);
      await bench.clear();
    }
  });

  test('moves erased rows, which keep their UUID and digest', async () => {
    const orgId = await newLog();
    await bench.log.query(
      `update log_fresh set salt = null, body = '{}', tokens = '{}', erased_at = now(), actor_id = '',
         target_ids = '{}', client_ip_address = null, transaction_id = '' where org_id = $1 and position = 6`,
      [orgId],
    );
    await bench.log.write(orgId, [{ eventType: 'system.log.event.erase' }]);
    await bench.log.drainAll();
    const before = await bench.eventsOf(orgId);
    await bench.seal(LATER);
    expect((await bench.formsOf(orgId)).rows).toEqual([]);
    expect(await bench.eventsOf(orgId)).toEqual(before);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 8, erased: 1 });
  });
});

describe('two sealers at once', () => {
  test('seal each event once', async () => {
    const orgs = [await newLog()];
    for (const day of [6, 5, 4]) {
      const orgId = await bench.log.newOrg();
      await bench.write(orgId, onDay(day, 1), onDay(day, 2), onDay(3, 3));
      orgs.push(orgId);
    }
    const before = await Promise.all(orgs.map((orgId) => bench.eventsOf(orgId)));
    const runs = await Promise.all([bench.seal(LATER), bench.seal(LATER), bench.seal(LATER)]);
    expect(runs.flatMap(({ faults }) => faults)).toEqual([]);
    for (let more = true; more; ) more = (await bench.seal(LATER)).report.segments > 0;
    for (const [index, orgId] of orgs.entries()) {
      expect((await bench.formsOf(orgId)).rows).toEqual([]);
      expect(await bench.eventsOf(orgId)).toEqual(before[index]);
      expect(await bench.verify(orgId)).toMatchObject({ ok: true });
    }
  });

  test('find no fault, wherever one of them seals between two statements of the other', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const orgId = await newLog();
      const before = await bench.eventsOf(orgId);
      let hasRun = false;
      const act = async () => {
        hasRun = true;
        await bench.seal(LATER);
      };
      const { errors, faults } = await bench.seal(LATER, {
        connections: interruptedAt(bench.log.connections, at, act),
      });
      isOver = !hasRun;
      expect([at, faults, errors]).toEqual([at, [], []]);
      await bench.seal(LATER);
      expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED, rows: [] });
      expect(await bench.eventsOf(orgId)).toEqual(before);
      expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 7 });
      await bench.clear();
    }
  });
});

describe('a sealer that is killed', () => {
  test.each(['killBefore', 'killAfter'] as const)(
    '(%s) at any statement leaves each event in one form',
    async (kind) => {
      for (let at = 1, isOver = false; !isOver; at += 1) {
        const orgId = await newLog();
        const before = await bench.eventsOf(orgId);
        let sent = 0;
        const connections = new FaultyConnections({
          inner: bench.log.connections,
          kill: (pid) => bench.kill(pid),
          onStatement: () => {
            sent += 1;
          },
        });
        connections.arm({ kind, at }, false, () => undefined);
        await bench.seal(LATER, { connections }).catch(() => undefined);
        isOver = sent < at;
        expect(await bench.eventsOf(orgId)).toEqual(before);
        expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 7 });
        // The next run goes on behind the org at which this one ended, and the one after it comes back.
        for (const _ of [1, 2]) await bench.seal(LATER);
        expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED, rows: [] });
        expect(await bench.eventsOf(orgId)).toEqual(before);
        expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 7 });
        await bench.clear();
      }
    },
  );
});

describe('an event that changes while it is sealed', () => {
  test('is not sealed with its old content', async () => {
    const orgId = await newLog();
    const erase = `update log_older set salt = null, body = '{}', tokens = '{}', erased_at = now(), actor_id = '',
      target_ids = '{}', client_ip_address = null, transaction_id = '' where org_id = $1 and position = 1`;
    let isErased = false;
    // The erasure comes between the packing of the first segment and its transaction.
    const act = async () => {
      if (!isErased) await bench.log.query(erase, [orgId]);
      isErased = true;
    };
    const connections = actingBefore(bench.log.connections, (text) => text === 'begin', act);
    const { faults, report } = await bench.seal(LATER, { connections });
    expect([isErased, faults, report.segments]).toEqual([true, [], 0]);
    await bench.seal(LATER);
    const [event] = await bench.eventsOf(orgId);
    expect(event).toMatchObject({ position: 1, body: '{}', salt: null });
    expect((await bench.formsOf(orgId)).rows).toEqual([]);
  });

  test('keeps nothing else from being sealed, and a roll-back that repeats is reported', async () => {
    const [stuck, other] = [await newLog(), await newLog()];
    await bench.log.query(`create function keep_row() returns trigger language plpgsql as 'begin return null; end'`);
    await bench.log.query(
      `create trigger keep before delete on log_fresh for each row when (old.org_id = '${stuck}')
       execute function keep_row()`,
    );
    bench.clock.set(LATER);
    const { errors, sealer } = bench.sealer();
    const run = () => sealer.run(new AbortController().signal);
    for (const runs of [1, 2]) expect([runs, await run(), errors.length]).toMatchObject([runs, {}, 0]);
    await run();
    expect(errors).toMatchObject([{ orgId: stuck, error: { message: expect.stringContaining('3 times') as string } }]);
    expect((await bench.formsOf(stuck)).segments).toEqual(SEALED.slice(0, 1));
    expect(await bench.formsOf(other)).toEqual({ segments: SEALED, rows: [] });
    await bench.log.query('drop trigger keep on log_fresh');
    await bench.log.query('drop function keep_row()');
    await run();
    expect(await bench.formsOf(stuck)).toEqual({ segments: SEALED, rows: [] });
    expect(await bench.verify(stuck)).toMatchObject({ ok: true, verified: 7 });
  });
});

test('an event that comes after its day was sealed waits, so that no walk makes a segment of one event', async () => {
  const orgId = await newLog();
  bench.clock.set(LATER);
  const { errors, sealer } = bench.sealer();
  const run = () => sealer.run(new AbortController().signal);
  await run();
  // The clock of a relay is days behind.
  const late = async (seconds: number) => {
    await bench.write(orgId, onDay(3, seconds));
    bench.clock.set(LATER);
    return run();
  };
  for (const seconds of [80_001, 80_002]) expect(await late(seconds)).toMatchObject({ events: 0, segments: 0 });
  expect(await readSealingLag(bench.database.db)).toMatchObject({ unsealed: 2, seconds: 0 });
  // This is a segment of the next day, after the events that wait.
  await bench.write(orgId, onDay(2, 1));
  expect((await bench.seal(LATER)).report).toMatchObject({ events: 3, segments: 2 });
  expect(errors).toEqual([]);
  expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 10 });
});

test('an event that is written while its day is sealed is sealed after it', async () => {
  const orgId = await newLog();
  let isWritten = false;
  const act = async () => {
    if (isWritten) return;
    isWritten = true;
    bench.clock.set(onDay(3, 80_001));
    await bench.log.write(orgId, [created('00ulate')]);
    await bench.log.drainAll();
    bench.clock.set(LATER);
  };
  await bench.seal(LATER, { connections: interruptedAt(bench.log.connections, 5, act) });
  await bench.seal(LATER);
  expect(await bench.formsOf(orgId)).toMatchObject({ segments: [...SEALED, [8, 8]], rows: [] });
  expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 8 });
});
