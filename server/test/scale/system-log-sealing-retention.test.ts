import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { readLogPartitions } from '../../src/platform/operations/cross-org-store.ts';
import type { RetentionReport } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { FaultyConnections } from '../support/log-model-faults.ts';
import { onDay, SealingBench } from '../support/sealing-bench.ts';

// Whole segments leave the ledger, from the oldest one on, and an anchor stands for them.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const SEALED_AT = onDay(0);
/** The window of 90 days ends a day late, so at this time it ends at noon, 92 days ago. */
const NOON = 43_200;
const NOW = onDay(1, NOON);

const TIMES = [
  onDay(100, 60),
  onDay(100, 61),
  onDay(93, 5),
  onDay(92, NOON - 3_600),
  onDay(92, NOON + 3_600),
  onDay(91, 7),
  onDay(5, 1),
];
const SEGMENTS = [
  [1, 2],
  [3, 3],
  [4, 5],
  [6, 6],
  [7, 7],
] as const;

async function newLog(logRetentionDays = 90): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  await bench.log.query('update orgs set settings = $2 where id = $1', [orgId, JSON.stringify({ logRetentionDays })]);
  await bench.write(orgId, ...TIMES);
  return orgId;
}

async function sealedLog(logRetentionDays = 90): Promise<OrgId> {
  const orgId = await newLog(logRetentionDays);
  await bench.seal(SEALED_AT);
  return orgId;
}

describe('a segment', () => {
  test('leaves whole when its last event has left the window, behind a signed anchor', async () => {
    const orgId = await sealedLog();
    expect(await bench.retain(NOW)).toMatchObject({ deleted: 3, unfinished: false });
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEGMENTS.slice(2), rows: [] });
    expect(await bench.anchorsOf(orgId)).toEqual([3]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 3, verified: 4 });
    expect(await bench.retain(onDay(1, NOON + 3_600))).toMatchObject({ deleted: 0 });
    expect(await bench.retain(onDay(1, NOON + 3_601))).toMatchObject({ deleted: 2, unfinished: false });
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEGMENTS.slice(3), rows: [] });
    expect(await bench.anchorsOf(orgId)).toEqual([3, 5]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 5, verified: 2 });
  });

  test('leaves by the window of its own org', async () => {
    const [long, short] = [await sealedLog(400), await sealedLog()];
    await bench.retain(NOW);
    expect((await bench.formsOf(long)).segments).toEqual(SEGMENTS);
    expect((await bench.formsOf(short)).segments).toEqual(SEGMENTS.slice(2));
    expect(await bench.anchorsOf(long)).toEqual([]);
  });

  test('leaves although it is damaged', async () => {
    const orgId = await sealedLog();
    await bench.log.query(`update log_segments set head = '\\x00' where org_id = $1 and last_position < 4`, [orgId]);
    await bench.retain(NOW);
    expect((await bench.formsOf(orgId)).segments).toEqual(SEGMENTS.slice(2));
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 3, verified: 4 });
  });

  test('stays behind one that stays', async () => {
    const orgId = await sealedLog();
    await bench.log.query(
      `update log_segments set first_persisted_at = $2, last_persisted_at = $2 where org_id = $1 and last_position = 2`,
      [orgId, onDay(2).toISOString()],
    );
    expect(await bench.retain(NOW)).toMatchObject({ deleted: 0 });
    expect((await bench.formsOf(orgId)).segments).toEqual(SEGMENTS);
  });

  test('that left is where sealing goes on', async () => {
    const orgId = await sealedLog();
    await bench.log.query('delete from log_segments where org_id = $1 and last_position > 3', [orgId]);
    await bench.log.query(
      'update log_heads set position = 3, hash = (select substring(hashes from 1 for 32)' +
        ' from log_segments where org_id = $1 and last_position = 3) where org_id = $1',
      [orgId],
    );
    await bench.retain(NOW);
    expect(await bench.formsOf(orgId)).toEqual({ segments: [], rows: [] });
    await bench.write(orgId, onDay(4, 1), onDay(4, 2));
    await bench.seal(SEALED_AT);
    expect((await bench.formsOf(orgId)).segments).toEqual([[4, 5]]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 3, verified: 2 });
  });
});

describe('rows behind segments', () => {
  test('leave one by one if they are not sealed', async () => {
    const orgId = await newLog();
    expect(await bench.retain(NOW)).toMatchObject({ deleted: 4, unfinished: false });
    expect(await bench.formsOf(orgId)).toEqual({ segments: [], rows: [5, 6, 7] });
    expect(await bench.anchorsOf(orgId)).toEqual([4]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 4, verified: 3 });
    await bench.seal(SEALED_AT);
    expect((await bench.formsOf(orgId)).segments).toEqual([[5, 5], ...SEGMENTS.slice(3)]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 4, verified: 3 });
  });

  test('leave after the segments and the older rows of their org', async () => {
    // An org with a longer window keeps the partitions of older rows.
    await newLog(400);
    const orgId = await bench.log.newOrg();
    await bench.writeOlder(orgId, onDay(100, 1), onDay(99, 1), onDay(98, 1));
    await bench.write(orgId, onDay(97, 1), onDay(5, 1));
    await bench.seal(onDay(99, 600));
    expect(await bench.formsOf(orgId)).toEqual({ segments: [[1, 1]], rows: [2, 3, 4, 5] });
    const lock = 'select from log_older where org_id = $1 and position = 3 for update';
    await bench.whileLocked(lock, [orgId], async () => {
      expect(await bench.retain(NOW)).toMatchObject({ unfinished: true });
    });
    const left = await bench.formsOf(orgId);
    expect(left.segments).toEqual([]);
    expect(left.rows).toContain(4);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true });
    expect(await bench.retain(NOW)).toMatchObject({ unfinished: false });
    expect(await bench.formsOf(orgId)).toEqual({ segments: [], rows: [5] });
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 4, verified: 1 });
  });
});

describe('an org whose segments cannot leave now', () => {
  test('because one is in use does not keep those of others', async () => {
    const [stuck, ...others] = [await sealedLog(), await sealedLog(), await sealedLog()];
    const lock = 'select from log_segments where org_id = $1 and last_position = 2 for update';
    await bench.whileLocked(lock, [stuck], async () => {
      expect(await bench.retain(NOW)).toMatchObject({ deleted: 6, unfinished: true });
    });
    expect((await bench.formsOf(stuck)).segments).toEqual(SEGMENTS);
    for (const orgId of others) expect((await bench.formsOf(orgId)).segments).toEqual(SEGMENTS.slice(2));
    expect(await bench.retain(NOW)).toMatchObject({ deleted: 3, unfinished: false });
    expect(await bench.verify(stuck)).toMatchObject({ ok: true, start: 3, verified: 4 });
  });

  test('because its anchor cannot be written keeps them, and is reported after the others had turns', async () => {
    const [stuck, other] = [await sealedLog(), await sealedLog()];
    await bench.log.query(
      `alter table log_anchors add constraint refusal_check check (org_id <> '${stuck}') not valid`,
    );
    const reports: RetentionReport[] = [];
    const failed: OrgId[] = [];
    const retained = bench.retain(NOW, bench.log.connections, {
      onRun: (report) => reports.push(report),
      onFailure: (_, orgId) => failed.push(orgId),
    });
    await expect(retained).rejects.toThrow(
      new RegExp(`the logs of 1 orgs could not be shortened; that of ${stuck}: .*refusal_check`),
    );
    // The events of the other org have left, and this is reported although the run failed.
    expect([reports, failed]).toMatchObject([[{ deleted: 3 }], [stuck]]);
    await bench.log.query('alter table log_anchors drop constraint refusal_check');
    expect((await bench.formsOf(stuck)).segments).toEqual(SEGMENTS);
    expect(await bench.verify(stuck)).toMatchObject({ ok: true, start: 0, verified: 7 });
    expect((await bench.formsOf(other)).segments).toEqual(SEGMENTS.slice(2));
    await bench.retain(NOW);
    expect(await bench.verify(stuck)).toMatchObject({ ok: true, start: 3, verified: 4 });
  });
});

test('two processes at once delete segments once', async () => {
  const orgs = [await sealedLog(), await sealedLog(), await sealedLog()];
  const reports = await Promise.all([bench.retain(NOW), bench.retain(NOW)]);
  for (let more = reports.some(({ unfinished }) => unfinished); more; ) more = (await bench.retain(NOW)).unfinished;
  for (const orgId of orgs) {
    expect((await bench.formsOf(orgId)).segments).toEqual(SEGMENTS.slice(2));
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 3, verified: 4 });
  }
});

test('a process that is killed at any statement leaves a whole prefix with its anchor', async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const orgId = await sealedLog();
    let sent = 0;
    const connections = new FaultyConnections({
      inner: bench.log.connections,
      kill: (pid) => bench.kill(pid),
      onStatement: () => {
        sent += 1;
      },
    });
    connections.arm({ kind: 'killAfter', at }, false, () => undefined);
    await bench.retain(NOW, connections).catch(() => undefined);
    isOver = sent < at;
    const { segments } = await bench.formsOf(orgId);
    expect([SEGMENTS, SEGMENTS.slice(2)]).toContainEqual(segments);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: segments.length === SEGMENTS.length ? 0 : 3 });
    await bench.retain(NOW);
    expect((await bench.formsOf(orgId)).segments).toEqual(SEGMENTS.slice(2));
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 3, verified: 4 });
    await bench.clear();
  }
});

test('the metrics tell how old the oldest event is, without any partition and while retention fails', async () => {
  const oldest = async (): Promise<number> => (await readLogPartitions(bench.database.db)).oldestSeconds;
  const secondsSince = (time: Date): number => (Date.now() - time.getTime()) / 1_000;
  const orgId = await sealedLog();
  for (let more = true; more; ) more = (await bench.retain(NOW)).unfinished;
  expect(await bench.log.query('select from log_weeks()')).toEqual([]);
  // The fourth event is in a segment that ends with the fifth one, and that one is still in the window.
  expect(Math.abs((await oldest()) - secondsSince(onDay(92, NOON + 3_600)))).toBeLessThan(60);
  await bench.log.query(`alter table log_anchors add constraint refusal_check check (org_id <> '${orgId}') not valid`);
  await expect(bench.retain(onDay(0))).rejects.toThrow('refusal_check');
  await bench.log.query('alter table log_anchors drop constraint refusal_check');
  expect(Math.abs((await oldest()) - secondsSince(onDay(92, NOON + 3_600)))).toBeLessThan(60);
  await bench.retain(onDay(0));
  expect(Math.abs((await oldest()) - secondsSince(onDay(91, 7)))).toBeLessThan(60);
});
