import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { dropSink, startSink, stopSink } from '../../src/system-log/index.ts';
import { DELIVERED, failed, numbers, refused, useSinkBench } from '../support/sink-bench.ts';

const { bench, database } = useSinkBench();
let orgId: OrgId;
beforeEach(async () => {
  orgId = await bench.newOrg();
});

describe('a sink', () => {
  test('begins behind what its org has, and delivers the rest in order and in batches', async () => {
    await bench.happen(orgId, 3);
    const target = await bench.target(orgId);
    await bench.settle();
    expect(target.sent).toEqual([]);
    await bench.happen(orgId, 250);
    await bench.settle();
    expect(target.sent.map(({ positions }) => positions)).toEqual([
      numbers(4, 103),
      numbers(104, 203),
      numbers(204, 253),
    ]);
    expect(new Set(target.sent.map(({ id }) => id)).size).toBe(3);
    expect(await bench.state(orgId, target)).toMatchObject({ position: 253, head: 253, failures: 0, lastError: null });
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('begins where it is told to, and no further on than the log', async () => {
    await bench.happen(orgId, 5);
    const early = await bench.target(orgId, 'log_stream', 2);
    const late = await bench.target(orgId, 'log_stream', 900);
    await bench.settle();
    expect(early.taken()).toEqual([3, 4, 5]);
    expect(late.taken()).toEqual([]);
    await bench.happen(orgId, 1);
    await bench.settle();
    expect(late.taken()).toEqual([6]);
  });

  test('counts what it leaves out as delivered', async () => {
    const target = await bench.target(orgId);
    target.wants = ({ position }) => position % 100 === 0;
    await bench.happen(orgId, 1_234);
    await bench.settle();
    expect(target.taken()).toEqual(numbers(1, 12).map((hundred) => hundred * 100));
    expect((await bench.state(orgId, target)).position).toBe(1_234);
    expect(await bench.deliveries(orgId, target)).toHaveLength(target.sent.length);
  });

  test('keeps within its bytes, and sends an event alone that is larger', async () => {
    const target = await bench.target(orgId);
    await bench.happen(orgId, 10);
    const [row] = await bench.query<{ bytes: number }>(
      'select octet_length(body) as bytes from log_unsealed where org_id = $1 limit 1',
      [orgId],
    );
    target.maximumBytes = (row?.bytes ?? 0) * 3 + 100;
    await bench.settle();
    expect(target.sent.map(({ positions }) => positions.length)).toEqual([3, 3, 3, 1]);
    target.maximumBytes = 10;
    await bench.happen(orgId, 2);
    await bench.settle();
    expect(target.sent.slice(4).map(({ positions }) => positions)).toEqual([[11], [12]]);
  });

  test('of another org sees nothing of this one', async () => {
    const other = await bench.newOrg();
    const target = await bench.target(orgId);
    const foreign = await bench.target(other);
    await bench.happen(orgId, 2);
    await bench.settle();
    expect(target.taken()).toEqual([1, 2]);
    expect(foreign.sent).toEqual([]);
    expect(await bench.jobs(other)).toEqual([]);
  });

  test('that was stopped delivers nothing and keeps what it knows; started anew it begins at the end', async () => {
    const target = await bench.target(orgId);
    await bench.happen(orgId, 2);
    await bench.settle();
    await stopSink(database.db, orgId, target.id);
    await bench.happen(orgId, 3);
    expect(await bench.jobs(orgId)).toEqual([]);
    await bench.settle();
    expect(target.taken()).toEqual([1, 2]);
    expect(await bench.state(orgId, target)).toMatchObject({ status: 'STOPPED', position: 2, head: 5 });
    await startSink(database.db, orgId, { id: target.id, kind: 'log_stream' });
    await bench.happen(orgId, 1);
    await bench.settle();
    expect(target.taken()).toEqual([1, 2, 6]);
    expect(await bench.deliveries(orgId, target)).toHaveLength(2);
  });

  test('that was dropped leaves nothing behind', async () => {
    const target = await bench.target(orgId);
    target.answer = () => refused;
    await bench.happen(orgId, 2);
    await bench.settle();
    expect(await bench.deadLetters(orgId, target)).not.toEqual([]);
    await bench.happen(orgId, 1);
    await dropSink(database.db, orgId, target.id);
    expect(await bench.deliveries(orgId, target)).toEqual([]);
    expect(await bench.deadLetters(orgId, target)).toEqual([]);
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('whose resource is not active any more delivers nothing', async () => {
    const target = await bench.target(orgId);
    target.isOpen = false;
    await bench.happen(orgId, 2);
    await bench.settle();
    expect(target.sent).toEqual([]);
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('stopped, dropped or moved while it sends writes nothing over that', async () => {
    const stopped = await bench.target(orgId);
    const moved = await bench.target(orgId);
    stopped.answer = async () => {
      await stopSink(database.db, orgId, stopped.id);
      return DELIVERED;
    };
    let moves = 0;
    moved.answer = async () => {
      moves += 1;
      if (moves === 1) await startSink(database.db, orgId, { id: moved.id, kind: 'log_stream', position: 0 });
      return DELIVERED;
    };
    await bench.happen(orgId, 2);
    await bench.settle();
    expect(await bench.state(orgId, stopped)).toMatchObject({ status: 'STOPPED', position: 0 });
    expect(moved.sent.map(({ positions }) => positions)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(await bench.state(orgId, moved)).toMatchObject({ status: 'ACTIVE', position: 2 });
  });
});

describe('events wake', () => {
  test('the sinks of their org alone, and an org without any costs no job', async () => {
    const other = await bench.newOrg();
    await bench.target(orgId);
    await bench.settle();
    await bench.happen(other, 5);
    expect(await bench.query('select 1 from jobs')).toEqual([]);
    await bench.happen(orgId, 5);
    expect(await bench.query('select org_id from jobs')).toEqual([{ org_id: orgId }]);
  });

  test('a sink that runs at this moment once more, so that none is left behind', async () => {
    const target = await bench.target(orgId);
    let isFirst = true;
    target.answer = async () => {
      // The relay numbers these events after this turn has read the end of the log.
      if (isFirst) {
        isFirst = false;
        await bench.happen(orgId, 2);
        await bench.happen(orgId, 1);
      }
      return DELIVERED;
    };
    await bench.happen(orgId, 1);
    const { runner } = bench.engine();
    expect(await runner.runDue()).toBe(1);
    expect(target.taken()).toEqual([1]);
    expect(await bench.jobs(orgId)).toMatchObject([{ lease_until: null, attempts: 0 }]);
    await bench.settle(runner);
    expect(target.taken()).toEqual([1, 2, 3, 4]);
    expect(await bench.jobs(orgId)).toEqual([]);
  });

  test('nobody who waits out a failure', async () => {
    const target = await bench.target(orgId);
    target.answer = () => failed();
    await bench.happen(orgId, 1);
    const { runner } = bench.engine();
    await bench.settle(runner);
    const [before] = await bench.jobs(orgId);
    for (let more = 0; more < 5; more += 1) await bench.happen(orgId, 1);
    await bench.settle(runner);
    expect(target.sent).toHaveLength(1);
    expect(await bench.jobs(orgId)).toEqual([before]);
  });
});
