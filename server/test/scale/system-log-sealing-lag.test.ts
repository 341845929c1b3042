import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { readSealingLag } from '../../src/platform/operations/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { isRemoval, onDay, SealingBench, withAnswers } from '../support/sealing-bench.ts';

// The sealer tells about itself how late it is, and why it fails.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const LATER = onDay(0);
const signal = (): AbortSignal => new AbortController().signal;
const lag = () => readSealingLag(bench.database.db);
const secondsSince = (time: Date): number => (Date.now() - time.getTime()) / 1_000;
const failure = (code: string): Error => Object.assign(new Error('a statement failed'), { code });

async function newLog(): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  await bench.write(orgId, onDay(5, 60), onDay(4, 5), onDay(3, 7));
  return orgId;
}

/** Makes connections on which the statements that are meant fail. */
const failing = (code: string, isMeant: (text: string, values: readonly unknown[]) => boolean) =>
  withAnswers(bench.log.connections, (text, values) => (isMeant(text, values) ? Promise.reject(failure(code)) : null));

const isPage = (text: string): boolean => text.includes('from (select org_id from log_heads where org_id > $1');

describe('the lag', () => {
  test('says how long ago an event should have been sealed, and how many are not', async () => {
    const orgId = await newLog();
    expect(await lag()).toBeNull();
    await bench.seal(LATER, { connections: failing('57014', isRemoval) });
    const found = await lag();
    expect(found).toMatchObject({ unsealed: 3, blockedOrgs: 0 });
    expect(Math.abs((found?.seconds ?? 0) - secondsSince(onDay(4, 600)))).toBeLessThan(60);
    await bench.seal(LATER);
    expect(await lag()).toEqual({ unsealed: 0, blockedOrgs: 0, seconds: 0 });
    expect((await bench.formsOf(orgId)).rows).toEqual([]);
  });

  test('grows while nothing seals, because the last walk stored when an event of its day would be due', async () => {
    await newLog();
    // The clock of the sealer is in the past, so that time has passed since for the reader.
    expect((await bench.seal(onDay(2, 700))).report.events).toBe(3);
    const found = await lag();
    expect(found).toMatchObject({ unsealed: 0 });
    expect(Math.abs((found?.seconds ?? 0) - secondsSince(onDay(1, 600)))).toBeLessThan(60);
  });

  test('begins an hour after the first run if no walk is ever whole', async () => {
    await newLog();
    expect((await bench.seal(LATER, { isRelayBehind: () => true })).report.unfinished).toBe(true);
    expect(await lag()).toEqual({ unsealed: 0, blockedOrgs: 0, seconds: 0 });
    const [row] = await bench.log.query<{ seconds: number }>(
      `select extract(epoch from (value::jsonb ->> 'dueAt')::timestamptz - clock_timestamp())::float8 as seconds
       from installation where name = 'log_sealing'`,
    );
    expect(Math.abs((row?.seconds ?? 0) - 3_600)).toBeLessThan(60);
  });

  test('of events that fill a segment counts from the walk that first found them', async () => {
    const orgId = await bench.log.newOrg();
    await bench.write(orgId, onDay(1, 60));
    await bench.log.query('update log_heads set position = 40000 where org_id = $1', [orgId]);
    const connections = failing('57014', (text) => text.includes('bytes_before'));
    // The second walk is that of another process.
    for (const seconds of [30_000, 33_000]) {
      await bench.seal(onDay(1, seconds), { connections });
      expect(Math.abs(((await lag())?.seconds ?? 0) - secondsSince(onDay(1, 30_000)))).toBeLessThan(60);
    }
  });
});

describe('a walk through all orgs', () => {
  test('is gone on with by another process, with what the first one found', async () => {
    const [first, second] = [await newLog(), await newLog()].toSorted();
    let looks = 0;
    const { report } = await bench.seal(LATER, {
      connections: failing('23514', isRemoval),
      // The relay falls behind after the first org.
      isRelayBehind: () => ++looks > 2,
    });
    expect(report).toMatchObject({ segments: 0, unfinished: true });
    expect((await bench.seal(LATER)).report).toEqual({ events: 3, segments: 3, unfinished: false });
    expect((await bench.formsOf(first as OrgId)).rows).toHaveLength(3);
    expect((await bench.formsOf(second as OrgId)).rows).toEqual([]);
    expect(await lag()).toMatchObject({ unsealed: 3 });
  });

  test('says nothing if it rested for long', async () => {
    await newLog();
    await newLog();
    let looks = 0;
    await bench.seal(LATER, { connections: failing('23514', isRemoval), isRelayBehind: () => ++looks > 2 });
    await bench.log.query(
      `update installation set value = jsonb_set(value::jsonb, '{walk,restsSince}',
         to_jsonb(clock_timestamp() - interval '2 minutes'))::text where name = 'log_sealing'`,
    );
    expect((await bench.seal(LATER)).report.events).toBe(3);
    // This is what the first run stored. The next walk is whole.
    expect(await lag()).toEqual({ unsealed: 0, blockedOrgs: 0, seconds: 0 });
    expect((await bench.seal(LATER, { connections: failing('23514', isRemoval) })).errors).toHaveLength(1);
    expect(await lag()).toMatchObject({ unsealed: 3 });
  });

  test('passes over an org that cannot even be looked at, and reports it', async () => {
    const [first, ...others] = [await newLog(), await newLog(), await newLog()].toSorted();
    const connections = failing('57014', (text, [after, count]) => isPage(text) && (Number(count) > 1 || after === ''));
    const { errors, report } = await bench.seal(LATER, { connections });
    expect(errors).toMatchObject([{ orgId: null, error: { code: '57014' } }]);
    expect(report).toMatchObject({ segments: 6, unfinished: false });
    for (const orgId of others) expect((await bench.formsOf(orgId)).rows).toEqual([]);
    expect((await bench.formsOf(first as OrgId)).rows).toHaveLength(3);
    // The walk does not know what is unsealed there, so it says nothing.
    expect(await lag()).toEqual({ unsealed: 0, blockedOrgs: 0, seconds: 0 });
  });
});

describe('a run', () => {
  test('that fails is reported', async () => {
    await newLog();
    bench.clock.set(LATER);
    const { errors, sealer } = bench.sealer({ connections: failing('42P01', isPage) });
    await expect(sealer.run(signal())).rejects.toMatchObject({ code: '42P01' });
    expect(errors).toMatchObject([{ orgId: null, error: { code: '42P01' } }]);
  });

  test('ends when many orgs in a row fail for the same reason, and the next one goes on after them', async () => {
    for (let orgs = 0; orgs < 22; orgs += 1) await bench.write(await bench.log.newOrg(), onDay(3, 7));
    bench.clock.set(LATER);
    const { errors, sealer } = bench.sealer({ connections: failing('42501', isRemoval) });
    await expect(sealer.run(signal())).rejects.toMatchObject({ code: '42501' });
    expect([errors.length, errors.at(-1)?.orgId]).toEqual([21, null]);
    expect(await sealer.run(signal())).toMatchObject({ unfinished: false });
    expect(errors).toHaveLength(23);
    expect(await lag()).toMatchObject({ unsealed: 22 });
  });
});
