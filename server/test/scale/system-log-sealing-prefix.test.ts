import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { beforeTests } from '../support/before-tests.ts';
import { actingBefore, onDay, SealingBench, withAnswers } from '../support/sealing-bench.ts';

// Events leave the log of an org as a prefix of it, whatever its forms and whoever is at work beside retention.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const NOW = onDay(1, 43_200);
/** At this time, the first two events of `newLog` are due for sealing. */
const SEALED_AT = onDay(99, 600);

/** Writes events whose partition has left the window of 90 days, except for the last one. */
async function newLog(): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  await bench.writeOlder(orgId, onDay(100, 1), onDay(100, 2), onDay(99, 1), onDay(99, 2));
  await bench.write(orgId, onDay(5, 1));
  return orgId;
}

/** Expects that the ledger has a suffix of the org's five events, which begins behind the last anchor. */
async function expectSuffix(orgId: OrgId): Promise<number> {
  const positions = (await bench.eventsOf(orgId)).map(({ position }) => position);
  const start = (await bench.anchorsOf(orgId)).at(-1) ?? 0;
  expect(positions).toEqual([1, 2, 3, 4, 5].slice(start));
  expect(await bench.verify(orgId)).toMatchObject({ ok: true, start, verified: 5 - start });
  return start;
}

describe('while a segment cannot leave', () => {
  test('the rows behind it stay, and the events of other orgs in the same partition leave', async () => {
    const [orgId, other] = [await newLog(), await newLog()];
    await bench.seal(SEALED_AT);
    expect(await bench.formsOf(orgId)).toEqual({ segments: [[1, 2]], rows: [3, 4, 5] });
    const lock = 'select from log_segments where org_id = $1 for update';
    await bench.whileLocked(lock, [orgId], async () => {
      expect(await bench.retain(NOW)).toMatchObject({ unfinished: true });
    });
    expect(await expectSuffix(orgId)).toBe(0);
    expect(await expectSuffix(other)).toBe(4);
    for (let more = true; more; ) more = (await bench.retain(NOW)).unfinished;
    expect(await expectSuffix(orgId)).toBe(4);
  });
});

test('a partition whose deleted rows take long to step over keeps its events, and others leave', async () => {
  const [orgId, other] = [await newLog(), await bench.log.newOrg()];
  await bench.write(other, onDay(100, 1), onDay(5, 1));
  const slow = Object.assign(new Error('a statement took too long'), { code: '57014' });
  const connections = withAnswers(bench.log.connections, (text) =>
    text.includes('with recursive owner') ? Promise.reject(slow) : null,
  );
  expect(await bench.retain(NOW, connections)).toMatchObject({ deleted: 1, unfinished: true });
  expect((await bench.formsOf(other)).rows).toEqual([2]);
  expect(await expectSuffix(orgId)).toBe(0);
});

test('a partition whose anchors are refused keeps its events, and others leave', async () => {
  const [orgId, other] = [await newLog(), await bench.log.newOrg()];
  await bench.write(other, onDay(100, 1), onDay(5, 1));
  await bench.log.query(`alter table log_anchors add constraint refusal_check check (org_id <> '${orgId}') not valid`);
  await expect(bench.retain(NOW)).rejects.toThrow('refusal_check');
  await bench.log.query('alter table log_anchors drop constraint refusal_check');
  expect((await bench.formsOf(other)).rows).toEqual([2]);
  expect(await expectSuffix(orgId)).toBe(0);
});

test('an empty partition that cannot be dropped keeps no event from leaving', async () => {
  const orgId = await bench.log.newOrg();
  await bench.writeOlder(orgId, onDay(100, 1));
  await bench.write(orgId, onDay(5, 1));
  await bench.seal(onDay(0));
  const refused = Object.assign(new Error('a statement was refused'), { code: '42501' });
  const connections = withAnswers(bench.log.connections, (text) =>
    text.startsWith('drop table') ? Promise.reject(refused) : null,
  );
  await expect(bench.retain(NOW, connections)).rejects.toBe(refused);
  expect(await bench.formsOf(orgId)).toEqual({ segments: [[2, 2]], rows: [] });
  expect(await bench.anchorsOf(orgId)).toEqual([1]);
});

test('rows that are sealed at any moment of a retention run leave with their segment', async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const orgId = await newLog();
    let hasRun = false;
    const seal = async () => {
      hasRun = true;
      await bench.seal(SEALED_AT);
      bench.clock.set(NOW);
    };
    let sent = 0;
    // Before a commit, the table may be locked for readers too, and the sealer would wait for this transaction.
    const isMeant = (text: string): boolean => text !== 'commit' && ++sent === at;
    await bench.retain(NOW, actingBefore(bench.log.connections, isMeant, seal));
    isOver = !hasRun;
    await expectSuffix(orgId);
    for (let more = true; more; ) more = (await bench.retain(NOW)).unfinished;
    expect([at, await expectSuffix(orgId)]).toEqual([at, 4]);
    await bench.clear();
  }
});
