import { describe, expect, test, vi } from 'vitest';
import { enqueue, forget, INSTALLATION, type Job } from '../../src/platform/jobs/index.ts';
import { useJobs } from '../support/jobs.ts';

const { add, clock, later, otherOrgId, orgId, pool, runnerOf, storedJobs, db } = useJobs();

describe('a job that goes on later', () => {
  test('runs again at the instant it names, as if for the first time, whoever asked for it meanwhile', async () => {
    const attempts: number[] = [];
    const { runner, reports } = runnerOf({
      'test.again': async ({ attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 1) await add('test.again', {}, 'same');
        return attempts.length < 3 ? { runAgainAt: later(60) } : undefined;
      },
    });
    await add('test.again', {}, 'same');
    expect(await runner.runDue()).toBe(1);
    expect(await storedJobs()).toMatchObject([{ attempts: 0, lease_until: null, last_error: null }]);
    expect(await runner.runDue()).toBe(0);
    clock.set(later(60));
    expect(await runner.runDue()).toBe(1);
    clock.set(later(60));
    expect(await runner.runDue()).toBe(1);
    expect(attempts).toEqual([1, 1, 1]);
    expect(reports.map((report) => report.result)).toEqual(['done', 'done', 'done']);
    expect(await storedJobs()).toEqual([]);
  });
});

test('a kind has pauses of its own between failures', async () => {
  const backoff = { first: 1_000, longest: 3_000 };
  const run = () => Promise.reject(new Error('down'));
  const { runner } = runnerOf({ 'test.brief': { run, backoff, maximumAttempts: Number.POSITIVE_INFINITY } });
  await add('test.brief');
  for (const least of [0.8, 1.6, 2.4, 2.4]) {
    expect(await runner.runDue()).toBe(1);
    const [job] = await storedJobs();
    const pause = (Date.parse(job?.due ?? '') - clock.now().getTime()) / 1_000;
    expect(pause).toBeGreaterThanOrEqual(least - 0.001);
    expect(pause).toBeLessThanOrEqual(least * 1.5 + 0.001);
    clock.set(later(4));
  }
});

test('a job that nobody needs any more is forgotten, also while it runs', async () => {
  await add('test.note', {}, 'one');
  await add('test.note', {}, 'other');
  await forget(db(), orgId, { kind: 'test.note', dedupeKey: 'one' });
  await forget(db(), otherOrgId, { kind: 'test.note', dedupeKey: 'other' });
  const { runner, reports } = runnerOf({
    'test.note': () => forget(db(), orgId, { kind: 'test.note', dedupeKey: 'other' }),
  });
  expect(await runner.runDue()).toBe(1);
  expect(reports.map((report) => report.result)).toEqual(['done']);
  expect(await storedJobs()).toEqual([]);
});

describe('an org whose jobs take long', () => {
  test('goes behind the others, and leaves them a place', async () => {
    const order: string[] = [];
    const endings: (() => void)[] = [];
    let isHanging = true;
    const ask = ({ orgId: asking }: Job): Promise<void> => {
      order.push(asking);
      if (asking === otherOrgId || !isHanging) return Promise.resolve();
      return new Promise<void>((resolve) => {
        endings.push(resolve);
      });
    };
    const { runner } = runnerOf({ 'test.ask': ask }, { slowMilliseconds: 0 });
    for (let index = 0; index < 8; index += 1) await add('test.ask', { index });
    const first = runner.runDue();
    await vi.waitFor(() => expect(endings).toHaveLength(4));
    await enqueue(db(), otherOrgId, { kind: 'test.ask', payload: {}, runAt: later(0) });
    endings[0]?.();
    // Four jobs of the slow org are older, but a job of the other org gets the free place.
    await vi.waitFor(async () => expect(await runner.runDue()).toBe(1));
    expect(order).toEqual([orgId, orgId, orgId, orgId, otherOrgId]);
    // The place stays free for other orgs, although four jobs of the slow org are due.
    expect(await runner.runDue()).toBe(0);
    isHanging = false;
    for (const end of endings) end();
    await first;
    await vi.waitFor(async () => {
      await runner.runDue();
      expect(await storedJobs()).toEqual([]);
    });
  });

  test('or are thousands goes behind the others, and behind whoever took less; the installation does not', async () => {
    const order: string[] = [];
    let now = performance.now();
    const clockOfProcess = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const names = { [orgId]: 'many', [otherOrgId]: 'few', [INSTALLATION]: 'installation' };
    const took = { [orgId]: 900, [otherOrgId]: 1_200, [INSTALLATION]: 600 };
    const { runner } = runnerOf(
      {
        'test.mail': async (job) => {
          order.push(names[job.orgId] ?? job.orgId);
          now += took[job.orgId] ?? 0;
        },
      },
      { concurrency: 1 },
    );
    const addFor = (owner: typeof orgId) =>
      enqueue(db(), owner, { kind: 'test.mail', payload: {}, runAt: clock.now() });
    for (let index = 0; index < 20; index += 1) await add('test.mail', { index });
    clock.set(later(1));
    for (const owner of [INSTALLATION, otherOrgId, INSTALLATION, otherOrgId, INSTALLATION]) await addFor(owner);
    try {
      // Two jobs of `many` take 1.8 s, and one of `few` takes 1.2 s. Orgs whose jobs took at least 1 s come after all
      // others. Among them, the org whose jobs took the least time comes first.
      for (let turn = 0; turn < 10; turn += 1) expect(await runner.runDue()).toBe(1);
    } finally {
      clockOfProcess.mockRestore();
    }
    const [many, few, installation] = ['many', 'few', 'installation'];
    expect(order.slice(0, 6)).toEqual([many, many, installation, few, installation, installation]);
    expect(order.slice(6)).toEqual([few, many, many, many]);
  });
});

describe('a lease that has ended', () => {
  test('before the job began keeps it from running', async () => {
    let runs = 0;
    const { runner, reports } = runnerOf({ 'test.note': async () => void (runs += 1) }, { leaseMilliseconds: 0 });
    await add('test.note');
    await runner.runDue();
    expect([runs, reports.map(({ result }) => result)]).toEqual([0, ['lost']]);
    expect(await storedJobs()).toMatchObject([{ attempts: 1 }]);
  });

  test('while it could not be renewed: a job that asks is told so', async () => {
    const holder = await pool().connect();
    const seen: boolean[] = [];
    const { runner, reports } = runnerOf(
      {
        'test.slow': async ({ isHeld, signal }) => {
          seen.push(isHeld());
          await holder.query('begin');
          await holder.query('select from jobs for update');
          await expect.poll(isHeld).toBe(false);
          seen.push(signal.aborted);
          await holder.query('rollback');
        },
      },
      { leaseMilliseconds: 300 },
    );
    await add('test.slow');
    await runner.runDue();
    holder.release();
    expect(seen).toEqual([true, true]);
    expect(reports).toMatchObject([{ result: 'lost' }]);
    expect(reports[0]).not.toHaveProperty('error');
  });
});
