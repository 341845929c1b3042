import { describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { type NewEvent, verifyOrg } from '../../src/system-log/index.ts';
import { takeInputs } from '../../src/system-log/outbox/input-store.ts';
import { inTransaction } from '../../src/system-log/relay/connections.ts';
import { drainOutbox, FenceError } from '../../src/system-log/relay/outbox-drain-store.ts';
import { ensurePartitions, tryRelayLock } from '../../src/system-log/relay/relay-store.ts';
import { bodyDigest, chainHash, GENESIS_HASH } from '../../src/system-log/rendering/digest.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { created, LogBench, nextOf, numbersTo, parsed, targetIds, testClock } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const bench = beforeTests(() => new LogBench(database.pool));

const positionsOf = (orgId: OrgId): Promise<number[]> => bench.positions(orgId);

const open = async (): Promise<boolean> => true;

test('what commits gets dense positions in order of the change, and a chain TypeScript computes alike', async () => {
  const orgId = await bench.newOrg();
  await bench.write(orgId, [created('00ua'), created('00ub')]);
  await bench.write(orgId, [created('00uc')]);
  await bench.drainAll();

  const rows = await bench.query<{ position: number; salt: Buffer; digest: Buffer; hash: Buffer; body: string }>(
    'select position, salt, digest, hash, body from log_unsealed where org_id = $1 order by position',
    [orgId],
  );
  expect(targetIds(rows.map((row) => JSON.parse(row.body)))).toEqual(['00ua', '00ub', '00uc']);
  let previous = GENESIS_HASH;
  for (const [index, row] of rows.entries()) {
    expect(row.position).toBe(index + 1);
    expect(row.digest).toEqual(bodyDigest(row.salt, row.body));
    expect(row.hash).toEqual(chainHash(orgId, index + 1, row.digest, previous));
    previous = row.hash;
  }
});

test('what rolls back leaves nothing, and a drain of an empty queue moves nothing', async () => {
  const orgId = await bench.newOrg();
  const longActor = { id: 'a'.repeat(2_000), type: 'User', alternateId: 'a', displayName: 'a' };
  await expect(bench.write(orgId, [created('00u1', { actor: longActor })])).rejects.toThrow(/too long an id/);
  expect(await bench.relay().drain()).toEqual({ events: 0, lagMilliseconds: 0 });
  expect(await positionsOf(orgId)).toEqual([]);
});
test('what is longer than one drain keeps its order, and the next drain takes more of it', async () => {
  const orgId = await bench.newOrg();
  const ids = numbersTo(1_203).map((number) => `00u${number}`);
  await bench.write(
    orgId,
    ids.map((id) => created(id)),
  );
  const relay = bench.relay();
  expect(await relay.drain()).toMatchObject({ events: 500 });
  expect(await relay.drain()).toMatchObject({ events: 703 });
  const seen = targetIds(await bench.events(orgId, { limit: '1000' }));
  expect(seen).toEqual(ids.slice(0, 1_000));
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: 1_203 });
});

test('a flood of one org does not hold up another', async () => {
  const [loud, quiet] = [await bench.newOrg(), await bench.newOrg()];
  await bench.write(
    loud,
    numbersTo(1_100).map((number) => created(`00u${number}`)),
  );
  await bench.write(quiet, [created('00uquiet')]);
  const relay = bench.relay();
  // A drain that runs out of time leaves the second org to the next drain, which begins with that org.
  for (let drains = 0; drains < 2 && (await positionsOf(quiet)).length === 0; drains += 1) await relay.drain();
  expect(await positionsOf(quiet)).toEqual([1]);
  expect((await positionsOf(loud)).length).toBeLessThan(1_100);
  await bench.drainAll();
});

test('a drain without time left serves one org, and the next drain begins with the one after it', async () => {
  const orgIds = [await bench.newOrg(), await bench.newOrg(), await bench.newOrg()].sort();
  for (const orgId of orgIds) await bench.write(orgId, [created('00uone'), created('00utwo')]);
  const relay = bench.relay({ budgetMilliseconds: -1 });
  for (const served of numbersTo(orgIds.length)) {
    expect(await relay.drain()).toMatchObject({ events: 2 });
    const counts = await Promise.all(orgIds.map(async (orgId) => (await positionsOf(orgId)).length));
    expect(counts).toEqual(orgIds.map((_, index) => (index < served ? 2 : 0)));
  }
});

test('a batch costs the same whatever waits behind it, with the statistics of the empty queue too', async () => {
  const orgId = await bench.newOrg();
  await bench.write(orgId, [created('00u1')]);
  await bench.query(
    `insert into log_inputs
       select (jsonb_populate_record(waiting, jsonb_build_object('id', nextval('log_outbox_id_seq'),
         'uuid', gen_random_uuid()))).*
       from log_inputs waiting, generate_series(1, 20000) where org_id = $1`,
    [orgId],
  );
  // A vacuum leaves these statistics after all events have been drained: pages without rows.
  await bench.query(
    `update pg_class set reltuples = 0, relpages = 10
       where oid in ('log_inputs'::regclass, 'log_inputs_pkey'::regclass)`,
  );
  await bench.query('insert into log_heads (org_id) values ($1)', [orgId]);
  const rows = await bench.connections.withConnection((connection) =>
    inTransaction(connection, open, async () => {
      const before = await bench.outboxRowsRead(connection);
      // These steps come before the first batch of a relay that starts.
      await ensurePartitions(connection, bench.clock.now(), 5);
      expect((await bench.outboxRowsRead(connection)) - before).toBeLessThan(200);
      await tryRelayLock(connection);
      expect((await takeInputs(connection, orgId, 500, 0)).taken).toHaveLength(500);
      return (await bench.outboxRowsRead(connection)) - before;
    }),
  );
  expect(rows).toBeGreaterThanOrEqual(500);
  expect(rows).toBeLessThan(2_000);
  const quiet = await bench.newOrg();
  await bench.write(quiet, [created('00uquiet')]);
  const relay = bench.relay();
  await relay.drain();
  await relay.drain();
  expect(await positionsOf(quiet)).toEqual([1]);
  await bench.query('delete from log_inputs where org_id = $1', [orgId]);
  await bench.query('vacuum analyze log_inputs');
});

test('persisted_at never goes back and never precedes published, whatever the clocks say', async () => {
  const orgId = await bench.newOrg();
  const clock = testClock('2026-11-20T12:00:00.000Z');
  const skewed = new LogBench(database.pool, clock);
  await skewed.write(orgId, [created('00u1')]);
  await skewed.drainAll();
  clock.set('2026-11-20T13:00:00.000Z');
  await skewed.write(orgId, [created('00u2')]);
  clock.set('2026-11-20T11:00:00.000Z');
  await skewed.write(orgId, [created('00u3')]);
  await skewed.drainAll();
  const rows = await bench.query<{ persisted_at: Date }>(
    'select persisted_at from log_unsealed where org_id = $1 order by position',
    [orgId],
  );
  expect(rows.map((row) => row.persisted_at.toISOString())).toEqual([
    '2026-11-20T12:00:00.000Z',
    '2026-11-20T13:00:00.000Z',
    '2026-11-20T13:00:00.000Z',
  ]);
});

test('a clock years ahead finds its partition', async () => {
  const orgId = await bench.newOrg();
  const ahead = new LogBench(database.pool, testClock('2031-03-04T05:06:07.890Z'));
  await ahead.write(orgId, [created('00ufuture')]);
  await ahead.drainAll();
  expect(targetIds(await ahead.events(orgId))).toEqual(['00ufuture']);
});

test('events of an org that is gone do not stop the others', async () => {
  const [gone, here] = [await bench.newOrg(), await bench.newOrg()];
  await bench.write(gone, [created('00ugone')]);
  await bench.query('delete from orgs where id = $1', [gone]);
  await bench.write(here, [created('00uhere')]);
  await bench.relay().drain();
  expect(await positionsOf(here)).toEqual([1]);
  await bench.query('delete from log_inputs where org_id = $1', [gone]);
});

/** Functions that queue an event, either as an input or as a row in the form that builds up to 0.3 wrote. */
const FORMS: Readonly<Record<string, (orgId: OrgId, event: NewEvent) => Promise<unknown>>> = {
  inputs: (orgId, event) => bench.write(orgId, [event]),
  rows: (orgId, event) => bench.writeRows(orgId, [event]),
};

describe('the fence', () => {
  test.each(Object.entries(FORMS))('a relay whose head moved meanwhile rolls back: %s', async (_, queue) => {
    const orgId = await bench.newOrg();
    await queue(orgId, created('00u1'));
    await bench.drainAll();
    await queue(orgId, created('00u2'));
    // The trigger suppresses the update of the head, as if another relay had changed the head in between.
    await bench.query(
      `create function move_head() returns trigger language plpgsql as
       $$ begin if pg_trigger_depth() = 1 then return null; end if; return new; end $$`,
    );
    await bench.query('create trigger move_head before update on log_heads for each row execute function move_head()');
    await expect(bench.relay().drain()).rejects.toThrow(FenceError);
    await bench.query('drop trigger move_head on log_heads');
    await bench.query('drop function move_head');
    expect(await positionsOf(orgId)).toEqual([1]);
    await bench.drainAll();
    expect(await positionsOf(orgId)).toEqual([1, 2]);
  });

  test('without a head nothing is numbered', async () => {
    const orgId = await bench.newOrg();
    await bench.writeRows(orgId, [created('00u1')]);
    const drained = bench.connections.withConnection((connection) =>
      inTransaction(connection, open, () => drainOutbox(connection, 'log_fresh', orgId, 500, bench.clock.now())),
    );
    await expect(drained).rejects.toThrow(FenceError);
    await bench.write(orgId, [created('00u2')]);
    await bench.connections.withConnection((connection) =>
      inTransaction(connection, open, async () => {
        await connection.query('delete from log_outbox where org_id = $1', [orgId]);
        expect(await takeInputs(connection, orgId, 500, 0)).toMatchObject({ head: null, taken: [{ format: 1 }] });
        return null;
      }),
    );
    await bench.drainAll();
    expect(await positionsOf(orgId)).toEqual([1, 2]);
  });

  test('a second relay finds the lock taken and says so', async () => {
    const orgId = await bench.newOrg();
    await bench.write(orgId, [created('00u1')]);
    await bench.connections.withConnection((connection) =>
      inTransaction(connection, open, async () => {
        await connection.query('select pg_try_advisory_xact_lock($1)', ['7449355575226105204']);
        expect(await bench.relay().drain()).toBe('busy');
        return null;
      }),
    );
    expect(await bench.relay().drain()).toMatchObject({ events: 1 });
  });
});

test('under writers, two relays and a poller: dense, complete, in order, once each, and the chain holds', async () => {
  const orgId = await bench.newOrg();
  const writers = 8;
  const perWriter = 40;
  const errors: unknown[] = [];
  const relays = [bench.relay({ onError: (error) => errors.push(error) }), bench.relay()];
  for (const relay of relays) relay.start();
  let writing = true;
  const written = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let number = 0; number < perWriter; number += 1) {
        await bench.write(orgId, [created(`w${writer}-${number}a`), created(`w${writer}-${number}b`)]);
        relays[writer % 2]?.wake();
      }
    }),
  ).then(() => {
    writing = false;
  });

  const seen: string[] = [];
  let query: Record<string, string> = { since: '2026-11-20T00:00:00Z', limit: '7' };
  const total = writers * perWriter * 2;
  while (seen.length < total) {
    const page = await bench.page(orgId, query);
    seen.push(...targetIds(parsed(page)));
    const next = nextOf(page);
    if (next === null) throw new Error('a polling page must have a next link');
    query = next;
  }
  await written;
  expect(writing).toBe(false);
  await Promise.all(relays.map((relay) => relay.stop()));

  expect(errors).toEqual([]);
  expect(new Set(seen).size).toBe(total);
  expect(seen).toHaveLength(total);
  for (let writer = 0; writer < writers; writer += 1) {
    const own = seen.filter((id) => id.startsWith(`w${writer}-`));
    const inOrder = Array.from({ length: perWriter }, (_, number) => [
      `w${writer}-${number}a`,
      `w${writer}-${number}b`,
    ]).flat();
    expect(own).toEqual(inOrder);
  }
  expect(await positionsOf(orgId)).toEqual(numbersTo(total));
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: total });
});

test('the loop outlives lost connections', async () => {
  const orgId = await bench.newOrg();
  const relay = bench.relay();
  relay.start();
  for (let round = 0; round < 5; round += 1) {
    await bench.write(orgId, [created(`00u${round}`)]);
    await bench
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
      .catch(() => undefined);
  }
  await expect.poll(() => positionsOf(orgId).catch(() => [])).toEqual(numbersTo(5));
  await relay.stop();
});
