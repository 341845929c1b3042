import { beforeEach, describe, expect, test } from 'vitest';
import { createJobRunner, INSTALLATION } from '../../src/platform/jobs/index.ts';
import { retentionJobs } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { daysAgo, RetentionBench } from '../support/retention-bench.ts';
import { created } from '../support/system-log.ts';

const bench = beforeTests(() => RetentionBench.open());
beforeEach(() => bench.clear());

describe('clocks (F12)', () => {
  const jump = 3_650 * 86_400_000;

  test('a process whose clock is ten years ahead drops nothing that is inside the window', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 89, 1);
    bench.log.clock.set(new Date(Date.now() + jump));
    await bench.run();
    expect(await bench.keptOf(orgId)).toEqual(['at89', 'at1']);
  });

  test('a process whose clock is ten years behind drops nothing at all', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 1);
    bench.log.clock.set(new Date(Date.now() - jump));
    expect(await bench.run()).toMatchObject({ clockTrusted: false, clockStepped: true, dropped: [] });
    expect(await bench.keptOf(orgId)).toEqual(['at110', 'at1']);
  });

  test('when both clocks made a step, nothing is dropped for a day', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 1);
    // During the previous run, the clock was ten years behind.
    await bench.noteClock(new Date(Date.now() - jump), new Date(Date.now() - 2 * jump));
    expect(await bench.run()).toMatchObject({ clockTrusted: false, clockStepped: true, dropped: [], deleted: 0 });
    expect(await bench.run()).toMatchObject({ clockTrusted: false, clockStepped: false, dropped: [], deleted: 0 });
    expect(await bench.keptOf(orgId)).toEqual(['at110', 'at1']);
    await bench.noteClock(daysAgo(0), daysAgo(0.1));
    expect(await bench.run()).toMatchObject({ clockTrusted: true });
    expect(await bench.keptOf(orgId)).toEqual(['at1']);
  });

  test('an hour forward and an hour back change nothing', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 90, 1);
    for (const hours of [1, -1]) {
      bench.log.clock.set(new Date(Date.now() + hours * 3_600_000));
      expect(await bench.run()).toMatchObject({ clockTrusted: true, clockStepped: false });
    }
    expect(await bench.keptOf(orgId)).toEqual(['at90', 'at1']);
  });
});

describe('beside others', () => {
  test('a drop that a reader holds up holds up nobody else, and is done when the reader ends', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 1);
    const reader = await bench.database.pool.connect();
    await reader.query('begin');
    await reader.query('select count(*) from log_events');
    const dropping = bench.run();
    let longest = 0;
    let turns = 0;
    const during = async (use: () => Promise<unknown>): Promise<void> => {
      const startedAt = performance.now();
      await use();
      longest = Math.max(longest, performance.now() - startedAt);
    };
    while (turns < 15) {
      turns += 1;
      await during(() => bench.log.write(orgId, [created(`new${turns}`)]));
      await during(() => bench.log.relay().drain());
      await during(() => bench.log.events(orgId));
    }
    expect(await bench.partitionsBefore(daysAgo(91))).toBeGreaterThan(0);
    await reader.query('commit');
    reader.release();
    expect(await dropping).toMatchObject({ unfinished: false });
    expect((await bench.keptOf(orgId)).length).toBe(turns + 1);
    // A call that waited for the reader's lock would never return.
    expect(longest).toBeLessThan(whileBusy(2_000));
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 1 });
  });

  test('two processes at once do it once', async () => {
    const [long, ...short] = [
      await bench.newOrg(400),
      await bench.newOrg(),
      await bench.newOrg(),
      await bench.newOrg(),
    ];
    for (const orgId of [...short, long]) await bench.writeAt(orgId, 420, 410, 200, 110, 1);
    const reports = await Promise.all([bench.run(), bench.run(), bench.run()]);
    const dropped = reports.flatMap((report) => report.dropped);
    expect(new Set(dropped).size).toBe(dropped.length);
    for (let more = true; more; ) more = (await bench.run()).unfinished;
    for (const orgId of short) {
      expect(await bench.keptOf(orgId)).toEqual(['at1']);
      expect(await bench.verify(orgId)).toMatchObject({ ok: true, start: 4, verified: 1 });
    }
    expect(await bench.verify(long)).toMatchObject({ ok: true, start: 2, verified: 3 });
  });

  test('a run that is told to stop leaves a whole prefix and says that it is unfinished', async () => {
    const [, short] = [await bench.newOrg(400), await bench.newOrg()];
    await bench.writeAt(short, 200, 110, 1);
    const stopped = AbortSignal.abort();
    expect(await bench.run(stopped)).toMatchObject({ dropped: [], deleted: 0, unfinished: true });
    expect(await bench.keptOf(short)).toEqual(['at200', 'at110', 'at1']);
  });

  test('as a job it comes back every hour, and soon when it is unfinished', async () => {
    const orgId = await bench.newOrg();
    await bench.writeAt(orgId, 110, 1);
    const jobs = createJobRunner({
      db: bench.database.db,
      clock: bench.log.clock,
      kinds: retentionJobs({ connections: bench.log.connections, clock: bench.log.clock, logSigner: bench.signer }),
    });
    await bench.log.query(
      `insert into jobs (org_id, kind, dedupe_key, run_at) values ($1, 'log.retention', 'recurring', $2)`,
      [INSTALLATION, bench.log.clock.now()],
    );
    expect(await jobs.runDue()).toBe(1);
    expect(await bench.keptOf(orgId)).toEqual(['at1']);
    const [job] = await bench.log.query<{ run_at: Date }>(`select run_at from jobs where kind = 'log.retention'`);
    expect(job?.run_at.getTime()).toBe(bench.log.clock.now().getTime() + 3_600_000);
  });
});
