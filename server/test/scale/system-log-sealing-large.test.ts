import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { packThreadFile } from '../../src/system-log/index.ts';
import { MAXIMUM_EVENTS } from '../../src/system-log/ledger/segments/head.ts';
import type { Connections } from '../../src/system-log/relay/connections.ts';
import { beforeTests } from '../support/before-tests.ts';
import { onDay, SealingBench } from '../support/sealing-bench.ts';
import { created, numbersTo } from '../support/system-log.ts';

// Pages and segments are bounded by bytes as well as by count, and connections are held for single statements.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const LATER = onDay(0);
const THREAD = { packThreadFile: packThreadFile() };

interface Held {
  /** The largest total of bodies in the answer of one statement. */
  bytes: number;
  /** The largest number of rows in the answer of one statement. */
  rows: number;
  /** The number of uses of a connection. */
  uses: number;
  /** The largest number of statements in one use. */
  statements: number;
}

const bytesOf = (row: unknown): number => String(Reflect.get(Object(row), 'body') ?? '').length;

function measured(inner: Connections, held: Held): Connections {
  return {
    withConnection: (use) => {
      held.uses += 1;
      return inner.withConnection((connection) => {
        let statements = 0;
        return use({
          query: async (text, values, name) => {
            statements += 1;
            held.statements = Math.max(held.statements, statements);
            const result = await connection.query(text, values, name);
            const bytes = result.rows.reduce((sum: number, row) => sum + bytesOf(row), 0);
            held.bytes = Math.max(held.bytes, bytes);
            held.rows = Math.max(held.rows, result.rows.length);
            return result;
          },
        });
      });
    },
  };
}

const nothingHeld = (): Held => ({ bytes: 0, rows: 0, uses: 0, statements: 0 });

async function bytesOfSegments(orgId: OrgId) {
  return bench.log.query<{ events: number; bytes: number }>(
    `select events, (octet_length(bodies) + octet_length(postings) + octet_length(hashes))::integer as bytes
     from log_segments where org_id = $1 order by last_position`,
    [orgId],
  );
}

test('the other tests pack in a thread', () => {
  expect(THREAD.packThreadFile).not.toBeNull();
});

describe('an org', { timeout: 600_000 }, () => {
  test('with 70 bodies of 1 MB is sealed in pages and segments of limited size', async () => {
    const orgId = await bench.log.newOrg();
    const count = 70;
    bench.clock.set(onDay(3, 60));
    // Longer texts would be cut.
    const debugData = Object.fromEntries(numbersTo(237).map((number) => [`k${number}`, 'x'.repeat(4_000)]));
    const big = (number: number) => created(`00u${number}`, { debugData });
    for (const number of numbersTo(count)) await bench.log.write(orgId, [big(number)]);
    await bench.log.drainAll();
    const held = nothingHeld();
    const connections = measured(bench.log.connections, held);
    const { errors, faults, report } = await bench.seal(LATER, { ...THREAD, connections });
    expect([errors, faults, report.events]).toEqual([[], [], count]);
    const segments = await bytesOfSegments(orgId);
    // 64 MB of texts end a segment.
    expect(segments.map(({ events }) => events)).toEqual([68, 2]);
    // A page ends with the body that makes it reach 2 MB.
    expect(held.bytes).toBeLessThan(3_000_000);
    expect(held.rows).toBeLessThan(5);
    // Apart from the transaction, each use of a connection is one statement.
    expect(held.statements).toBe(5);
    expect(held.uses).toBeGreaterThan(count / 3);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: count });
  });

  test('that is loud is sealed in full segments during the day, and a quiet one after it', async () => {
    const [loud, quiet] = [await bench.log.newOrg(), await bench.log.newOrg()];
    await bench.writeMany(loud, MAXIMUM_EVENTS + 2_000, onDay(2, 3_600));
    await bench.write(quiet, onDay(2, 3_600), onDay(2, 3_700));
    const held = nothingHeld();
    const connections = measured(bench.log.connections, held);
    const { errors, report } = await bench.seal(onDay(2, 7_200), { ...THREAD, connections });
    expect([errors, report]).toEqual([[], { events: MAXIMUM_EVENTS, segments: 1, unfinished: false }]);
    const { rows, segments } = await bench.formsOf(loud);
    expect([segments, rows.length, rows[0]]).toEqual([[[1, MAXIMUM_EVENTS]], 2_000, MAXIMUM_EVENTS + 1]);
    expect(await bench.formsOf(quiet)).toEqual({ segments: [], rows: [1, 2] });
    expect(held.rows).toBeLessThanOrEqual(501);
    expect((await bench.seal(onDay(2, 86_399))).report.segments).toBe(0);
    await bench.seal(onDay(1, 600), THREAD);
    expect((await bench.formsOf(loud)).segments).toEqual([
      [1, MAXIMUM_EVENTS],
      [MAXIMUM_EVENTS + 1, MAXIMUM_EVENTS + 2_000],
    ]);
    expect(await bench.formsOf(quiet)).toEqual({ segments: [[1, 2]], rows: [] });
    expect(await bench.verify(loud)).toMatchObject({ ok: true, verified: MAXIMUM_EVENTS + 2_000 });
  });

  test('with many days has its turn after the others had theirs', async () => {
    const orgs = [await bench.log.newOrg(), await bench.log.newOrg()].toSorted() as [OrgId, OrgId];
    const [first, second] = orgs;
    await bench.write(first, ...numbersTo(20).map((number) => onDay(30 - number, 60)));
    await bench.write(second, onDay(5, 60));
    const served: unknown[] = [];
    const inner = bench.log.connections;
    const connections: Connections = {
      withConnection: (use) =>
        inner.withConnection((connection) =>
          use({
            query: (text, values, name) => {
              if (text.startsWith('insert into log_segments')) served.push(values?.[0]);
              return connection.query(text, values, name);
            },
          }),
        ),
    };
    const { report } = await bench.seal(LATER, { connections });
    expect(report).toEqual({ events: 21, segments: 21, unfinished: false });
    // A turn has at most 16 segments.
    expect(served.indexOf(second)).toBe(16);
    expect(served.lastIndexOf(first)).toBe(20);
  });
});
