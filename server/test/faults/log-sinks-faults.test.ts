import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { createPool, readerOver } from '../../src/platform/postgres/index.ts';
import type { DeliveryResult } from '../../src/system-log/index.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { DELIVERED, expectOrder, failed, numbers, refused, useSinkBench } from '../support/sink-bench.ts';

const MINUTE = 60_000;
const { bench, database } = useSinkBench();
let orgId: OrgId;
beforeEach(async () => {
  orgId = await bench.newOrg();
});

describe('a target that refuses', () => {
  test('one event is sent the others: halves, then that event alone, which is set aside and told', async () => {
    const target = await bench.target(orgId);
    target.answer = ({ events }) => (events.some(({ position }) => position === 37) ? refused : DELIVERED);
    await bench.happen(orgId, 100);
    await bench.settle();
    expect(target.taken()).toEqual(numbers(1, 101).filter((position) => position !== 37));
    expectOrder(target);
    const [letter, ...more] = await bench.deadLetters(orgId, target);
    expect(more).toEqual([]);
    expect(letter).toMatchObject({
      first_position: 37,
      last_position: 37,
      reason: 'The host answered 400.',
      status: 400,
    });
    const told = await bench.ownEvents(orgId);
    expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        eventType: 'system.log.delivery.dead_letter',
        target: [{ id: target.id }],
        outcome: { result: 'FAILURE', reason: 'The host answered 400.' },
        debugContext: { debugData: { position: '37', uuid: letter?.uuid, eventType: 'user.lifecycle.create' } },
      },
    ]);
    expect((await bench.state(orgId, target)).batchLimit).toBeNull();
    expect(target.sent.filter(({ answer }) => answer === 'refused').length).toBeLessThanOrEqual(16);
  });

  test('everything is asked about every event once, and what tells of that is not told again', async () => {
    const target = await bench.target(orgId);
    target.answer = () => refused;
    await bench.happen(orgId, 20);
    await bench.settle();
    const told = await bench.ownEvents(orgId);
    expect(told).toHaveLength(20);
    expect(await bench.deadLetters(orgId, target)).toHaveLength(40);
    expect(await bench.state(orgId, target)).toMatchObject({ position: 40, head: 40, failures: 0 });
    expect(await bench.jobs(orgId)).toEqual([]);
  });
});

describe('events that have left the log', () => {
  const leave = (upTo: number) =>
    bench.query('delete from log_fresh where org_id = $1 and position <= $2', [orgId, upTo]);

  test('before they were delivered are one dead letter; the sink goes on where the log begins', async () => {
    const target = await bench.target(orgId);
    await bench.happen(orgId, 50);
    await leave(30);
    await bench.settle();
    expect(target.taken()).toEqual(numbers(31, 51));
    expect(await bench.deadLetters(orgId, target)).toMatchObject([
      { first_position: 1, last_position: 30, uuid: null },
    ]);
    const [told] = await bench.ownEvents(orgId);
    expect(JSON.parse(told?.body ?? '')).toMatchObject({
      eventType: 'system.log.cursor.skip',
      debugContext: { debugData: { firstPosition: '1', lastPosition: '30', skipped: '30' } },
    });
  });

  test('in the middle of a batch under way shorten it, and all of them leave nothing to wait for', async () => {
    const target = await bench.target(orgId);
    target.answer = () => failed();
    target.wants = ({ eventType }) => eventType === 'user.lifecycle.create';
    await bench.happen(orgId, 10);
    const { runner } = bench.engine();
    await bench.settle(runner);
    await leave(4);
    target.answer = () => DELIVERED;
    bench.advance(MINUTE);
    await bench.settle(runner);
    expect(target.taken()).toEqual(numbers(5, 10));
    await bench.happen(orgId, 5);
    const { head } = await bench.state(orgId, target);
    await leave(head);
    await bench.settle(runner);
    expect(await bench.state(orgId, target)).toMatchObject({ flightPosition: null });
    expect(target.taken()).toEqual(numbers(5, 10));
    const after = await bench.state(orgId, target);
    expect(after.position).toBe(after.head);
  });
});

describe('a process that ends', () => {
  test('between sending and saving leaves a batch that is sent again, the same and with the same id', async () => {
    const pool = createPool({
      connection: database.connection,
      maximumConnections: 3,
      applicationName: 'killed',
      statementTimeoutMilliseconds: 5_000,
    });
    const target = await bench.target(orgId);
    target.answer = async () => {
      // Closing the pool simulates a kill: the target accepts the batch, but the process cannot store the result.
      await pool.end();
      return DELIVERED;
    };
    await bench.happen(orgId, 250);
    const killed = bench.engine({ db: readerOver(pool), onError: () => undefined });
    await killed.runner.runDue();
    expect(target.sent).toMatchObject([{ attempt: 1, positions: numbers(1, 100) }]);
    expect(await bench.state(orgId, target)).toMatchObject({ position: 0, flightPosition: 100, flightAttempts: 1 });

    target.answer = () => DELIVERED;
    const { runner } = bench.engine();
    expect(await runner.runDue()).toBe(0);
    await bench.happen(orgId, 3);
    await bench.endLeases();
    await bench.settle(runner);
    const [first, second] = target.sent;
    expect(second).toEqual({ ...first, attempt: 2 });
    expect(target.sent.map(({ positions }) => positions)).toEqual([
      numbers(1, 100),
      numbers(1, 100),
      numbers(101, 200),
      numbers(201, 253),
    ]);
  });

  test('holds its sinks for 15 seconds; another process takes them over with its next look, within 2', async () => {
    const target = await bench.target(orgId);
    let release = (): void => undefined;
    target.answer = () =>
      new Promise<DeliveryResult>((resolve) => {
        release = () => resolve(DELIVERED);
      });
    await bench.happen(orgId, 1);
    const frozen = bench.engine({ deliveryMilliseconds: 60_000 });
    const stuck = frozen.runner.runDue();
    await expect.poll(async () => (await bench.state(orgId, target)).flightAttempts).toBe(1);
    const [lease] = await bench.query<{ seconds: number }>(
      'select extract(epoch from lease_until - clock_timestamp())::float8 as seconds from jobs where org_id = $1',
      [orgId],
    );
    expect(lease?.seconds).toBeGreaterThan(10);
    expect(lease?.seconds).toBeLessThanOrEqual(15);

    const { runner } = bench.engine();
    runner.start();
    target.answer = () => DELIVERED;
    await bench.endLeases();
    const begun = performance.now();
    await expect.poll(() => target.taken()).toEqual([1]);
    expect(performance.now() - begun).toBeLessThan(whileBusy(5_000));
    expect(target.sent).toMatchObject([{ attempt: 2, positions: [1] }]);
    await expect.poll(() => bench.jobs(orgId)).toEqual([]);
    // The process resumes, but another process has taken over the sink and delivered the event.
    const before = await bench.state(orgId, target);
    release();
    await stuck;
    await runner.stop();
    expect(await bench.state(orgId, target)).toEqual(before);
    expect(await bench.deliveries(orgId, target)).toHaveLength(1);
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('in order gives back what it serves, and forgets nothing', async () => {
    const target = await bench.target(orgId);
    target.answer = (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed(null, 'aborted'))));
    await bench.happen(orgId, 2);
    const { runner } = bench.engine({ deliveryMilliseconds: 60_000 });
    runner.start();
    await expect.poll(async () => (await bench.state(orgId, target)).flightAttempts).toBe(1);
    await runner.stop();
    expect(await bench.jobs(orgId)).toMatchObject([{ lease_until: null }]);
    // The end of a process is not a failure of the target.
    expect(await bench.state(orgId, target)).toMatchObject({ failures: 0, failingSince: null });
    target.answer = () => DELIVERED;
    await bench.settle();
    expect(target.taken()).toEqual([1, 2]);
    expect(target.sent.at(-1)).toMatchObject({ attempt: 2 });
  });
});

describe('the delivery log', () => {
  test('keeps the newest thousand of a sink', async () => {
    const target = await bench.target(orgId);
    target.maximumEvents = 1;
    await bench.happen(orgId, 1_250);
    await bench.settle();
    const [kept] = await bench.query<{ rows: number; last: number }>(
      'select count(*)::integer as rows, max(last_position) as last from log_deliveries where sink_id = $1',
      [target.id],
    );
    expect(kept?.rows).toBeLessThanOrEqual(1_100);
    expect(kept?.rows).toBeGreaterThanOrEqual(1_000);
    expect(kept?.last).toBe(1_250);
  });
});
