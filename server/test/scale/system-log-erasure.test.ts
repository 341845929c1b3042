import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { inTransaction, type LogConnection } from '../../src/system-log/relay/connections.ts';
import { eraseEvent } from '../../src/system-log/sealing/erasure/erase-event.ts';
import { beforeTests } from '../support/before-tests.ts';
import { interruptedAt, onDay, SealingBench } from '../support/sealing-bench.ts';

// An erased event leaves nothing but its place, UUID, digest, times, type, severity and outcome, in every form.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const LATER = onDay(0);
const ERASED_AT = onDay(1, 5);

/** Writes nine events of one day. The first three are older rows. */
async function newLog(): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  const at = (number: number) => onDay(3, number);
  await bench.writeOlder(orgId, at(1), at(2), at(3));
  await bench.write(orgId, at(4), at(5), at(6), at(7), at(8), at(9));
  return orgId;
}

const begun = async (): Promise<boolean> => true;

const inOne = <Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result | null> =>
  bench.log.connections.withConnection((connection) => inTransaction(connection, begun, () => use(connection)));

/** Erases an event, and writes the event that explains it. */
async function erase(orgId: OrgId, position: number): Promise<boolean | null> {
  const erased = await inOne((connection) => eraseEvent(connection, orgId, position, ERASED_AT));
  bench.clock.set(onDay(3, 10));
  await bench.log.write(orgId, [{ eventType: 'system.log.event.erase' }]);
  await bench.log.drainAll();
  return erased;
}

const segmentsOf = (orgId: OrgId) =>
  bench.log.query<Readonly<Record<string, unknown>>>('select * from log_segments where org_id = $1 order by 2', [
    orgId,
  ]);

describe('an event is erased', () => {
  test.each([
    ['an older row', 2],
    ['a fresh row', 6],
  ])('as %s, and sealed afterwards', async (_, position) => {
    const orgId = await newLog();
    const before = await bench.eventsOf(orgId);
    expect(await erase(orgId, position)).toBe(true);
    await bench.seal(LATER);
    const after = await bench.eventsOf(orgId);
    const { digest, hash, published, uuid } = before[position - 1] ?? {};
    expect(after[position - 1]).toMatchObject({ digest, hash, published, uuid, salt: null, body: '{}', actorId: '' });
    expect(after.filter((event) => event.position !== position).slice(0, 8)).toEqual(
      before.filter((event) => event.position !== position),
    );
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 10, erased: 1 });
  });

  test.each([1, 4, 9])('at position %i of a segment, as if it had been erased before', async (position) => {
    const orgId = await newLog();
    await bench.log.query(`create table kept as select * from log_unsealed where org_id = '${orgId}'`);
    await inOne((connection) => eraseEvent(connection, orgId, position, ERASED_AT));
    await bench.seal(LATER);
    const expected = await segmentsOf(orgId);
    await bench.log.query('delete from log_segments where org_id = $1', [orgId]);
    await bench.log.query('insert into log_fresh select * from kept');
    await bench.log.query('drop table kept');
    await bench.seal(LATER);
    expect(await segmentsOf(orgId)).not.toEqual(expected);
    expect(await inOne((connection) => eraseEvent(connection, orgId, position, ERASED_AT))).toBe(true);
    expect(await segmentsOf(orgId)).toEqual(expected);
  });

  test('and is found by its type only', async () => {
    const orgId = await newLog();
    await bench.seal(LATER);
    const bounds = { since: onDay(4).toISOString(), until: onDay(2).toISOString() };
    const target = `00u${onDay(3, 4).getTime()}`;
    const found = async (filter: string) => (await bench.log.page(orgId, { ...bounds, filter })).bodies.length;
    expect(await found(`target.id eq "${target}"`)).toBe(1);
    expect(await erase(orgId, 4)).toBe(true);
    expect(await found(`target.id eq "${target}"`)).toBe(0);
    expect(await found('eventType eq "user.lifecycle.create"')).toBe(9);
    const ofActor = 'eventType eq "user.lifecycle.create" and actor.id eq "00uadministrator0001"';
    expect(await found(ofActor)).toBe(8);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, erased: 1 });
  });

  test('once, and not if there is no such event', async () => {
    const orgId = await newLog();
    const attempts = async () => {
      const found: unknown[] = [];
      for (const position of [0, 4, 4, 10]) {
        found.push(await inOne((connection) => eraseEvent(connection, orgId, position, ERASED_AT)));
      }
      return found;
    };
    expect(await attempts()).toEqual([false, true, false, false]);
    await bench.seal(LATER);
    expect(await inOne((connection) => eraseEvent(connection, orgId, 4, ERASED_AT))).toBe(false);
    expect(await inOne((connection) => eraseEvent(connection, orgId, 5, ERASED_AT))).toBe(true);
    expect(await inOne((connection) => eraseEvent(connection, orgId, 5, ERASED_AT))).toBe(false);
    const other = await newLog();
    expect(await inOne((connection) => eraseEvent(connection, other, 5, ERASED_AT))).toBe(true);
  });

  test('with the transaction, or not at all', async () => {
    const orgId = await newLog();
    await bench.seal(LATER);
    const before = await bench.eventsOf(orgId);
    await inOne(async (connection) => {
      expect(await eraseEvent(connection, orgId, 4, ERASED_AT)).toBe(true);
      return null;
    });
    expect(await bench.eventsOf(orgId)).toEqual(before);
  });

  test('wherever a sealer is', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const orgId = await newLog();
      let hasRun = false;
      let isErasedLater = false;
      const act = async () => {
        hasRun = true;
        // Within the transaction of the sealer, the erasure would wait for it, and the test for both.
        const lock = `select pg_try_advisory_lock(hashtextextended('log_sealing ' || $1::text, 0)) as free`;
        const [row] = await bench.log.connections.withConnection(async (connection) => {
          const { rows } = await connection.query(lock, [orgId]);
          await connection.query('select pg_advisory_unlock_all()');
          return rows;
        });
        if (Reflect.get(Object(row), 'free') === true) await erase(orgId, 4);
        else isErasedLater = true;
      };
      const { errors, faults } = await bench.seal(LATER, {
        connections: interruptedAt(bench.log.connections, at, act),
      });
      isOver = !hasRun;
      expect([at, faults, errors]).toEqual([at, [], []]);
      if (isErasedLater || isOver) await erase(orgId, 4);
      await bench.seal(LATER);
      expect((await bench.formsOf(orgId)).rows).toEqual([]);
      expect((await bench.eventsOf(orgId))[3]).toMatchObject({ position: 4, salt: null, body: '{}' });
      expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 10, erased: 1 });
      await bench.clear();
    }
  });
});

test('the files of the tables contain no byte of an erased event after a full vacuum of each', async () => {
  // A body that PostgreSQL has compressed could not be found before the erasure either.
  for (const table of ['log_older', 'log_fresh']) {
    await bench.log.query(`alter table ${table} alter column body set storage external`);
  }
  const orgId = await newLog();
  // One event was an older row, and the other one a fresh row. The bodies in the segment are compressed.
  const wanted = (await bench.eventsOf(orgId)).filter(({ position }) => position === 2 || position === 4);
  const secrets = wanted.flatMap(({ body, salt }) => [salt ?? Buffer.alloc(0), Buffer.from(body)]);
  const tables = async (): Promise<string[]> => [
    'log_segments',
    'log_fresh',
    ...(await bench.log.query<{ name: string }>('select name from log_weeks()')).map(({ name }) => name),
  ];
  const stored = async (): Promise<Buffer> => {
    await bench.log.query('checkpoint');
    const rows = await bench.log.query<{ bytes: Buffer }>(
      `select pg_read_binary_file(pg_relation_filepath(file.oid)) as bytes from pg_class file join pg_class of_table
         on file.oid = of_table.oid or file.oid = of_table.reltoastrelid
       where of_table.relname = any ($1)`,
      [await tables()],
    );
    return Buffer.concat(rows.map(({ bytes }) => bytes));
  };
  const found = async (): Promise<boolean[]> => {
    const bytes = await stored();
    return secrets.map((secret) => bytes.includes(secret));
  };
  expect(secrets.map(({ length }) => length >= 32)).toEqual([true, true, true, true]);
  expect(await found()).toEqual([true, true, true, true]);
  await bench.seal(LATER);
  for (const position of [2, 4]) expect(await erase(orgId, position)).toBe(true);
  // The rows from before the sealing are dead, and still there.
  expect((await found()).some((is) => is)).toBe(true);
  const vacuumed = async (): Promise<boolean[]> => {
    for (const table of await tables()) await bench.log.query(`vacuum full ${table}`);
    return found();
  };
  // Vacuum keeps deleted rows while an older snapshot might see them, such as one of an automatic `analyze`.
  await expect.poll(vacuumed, { timeout: 30_000 }).toEqual([false, false, false, false]);
  expect(await bench.verify(orgId)).toMatchObject({ ok: true, erased: 2 });
});
