import { describe, expect, test } from 'vitest';
import { exportPages, planExport, readTail } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { EXPORTED_EVENTS, linesOf, minutesIn, openExportBench, WHOLE } from '../support/log-export.ts';
import { created, requestContext } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const log = beforeTests(() => openExportBench(database));

describe('what is exported', () => {
  test('is every event byte for byte as it is stored, in its order', async () => {
    const stored = await log.bodies();
    expect(stored).toHaveLength(EXPORTED_EVENTS);
    expect(linesOf(await log.exported())).toEqual(stored);
  });

  test.each([
    [{ fromPosition: 2_401 }, 'position >= 2401'],
    [{ toPosition: 100 }, 'position <= 100'],
    [{ fromPosition: 990, toPosition: 1_010 }, 'position between 990 and 1010'],
    [{ fromPosition: 1, toPosition: 9_999 }, 'true'],
    [{ fromPosition: 9_000 }, 'false'],
    [{ fromPosition: 20, toPosition: 10 }, 'false'],
    [{ since: minutesIn(3), until: minutesIn(5) }, 'position between 301 and 500'],
    [{ since: minutesIn(24) }, 'position > 2400'],
    [{ until: minutesIn(1) }, 'position <= 100'],
    [{ since: minutesIn(100) }, 'false'],
    [{ filter: 'outcome.result eq "FAILURE"' }, `outcome_result = 'FAILURE'`],
    [{ filter: 'target.id sw "u7."', toPosition: 750 }, 'position between 701 and 750'],
    [{ filter: 'debugContext.debugData.url sw "nothing" or target.id eq "u0.0"' }, 'position = 1'],
  ])('%j: what the range and the filter say', async (given, where) => {
    expect(linesOf(await log.exported(given))).toEqual(await log.bodies(where));
  });

  test('is of one org', async () => {
    const other = await log.bench.newOrg();
    expect(await log.exported({}, other)).toBe('');
    await log.bench.write(other, [created('theirs')]);
    await log.bench.drainAll();
    expect(linesOf(await log.exported({}, other))).toHaveLength(1);
    expect(linesOf(await log.exported())).toHaveLength(EXPORTED_EVENTS);
  });

  test('goes beyond the 90 days of GET /api/v1/logs', async () => {
    const own = await log.bench.newOrg();
    log.bench.clock.set('2026-11-20T12:00:00.000Z');
    const old = requestContext(own, new Date('2025-11-20T12:00:00.000Z'));
    await log.bench.write(own, [created('old')], old);
    await log.bench.drainAll();
    expect(await log.bench.events(own)).toEqual([]);
    expect(linesOf(await log.exported({}, own))).toHaveLength(1);
    const until = new Date('2026-01-01');
    expect(linesOf(await log.exported({ since: new Date('2025-01-01'), until }, own))).toHaveLength(1);
  });

  test('ends where an event is missing, instead of passing it over', async () => {
    const own = await log.bench.newOrg();
    await log.bench.write(
      own,
      ['a', 'b', 'c'].map((id) => created(id)),
    );
    await log.bench.drainAll();
    await log.bench.query('delete from log_fresh where org_id = $1 and position = 2', [own]);
    await expect(log.exported({}, own)).rejects.toThrow('The event at position 2 is not in the log');
    await log.bench.query('delete from log_fresh where org_id = $1 and position = 3', [own]);
    await expect(log.exported({}, own)).rejects.toThrow('position 2');
  });

  test('begins behind what has left', async () => {
    const own = await log.bench.newOrg();
    await log.bench.write(
      own,
      ['a', 'b', 'c'].map((id) => created(id)),
    );
    await log.bench.drainAll();
    await log.bench.query(
      `insert into log_anchors (org_id, position, hash, signed, created_at)
       select org_id, position, hash, '', now() from log_fresh where org_id = $1 and position = 2`,
      [own],
    );
    await log.bench.query('delete from log_fresh where org_id = $1 and position <= 2', [own]);
    expect(linesOf(await log.exported({}, own))).toHaveLength(1);
    await expect(log.exported({ fromPosition: 2 }, own)).rejects.toThrow('begin with 3');
  });

  test('a filter that is none is refused', async () => {
    await expect(log.exported({ filter: 'nonsense' })).rejects.toMatchObject({ code: 'E0000053' });
  });

  test('pages hold a bounded number of bytes', async () => {
    const own = await log.bench.newOrg();
    const debugData = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 'x'.repeat(4_000)]));
    for (let round = 0; round < 12; round += 1) await log.bench.write(own, [created('large', { debugData })]);
    await log.bench.drainAll();
    const request = WHOLE;
    const plan = await planExport({ connections: log.bench.connections, db: database.db }, own, request);
    const sizes: number[] = [];
    for await (const { text } of exportPages(log.bench.connections, own, request, plan)) sizes.push(text.length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(5_500_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(9_000_000);
  });
});

describe('the tail', () => {
  const tail = (count: number, filter: string | null = null, of = log.orgId) =>
    readTail(log.bench.connections, of, { count, filter });

  test.each([0, 1, 499, 500, 501, 1_700, 9_999])('the last %i events', async (count) => {
    const { bodies: found, position } = await tail(count);
    expect(found).toEqual(count === 0 ? [] : (await log.bodies()).slice(-count));
    expect(position).toBe(EXPORTED_EVENTS);
  });

  test('looks back until enough events match, to the beginning where there are not', async () => {
    expect((await tail(3, 'outcome.result eq "FAILURE"')).bodies).toEqual(
      await log.bodies('position in (2471, 2481, 2491)'),
    );
    expect((await tail(5, 'target.id eq "u0.0"')).bodies).toEqual(await log.bodies('position = 1'));
    expect((await tail(5, 'target.id eq "nobody"')).bodies).toEqual([]);
  });

  test('of a log without events is nothing', async () => {
    expect(await tail(5, null, await log.bench.newOrg())).toEqual({ bodies: [], position: 0 });
  });
});
