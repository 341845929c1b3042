import { beforeEach, describe, expect, test } from 'vitest';
import { apiError } from '../../src/kernel/errors/errors.ts';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { startSink } from '../../src/system-log/index.ts';
import { seal } from '../support/sealed-log.ts';
import { DELIVERED, failed, numbers, useSinkBench } from '../support/sink-bench.ts';

const MINUTE = 60_000;
const { bench, clock, database } = useSinkBench();
let orgId: OrgId;
beforeEach(async () => {
  orgId = await bench.newOrg();
});

describe('a target that is down', () => {
  test('for an hour loses nothing: the same batch comes again, later and later, then the rest in order', async () => {
    const target = await bench.target(orgId);
    target.answer = () => failed(503, 'The host answered 503.');
    const { runner } = bench.engine();
    const begun = clock.now().getTime();
    await bench.happen(orgId, 120);
    const asked: number[] = [];
    while (clock.now().getTime() - begun < 60 * MINUTE) {
      const before = target.sent.length;
      await bench.settle(runner);
      for (let index = before; index < target.sent.length; index += 1) asked.push(clock.now().getTime());
      await bench.happen(orgId, 1);
      const { nextAttemptAt } = await bench.state(orgId, target);
      clock.set(new Date(Math.max(nextAttemptAt?.getTime() ?? 0, clock.now().getTime() + 1)));
    }
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(15);
    expect(pauses[0]).toBeLessThanOrEqual(1_200);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(6 * MINUTE);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(4 * MINUTE);
    // Every attempt sends the same batch, so that later events cannot overtake it.
    expect(new Set(target.sent.map(({ id }) => id)).size).toBe(1);
    expect(target.sent.map(({ attempt }) => attempt)).toEqual(numbers(1, target.sent.length));
    expect(await bench.jobs(orgId)).toHaveLength(1);
    const failures = await bench.deliveries(orgId, target);
    expect(failures).toHaveLength(target.sent.length);
    for (const row of failures) {
      expect(row).toMatchObject({ outcome: 'FAILED', status: 503, reason: 'The host answered 503.' });
    }
    expect(await bench.state(orgId, target)).toMatchObject({
      failingSince: new Date(begun),
      failures: failures.length,
      lastError: 'The host answered 503.',
      lastStatus: 503,
    });

    target.answer = () => DELIVERED;
    clock.set(new Date(clock.now().getTime() + 6 * MINUTE));
    await bench.settle(runner);
    const { head, ...state } = await bench.state(orgId, target);
    expect(target.taken()).toEqual(numbers(1, head));
    expect(state).toMatchObject({ position: head, failures: 0, failingSince: null, nextAttemptAt: null });
    expect((await bench.deliveries(orgId, target)).at(-1)).toMatchObject({ outcome: 'DELIVERED', attempt: 1 });
  });

  test('is told once when it begins, once when it ends, and the stream carries both', async () => {
    const target = await bench.target(orgId);
    target.answer = () => failed();
    await bench.happen(orgId, 2);
    const { runner } = bench.engine();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await bench.settle(runner);
      bench.advance(6 * MINUTE);
    }
    target.answer = () => DELIVERED;
    await bench.settle(runner);
    const told = await bench.ownEvents(orgId);
    expect(told.map(({ event_type: eventType }) => eventType)).toEqual([
      'system.log_stream.delivery',
      'system.log_stream.delivery',
    ]);
    expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        severity: 'WARN',
        outcome: { result: 'FAILURE', reason: 'The host answered 500.' },
        target: [{ id: target.id, type: 'LogStream', displayName: 'A stream' }],
        debugContext: { debugData: { status: '500', firstPosition: '1', lastPosition: '2' } },
        actor: { id: 'log-sinks', type: 'SystemPrincipal' },
      },
      { severity: 'INFO', outcome: { result: 'SUCCESS' }, debugContext: { debugData: { failures: '4' } } },
    ]);
    expect(target.taken()).toEqual([1, 2, 3, 4]);
  });

  test('that is a hook is told when it begins to fail, and never that it works', async () => {
    const target = await bench.target(orgId, 'event_hook');
    let isDown = true;
    target.answer = () => (isDown ? failed() : DELIVERED);
    target.wants = ({ eventType }) => eventType === 'user.lifecycle.create';
    await bench.happen(orgId, 1);
    const { runner } = bench.engine();
    await bench.settle(runner);
    isDown = false;
    bench.advance(MINUTE);
    await bench.settle(runner);
    expect((await bench.ownEvents(orgId)).map(({ event_type: eventType }) => eventType)).toEqual([
      'event_hook.delivery',
    ]);
    isDown = true;
    await bench.happen(orgId, 1);
    await bench.settle(runner);
    expect(await bench.ownEvents(orgId)).toHaveLength(2);
  });

  test('now and then is never told of its own failures: two such streams come to rest', async () => {
    const targets = [await bench.target(orgId), await bench.target(orgId)];
    for (const target of targets) target.answer = ({ attempt }) => (attempt === 1 ? failed() : DELIVERED);
    await bench.happen(orgId, 1);
    const { runner } = bench.engine();
    for (let round = 0; round < 40; round += 1) {
      await bench.settle(runner);
      bench.advance(MINUTE);
    }
    const told = await bench.ownEvents(orgId);
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(told.length).toBeLessThanOrEqual(8);
    const head = 1 + told.length;
    for (const target of targets) expect(target.taken()).toEqual(numbers(1, head));
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('when only its own events wait is told as soon as anything else does', async () => {
    const target = await bench.target(orgId);
    let isDown = true;
    target.answer = () => (isDown ? failed() : DELIVERED);
    const { runner } = bench.engine();
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 1) {
        await bench.settle(runner);
        bench.advance(6 * MINUTE);
      }
    };
    await bench.happen(orgId, 1);
    await rounds(1);
    isDown = false;
    // While `isDown` is true, only batches in which all events are about deliveries fail.
    target.answer = ({ events }) => {
      const isOwn = events.every(({ eventType }) => eventType === 'system.log_stream.delivery');
      return isOwn && isDown ? failed() : DELIVERED;
    };
    await bench.settle(runner);
    expect(await bench.ownEvents(orgId)).toHaveLength(2);
    isDown = true;
    await startSink(database.db, orgId, { id: target.id, kind: 'log_stream', position: 1 });
    await rounds(3);
    expect(await bench.ownEvents(orgId)).toHaveLength(2);
    await bench.happen(orgId, 1);
    await rounds(1);
    expect(await bench.ownEvents(orgId)).toHaveLength(3);
  });

  test('says itself when it wants to be asked again', async () => {
    const target = await bench.target(orgId);
    target.answer = () => ({ outcome: 'failed', status: 429, reason: 'busy', retryAfterMilliseconds: 90_000 });
    await bench.happen(orgId, 1);
    await bench.settle();
    const { nextAttemptAt } = await bench.state(orgId, target);
    expect(nextAttemptAt).toEqual(new Date(clock.now().getTime() + 90_000));
    target.answer = () => ({ outcome: 'failed', status: 429, reason: 'busy', retryAfterMilliseconds: 1e12 });
    bench.advance(90_000);
    await bench.settle();
    expect((await bench.state(orgId, target)).nextAttemptAt).toEqual(new Date(clock.now().getTime() + 60 * MINUTE));
  });

  test('and hangs is given up after its time, and others are served meanwhile', async () => {
    const hanging = await bench.target(orgId);
    const deaf = await bench.target(orgId);
    const well = await bench.target(orgId);
    hanging.answer = (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed(null, 'gave up'))));
    deaf.answer = () => new Promise(() => undefined);
    await bench.happen(orgId, 3);
    const { runner } = bench.engine({ deliveryMilliseconds: 200 });
    const served = runner.runDue();
    await expect.poll(() => well.taken()).toEqual([1, 2, 3]);
    expect(hanging.sent).toEqual([]);
    await served;
    expect(await bench.state(orgId, hanging)).toMatchObject({ position: 0, lastError: 'gave up', failures: 1 });
    expect(await bench.state(orgId, deaf)).toMatchObject({ position: 0, lastError: 'no answer in time', failures: 1 });
  });

  test.each([
    [
      'throws',
      () => Promise.reject(new TypeError('secret: hunter2')),
      'the delivery ended with an error of its own: TypeError',
    ],
  ])('or whose provider %s has failed, and no secret is told', async (_, answer, reason) => {
    const target = await bench.target(orgId);
    target.answer = answer;
    await bench.happen(orgId, 1);
    await bench.settle();
    expect(await bench.state(orgId, target)).toMatchObject({ lastError: reason, failures: 1 });
    expect(JSON.stringify(await bench.ownEvents(orgId))).not.toContain('hunter2');
  });

  test('or whose log is damaged has failed, and goes on once the log is as before', async () => {
    const target = await bench.target(orgId);
    await bench.happen(orgId, 3);
    await seal(bench, orgId, 2);
    const flip = 'update log_segments set head = set_byte(head, 0, 255 - get_byte(head, 0)) where org_id = $1';
    await bench.query(flip, [orgId]);
    await bench.settle();
    const lastError = 'the System Log is damaged: gatehouse log verify names the place';
    expect(await bench.state(orgId, target)).toMatchObject({ failures: 1, position: 0, lastError });
    expect(await bench.ownEvents(orgId)).toHaveLength(1);
    await bench.query(flip, [orgId]);
    bench.advance(MINUTE);
    await bench.settle();
    expect(await bench.state(orgId, target)).toMatchObject({ failures: 0, lastError: null });
    expect(target.taken().slice(0, 3)).toEqual([1, 2, 3]);
  });

  test('or that cannot be opened has failed too, and is tried again', async () => {
    const target = await bench.target(orgId);
    let isBroken = true;
    const open = target.open.bind(target);
    target.open = () => {
      if (isBroken) throw new Error('sealed with another key');
      return open();
    };
    await bench.happen(orgId, 1);
    await bench.settle();
    expect(await bench.state(orgId, target)).toMatchObject({ lastError: 'the sink could not be opened: Error' });
    expect(await bench.ownEvents(orgId)).toHaveLength(1);
    target.open = () => {
      throw apiError('E0000181');
    };
    bench.advance(MINUTE);
    const { runner, reports } = bench.engine();
    await bench.settle(runner);
    // E0000181 means that our own service is unavailable, so it does not count as a failure of the target.
    expect(reports.map(({ result }) => result)).toEqual(['retried']);
    expect(await bench.state(orgId, target)).toMatchObject({ failures: 1 });
    target.open = () => {
      if (isBroken) throw new Error('never');
      return open();
    };
    isBroken = false;
    bench.advance(MINUTE);
    await bench.settle();
    expect(target.taken()).toEqual([1, 2, 3]);
  });
});
