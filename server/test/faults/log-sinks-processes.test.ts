import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { rounds } from '../support/rounds.ts';
import {
  DELIVERED,
  expectOrder,
  failed,
  numbers,
  refused,
  type TestTarget,
  useSinkBench,
} from '../support/sink-bench.ts';

const MINUTE = 60_000;
const { bench } = useSinkBench();
let orgId: OrgId;
beforeEach(async () => {
  orgId = await bench.newOrg();
});

function expectIdsToHold(target: TestTarget): void {
  const events = new Map<string, readonly number[]>();
  for (const { id, positions } of target.sent) {
    expect(positions).toEqual(events.get(id) ?? positions);
    events.set(id, positions);
  }
}

describe('many processes', () => {
  test('serve many sinks under writers: nothing twice, nothing lost, all in order', async () => {
    const orgs = [orgId, await bench.newOrg(), await bench.newOrg()];
    const targets: [OrgId, TestTarget][] = [];
    for (const org of orgs) for (let index = 0; index < 4; index += 1) targets.push([org, await bench.target(org)]);
    for (const [, target] of targets) target.maximumEvents = 20;
    const engines = Array.from({ length: 3 }, () => bench.engine({ concurrency: 2 }).runner);
    for (const engine of engines) engine.start();
    for (let round = 0; round < 10; round += 1) for (const org of orgs) await bench.happen(org, 17);
    for (const [, target] of targets) {
      await expect.poll(() => target.taken().length).toBe(170);
      expect(target.sent.flatMap(({ positions }) => positions)).toEqual(numbers(1, 170));
    }
    await expect.poll(() => bench.query('select 1 from jobs')).toEqual([]);
    await Promise.all(engines.map((engine) => engine.stop()));
  });

  test('and many targets that fail: who works goes before them', async () => {
    const failing: TestTarget[] = [];
    for (let index = 0; index < 5; index += 1) failing.push(await bench.target(orgId));
    for (const target of failing) target.answer = () => failed();
    await bench.happen(orgId, 1);
    const { runner } = bench.engine({ concurrency: 1 });
    await bench.settle(runner);
    bench.advance(10 * MINUTE);
    const other = await bench.newOrg();
    const well = await bench.target(other, 'log_stream', 0);
    await bench.query('delete from jobs where org_id = $1', [other]);
    const asked = failing.reduce((sum, { sent }) => sum + sent.length, 0);
    await bench.happen(other, 1);
    expect(await runner.runDue()).toBe(1);
    expect(well.taken()).toEqual([1]);
    expect(failing.reduce((sum, { sent }) => sum + sent.length, 0)).toBe(asked);
  });

  test('and hanging targets: no more than allowed are tried at once, and what they hold is bounded', async () => {
    const waiting: (() => void)[] = [];
    for (let index = 0; index < 12; index += 1) {
      const target = await bench.target(orgId);
      target.answer = () => new Promise((resolve) => waiting.push(() => resolve(DELIVERED)));
    }
    await bench.happen(orgId, 1);
    const { runner } = bench.engine({ concurrency: 5, deliveryMilliseconds: 60_000 });
    const served = runner.runDue();
    await expect.poll(() => waiting.length).toBe(5);
    expect(await runner.runDue()).toBe(0);
    expect(waiting).toHaveLength(5);
    for (const release of waiting) release();
    expect(await served).toBe(5);
  });
});

test('whatever targets and processes do, in the end every event was taken, in order, or is a dead letter', async () => {
  const happening = fc.constantFrom<'taken' | 'lost' | 'failed' | 'refused' | 'dies' | 'writes'>(
    'taken',
    'lost',
    'failed',
    'refused',
    'dies',
    'writes',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (script, size) => {
      await bench.query('delete from jobs');
      await bench.query('delete from log_sinks');
      const org = await bench.newOrg();
      const target = await bench.target(org);
      target.maximumEvents = size;
      const { runner } = bench.engine();
      const steps = [...script];
      target.answer = async () => {
        const step = steps.shift() ?? 'taken';
        if (step === 'refused') return refused;
        if (step === 'failed') return failed();
        if (step === 'writes') await bench.happen(org, 3);
        // The target accepted the batch, but its response was lost.
        if (step === 'lost') return failed(null, 'cut');
        // Another process took over the sink while this one waited for the target.
        if (step === 'dies') await bench.query('update log_sinks set fence = fence + 1 where org_id = $1', [org]);
        return DELIVERED;
      };
      await bench.happen(org, 15);
      for (let tries = 0; tries < 40; tries += 1) {
        await bench.settle(runner);
        if ((await bench.jobs(org)).length === 0) break;
        bench.advance(6 * MINUTE);
      }
      const { head, position } = await bench.state(org, target);
      expect(position).toBe(head);
      const dead = (await bench.deadLetters(org, target)).map(({ first_position: first }) => first);
      const missing = numbers(1, head).filter((one) => !target.taken().includes(one));
      expect(missing.filter((one) => !dead.includes(one))).toEqual([]);
      expectOrder(target);
      expectIdsToHold(target);
    }),
    { numRuns: rounds(25) },
  );
});
