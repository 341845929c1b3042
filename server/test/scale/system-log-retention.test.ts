import { beforeEach, describe, expect, test } from 'vitest';
import type { LogSigner } from '../../src/system-log/index.ts';
import { EVENTS_PER_DELETE } from '../../src/system-log/retention/org-prefixes.ts';
import { beforeTests } from '../support/before-tests.ts';
import { daysAgo, RetentionBench } from '../support/retention-bench.ts';
import { created, targetIds } from '../support/system-log.ts';

const bench = beforeTests(() => RetentionBench.open());
beforeEach(() => bench.clear());

describe('a week of the log', () => {
  test('goes whole once the longest window has passed, and the chain goes on behind a signed anchor', async () => {
    const [one, other, quiet] = [await bench.newOrg(), await bench.newOrg(), await bench.newOrg()];
    await bench.writeAt(one, 120, 110, 109, 20, 0);
    await bench.writeAt(other, 110, 0);
    await bench.writeAt(quiet, 110);
    expect(await bench.verify(one)).toMatchObject({ ok: true, start: 0, verified: 5 });

    const report = await bench.run();
    expect(report).toMatchObject({ clockTrusted: true, deleted: 0, unfinished: false });
    expect(report.dropped.length).toBeGreaterThanOrEqual(2);
    expect(await bench.partitionsBefore(daysAgo(91))).toBe(0);
    expect(await bench.keptOf(one)).toEqual(['at20', 'at0']);
    expect(await bench.keptOf(other)).toEqual(['at0']);
    expect(await bench.keptOf(quiet)).toEqual([]);
    expect(await bench.verify(one)).toMatchObject({ ok: true, start: 3, verified: 2 });
    expect(await bench.verify(other)).toMatchObject({ ok: true, start: 1, verified: 1 });
    expect(await bench.verify(quiet)).toMatchObject({ ok: true, start: 1, verified: 0, head: { position: 1 } });
    await bench.writeAt(quiet, 0);
    expect(await bench.verify(quiet)).toMatchObject({ ok: true, start: 1, verified: 1, head: { position: 2 } });
    expect(await bench.run()).toMatchObject({ dropped: [], deleted: 0, unfinished: false });
  });

  test('stays while any part of it is inside 90 days, and a day longer', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 90, 89);
    expect(await bench.run()).toMatchObject({ dropped: [], deleted: 0 });
    expect(await bench.keptOf(orgId)).toEqual(['at90', 'at89']);
  });

  test('stays as long as one org keeps its log longer, and goes when that org no longer does', async () => {
    const [long, short] = [await bench.newOrg(400), await bench.newOrg()];
    await bench.writeAt(long, 390, 110);
    await bench.writeAt(short, 110, 0);
    expect(await bench.run()).toMatchObject({ dropped: [], deleted: 1 });
    expect(await bench.keptOf(long)).toEqual(['at390', 'at110']);
    expect(await bench.keptOf(short)).toEqual(['at0']);
    await bench.setWindow(long, 90);
    expect((await bench.run()).dropped.length).toBeGreaterThanOrEqual(2);
    expect(await bench.keptOf(long)).toEqual([]);
    for (const orgId of [long, short]) expect(await bench.verify(orgId)).toMatchObject({ ok: true });
  });

  test('goes with the rows of orgs that are gone, for which there is no anchor', async () => {
    const [gone, here] = [await bench.newOrg(), await bench.newOrg()];
    await bench.writeAt(gone, 110);
    await bench.writeAt(here, 110, 0);
    await bench.log.query('delete from orgs where id = $1', [gone]);
    await bench.run();
    expect(await bench.keptOf(gone)).toEqual([]);
    expect(await bench.anchorsOf(here)).toEqual([1]);
    expect(await bench.verify(here)).toMatchObject({ ok: true, start: 1 });
  });

  test('stays, with its events, when an anchor cannot be written', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 0);
    await bench.log.query('alter table log_anchors add constraint refusal_check check (position < 0) not valid');
    await expect(bench.run()).rejects.toThrow('refusal_check');
    await bench.log.query('alter table log_anchors drop constraint refusal_check');
    expect(await bench.keptOf(orgId)).toEqual(['at110', 'at0']);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 0, verified: 2 });
    await bench.run();
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 1, verified: 1 });
  });

  test('that got another event after it was signed for is signed for again', async () => {
    const [orgId, late] = [await bench.newOrg(), await bench.newOrg()];
    await bench.writeAt(orgId, 110, 0);
    let signed = 0;
    const disturbed: LogSigner = async (...given) => {
      signed += 1;
      // This event looks like one from a node whose clock is months behind. The org has no newer events.
      if (signed === 1) await bench.writeAt(late, 110);
      return bench.signer(...given);
    };
    await bench.run(undefined, disturbed);
    expect(signed).toBe(3);
    expect(await bench.anchorsOf(late)).toEqual([1]);
    for (const id of [orgId, late]) expect(await bench.verify(id)).toMatchObject({ ok: true, start: 1 });
  });

  // The window is made longer after the run has looked, for example while its process stands still.
  test.each(['whole', 'in part'])('stays when its window becomes longer before it goes: %s', async (form) => {
    const orgId = await bench.newOrg();
    // A partition goes in part while another org keeps its events longer.
    if (form === 'in part') await bench.newOrg(400);
    await bench.writeAt(orgId, 110, 0);
    const lengthening: LogSigner = async (...given) => {
      await bench.setWindow(orgId, 400);
      return bench.signer(...given);
    };
    expect(await bench.run(undefined, lengthening)).toMatchObject({ deleted: 0, dropped: [] });
    expect(await bench.keptOf(orgId)).toEqual(['at110', 'at0']);
    expect(await bench.anchorsOf(orgId)).toEqual([]);
    await bench.setWindow(orgId, 90);
    await bench.run();
    expect(await bench.keptOf(orgId)).toEqual(['at0']);
  });
});

describe('an org with a shorter window than the longest', () => {
  test('loses the prefix that has left its own, in batches, each with an anchor', async () => {
    const [long, short, middle] = [await bench.newOrg(400), await bench.newOrg(), await bench.newOrg(150)];
    bench.log.clock.set(daysAgo(200));
    const old = 2 * EVENTS_PER_DELETE + 1;
    const many = Array.from({ length: old }, (_, number) => created(`old${number}`));
    for (let at = 0; at < many.length; at += 500) await bench.log.write(short, many.slice(at, at + 500));
    await bench.log.drainAll();
    await bench.writeAt(short, 120, 89, 1);
    await bench.writeAt(middle, 200, 120, 1);
    await bench.writeAt(long, 200, 1);

    expect(await bench.run()).toMatchObject({ dropped: [], deleted: old + 2, unfinished: false });
    expect(await bench.keptOf(short)).toEqual(['at89', 'at1']);
    expect(await bench.keptOf(middle)).toEqual(['at120', 'at1']);
    expect(await bench.keptOf(long)).toEqual(['at200', 'at1']);
    expect(await bench.anchorsOf(short)).toEqual([EVENTS_PER_DELETE, 2 * EVENTS_PER_DELETE, old, old + 1]);
    expect(await bench.verify(short)).toMatchObject({ ok: true, start: old + 1, verified: 2 });
    expect(await bench.verify(middle)).toMatchObject({ ok: true, start: 1, verified: 2 });
    expect(await bench.verify(long)).toMatchObject({ ok: true, start: 0, verified: 2 });
  });

  test('is answered with 90 days by GET /logs however long its window is', async () => {
    const orgId = await bench.newOrg(400);
    await bench.writeAt(orgId, 120, 91, 89, 1);
    await bench.run();
    expect(await bench.keptOf(orgId)).toEqual(['at120', 'at91', 'at89', 'at1']);
    const since = daysAgo(150).toISOString();
    expect(targetIds(await bench.log.events(orgId, { since }))).toEqual(['at89', 'at1']);
    const bounded = { since, until: daysAgo(0).toISOString() };
    expect(targetIds(await bench.log.events(orgId, bounded))).toEqual(['at89', 'at1']);
  });
});

test.each([
  [{}, 90],
  [{ logRetentionDays: 90 }, 90],
  [{ logRetentionDays: 3_650 }, 3_650],
  [{ logRetentionDays: 1 }, 90],
  [{ logRetentionDays: 1e30 }, 3_650],
  [{ logRetentionDays: '400' }, 90],
  [{ logRetentionDays: null }, 90],
])('settings of %j mean a window of %i days', async (settings, days) => {
  const [row] = await bench.log.query<{ days: number }>('select log_retention_days($1::jsonb) as days', [
    JSON.stringify(settings),
  ]);
  expect(row?.days).toBe(days);
});
