import { describe, expect, test } from 'vitest';
import {
  countJobs,
  enqueue,
  INSTALLATION,
  type Job,
  type JobKind,
  JobRefusedError,
} from '../../src/platform/jobs/index.ts';
import { useJobs } from '../support/jobs.ts';

const { add, clock, later, otherOrgId, orgId, pool, runnerOf, storedJobs, db } = useJobs();

/** Leases end by the real time. */
const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

describe('a job', () => {
  test('runs once when its time has come, with its org and payload, and is gone', async () => {
    const seen: Pick<Job, 'orgId' | 'kind' | 'payload' | 'attempt'>[] = [];
    const { runner } = runnerOf({
      'test.note': async ({ orgId: owner, kind, payload, attempt }) => {
        seen.push({ orgId: owner, kind, payload, attempt });
      },
    });
    await add('test.note', { number: 7 }, undefined, later(10));
    expect(await runner.runDue()).toBe(0);
    clock.set(later(10));
    expect(await runner.runDue()).toBe(1);
    expect(seen).toEqual([{ orgId, kind: 'test.note', payload: { number: 7 }, attempt: 1 }]);
    expect(await storedJobs()).toEqual([]);
  });

  test('that was enqueued in a transaction which failed does not exist', async () => {
    const client = await pool().connect();
    await client.query('begin');
    await client.query(`insert into jobs (org_id, kind, run_at) values ('${orgId}', 'test.note', now())`);
    await client.query('rollback');
    client.release();
    expect(await storedJobs()).toEqual([]);
  });

  test('of a kind this process does not know is left to others', async () => {
    await add('newer.kind');
    const { runner } = runnerOf({ 'test.note': async () => undefined });
    expect(await runner.runDue()).toBe(0);
    expect(await storedJobs()).toHaveLength(1);
  });

  test('is run by one of many runners only', async () => {
    const runs = new Map<string, number>();
    const note = async ({ id }: Job) => void runs.set(String(id), (runs.get(String(id)) ?? 0) + 1);
    for (let index = 0; index < 40; index += 1) await add('test.note', { index });
    const runners = Array.from({ length: 5 }, () => runnerOf({ 'test.note': note }).runner);
    let ran = 0;
    while (ran < 40) {
      const counts = await Promise.all(runners.map((runner) => runner.runDue()));
      ran += counts.reduce((sum, count) => sum + count, 0);
    }
    expect(ran).toBe(40);
    expect([...runs.values()]).toEqual(Array.from({ length: 40 }, () => 1));
  });
});

test('a job behind jobs that other transactions have locked is claimed all the same', async () => {
  const ran: unknown[] = [];
  const { runner } = runnerOf(
    { 'test.note': async ({ payload }) => void ran.push(payload['name']) },
    { concurrency: 2 },
  );
  for (const [place, name] of ['first', 'second', 'free'].entries())
    await add('test.note', { name }, undefined, later(place - 3));
  const holder = await pool().connect();
  try {
    await holder.query('begin');
    const text = `select 1 from jobs where org_id = $1 and payload ->> 'name' <> 'free' for update`;
    expect((await holder.query(text, [orgId])).rowCount).toBe(2);
    expect(await runner.runDue()).toBe(1);
    expect(ran).toEqual(['free']);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await runner.runDue()).toBe(2);
});

describe('a failure', () => {
  test('is tried again after a growing pause and keeps its error', async () => {
    const { runner, reports } = runnerOf({ 'test.fail': () => Promise.reject<void>(new Error('mail server is away')) });
    await add('test.fail');
    await runner.runDue();
    expect(await storedJobs()).toMatchObject([{ attempts: 1, last_error: 'mail server is away', lease_until: null }]);
    expect(await runner.runDue()).toBe(0);
    clock.set(later(6));
    expect(await runner.runDue()).toBe(1);
    expect((await storedJobs())[0]?.attempts).toBe(2);
    expect(reports.map((report) => report.result)).toEqual(['retried', 'retried']);
  });

  test('without an Error keeps its text, cut to 1,000 characters', async () => {
    const fail = async (): Promise<void> => {
      // oxlint-disable-next-line typescript/only-throw-error -- A library may throw a text, which must not be lost.
      throw 'x'.repeat(2_000);
    };
    const { runner, reports } = runnerOf({ 'test.fail': fail });
    await add('test.fail');
    await runner.runDue();
    expect(await storedJobs()).toMatchObject([{ attempts: 1, last_error: 'x'.repeat(1_000) }]);
    expect(reports.map((report) => report.result)).toEqual(['retried']);
  });

  test('too often is the end: the job is kept, never runs again, and is counted as dead', async () => {
    const { runner, reports } = runnerOf({
      'test.fail': { run: () => Promise.reject<void>(new Error('no')), maximumAttempts: 2 },
    });
    await add('test.fail');
    await runner.runDue();
    clock.set(later(10));
    await runner.runDue();
    expect(await storedJobs()).toMatchObject([{ due: 'infinity', last_error: 'no', attempts: 2 }]);
    clock.set('2126-01-01T00:00:00.000Z');
    expect(await runner.runDue()).toBe(0);
    expect(reports.at(-1)?.result).toBe('dead');
    expect(await countJobs(db(), clock.now())).toEqual({ due: 0, dead: 1 });
  });

  test('that says so is the end at once', async () => {
    const { runner, reports } = runnerOf({ 'test.fail': () => Promise.reject<void>(new JobRefusedError('expired')) });
    await add('test.fail');
    await runner.runDue();
    expect(reports.map((report) => report.result)).toEqual(['dead']);
    expect(await storedJobs()).toMatchObject([{ due: 'infinity', last_error: 'expired' }]);
  });

  test('of the process itself counts: a job that kills its process ends as dead, too', async () => {
    const { runner, reports } = runnerOf({ 'test.kill': { run: async () => undefined, maximumAttempts: 3 } });
    await add('test.kill');
    await pool().query('update jobs set attempts = 3, lease_until = $1', [inSeconds(-1)]);
    await runner.runDue();
    expect(reports.map((report) => report.result)).toEqual(['dead']);
    expect(await storedJobs()).toMatchObject([{ due: 'infinity', last_error: 'the process ended while it ran' }]);
  });
});

describe('a lease', () => {
  test('keeps others away while it holds, and lets them take over when its process is gone', async () => {
    await add('test.note');
    await pool().query('update jobs set attempts = 1, lease_until = $1', [inSeconds(3_600)]);
    let runs = 0;
    const { runner } = runnerOf({ 'test.note': async () => void (runs += 1) });
    expect(await runner.runDue()).toBe(0);
    await pool().query('update jobs set lease_until = $1', [inSeconds(-1)]);
    expect(await runner.runDue()).toBe(1);
    expect(runs).toBe(1);
    expect(await storedJobs()).toEqual([]);
  });

  test('is renewed while the job runs', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { runner } = runnerOf({ 'test.slow': () => held }, { leaseMilliseconds: 300 });
    await add('test.slow');
    const done = runner.runDue();
    await expect.poll(storedJobs).toMatchObject([{ attempts: 1 }]);
    const first = (await storedJobs())[0]?.lease_until?.getTime() ?? 0;
    await expect.poll(async () => (await storedJobs())[0]?.lease_until?.getTime() ?? 0).toBeGreaterThan(first + 300);
    release();
    await done;
    expect(await storedJobs()).toEqual([]);
  });

  test('that was lost tells the job to stop, and nothing is written over the new owner', async () => {
    const { runner, reports } = runnerOf(
      {
        'test.slow': ({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      },
      { leaseMilliseconds: 150 },
    );
    await add('test.slow');
    const done = runner.runDue();
    await expect.poll(storedJobs).toMatchObject([{ attempts: 1 }]);
    await pool().query('update jobs set attempts = 2, lease_until = $1', [inSeconds(3_600)]);
    await done;
    expect(reports.map((report) => report.result)).toEqual(['lost']);
    expect(await storedJobs()).toMatchObject([{ attempts: 2 }]);
  });
});

describe('a dedupe key', () => {
  test('leaves one job per org, kind and key, with the newest payload and the earliest time', async () => {
    await add('test.note', { version: 1 }, 'same', later(60));
    await add('test.note', { version: 2 }, 'same', later(30));
    await add('test.note', { version: 3 }, 'same', later(90));
    await enqueue(db(), otherOrgId, { kind: 'test.note', payload: {}, runAt: later(5), dedupeKey: 'same' });
    const jobs = await storedJobs();
    expect(jobs).toMatchObject([{ org_id: orgId, payload: { version: 3 } }, { org_id: otherOrgId }]);
    expect(new Date(jobs[0]?.due ?? '')).toEqual(later(30));
  });

  test('asked for again while the job runs makes it run once more', async () => {
    let runs = 0;
    const { runner } = runnerOf({
      'test.note': async () => {
        runs += 1;
        if (runs === 1) await add('test.note', { again: true }, 'same');
      },
    });
    await add('test.note', {}, 'same');
    await runner.runDue();
    expect(await storedJobs()).toMatchObject([{ payload: { again: true }, attempts: 0, lease_until: null }]);
    await runner.runDue();
    expect(runs).toBe(2);
    expect(await storedJobs()).toEqual([]);
  });

  test('brings a dead job back to life', async () => {
    let isBroken = true;
    const { runner } = runnerOf({
      'test.note': () => (isBroken ? Promise.reject<void>(new JobRefusedError('broken')) : Promise.resolve()),
    });
    await add('test.note', {}, 'same');
    await runner.runDue();
    isBroken = false;
    await add('test.note', {}, 'same');
    expect(await runner.runDue()).toBe(1);
    expect(await storedJobs()).toEqual([]);
  });
});

describe('the loop', () => {
  test('schedules recurring jobs once for all processes and runs them again and again, failures included', async () => {
    let runs = 0;
    const sweep: JobKind = {
      everyMilliseconds: 60_000,
      maximumAttempts: 1,
      run: async () => {
        runs += 1;
        if (runs === 2) throw new Error('once');
      },
    };
    const first = runnerOf({ 'test.sweep': sweep }).runner;
    const second = runnerOf({ 'test.sweep': sweep }).runner;
    first.start();
    second.start();
    await expect.poll(() => runs).toBe(1);
    for (const expected of [2, 3]) {
      await expect.poll(storedJobs).toMatchObject([{ org_id: INSTALLATION, kind: 'test.sweep', lease_until: null }]);
      clock.set(later(60));
      first.wake();
      await expect.poll(() => runs).toBe(expected);
    }
    await Promise.all([first.stop(), second.stop()]);
    expect(await storedJobs()).toHaveLength(1);
  });

  test('brings back a recurring job that a clock which was ahead has put off for years (F12)', async () => {
    let runs = 0;
    const kinds = { 'test.sweep': { everyMilliseconds: 60_000, run: async () => void (runs += 1) } };
    clock.set('2036-11-20T12:00:00.000Z');
    const ahead = runnerOf(kinds).runner;
    ahead.start();
    await expect.poll(() => runs).toBe(1);
    await ahead.stop();
    clock.set('2026-11-20T12:00:00.000Z');
    const right = runnerOf(kinds).runner;
    right.start();
    await expect.poll(() => runs).toBe(2);
    await right.stop();
    expect((await storedJobs())[0]?.due).toMatch(/^2026-11-20 12:01/);
  });

  test('stop waits for what runs, and aborts it when it takes too long', async () => {
    let wasAborted = false;
    const { runner } = runnerOf({
      'test.slow': ({ signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            wasAborted = true;
            resolve();
          });
        }),
    });
    runner.start();
    await add('test.slow');
    runner.wake();
    await expect.poll(storedJobs).toMatchObject([{ attempts: 1 }]);
    await runner.stop();
    expect(wasAborted).toBe(true);
    expect(await runner.runDue()).toBe(0);
  });
});
