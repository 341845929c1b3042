import { expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { verifyOrg } from '../../src/system-log/index.ts';
import { findFirstWithin } from '../../src/system-log/query/cursor-skip-store.ts';
import type { Connections } from '../../src/system-log/relay/connections.ts';
import { findWindowEnds, isEventBehind } from '../../src/system-log/relay/ledger-store.ts';
import { readLedgerPage } from '../../src/system-log/sinks/delivery/ledger-page-store.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { seal } from '../support/sealed-log.ts';
import { created, LogBench, nextOf, numbersTo, parsed, requestContext } from '../support/system-log.ts';

// Readers list 32 or 64 segments at once, and go on with the next ones. Here each event has a segment of its own.

const EVENTS = 140;
const SEALED = 135;
const START = Date.parse('2026-11-20T12:00:00.000Z');
const at = (seconds: number): Date => new Date(START + seconds * 1_000);
const SINCE = at(-60).toISOString();
const UNTIL = at(1_000).toISOString();

const QUERIES: readonly Readonly<Record<string, string>>[] = [
  { since: SINCE, limit: '1000' },
  { since: SINCE, limit: '9' },
  { since: SINCE, until: UNTIL, limit: '1000' },
  { since: SINCE, until: UNTIL, limit: '11' },
  { since: SINCE, until: UNTIL, limit: '1000', sortOrder: 'DESCENDING' },
  { since: SINCE, until: UNTIL, limit: '11', sortOrder: 'DESCENDING' },
  { since: SINCE, filter: 'target.id eq "00u139"' },
  { since: SINCE, until: UNTIL, filter: 'target.id eq "00u130"' },
  { since: SINCE, until: UNTIL, filter: 'target.id eq "00u2"', sortOrder: 'DESCENDING' },
];

const bench = beforeTests(async () => new LogBench((await openTestDatabase()).pool));

const log = beforeTests(async () => {
  const orgId = await bench.newOrg();
  for (const number of numbersTo(EVENTS)) {
    // Many events are published at one instant, and few in the order of their positions.
    const published = at((number * 7) % 20);
    const eventType = number === SEALED ? 'group.lifecycle.delete' : 'user.lifecycle.create';
    await bench.write(orgId, [created(`00u${number}`, { eventType })], requestContext(orgId, published));
    if (number % 35 !== 0) continue;
    bench.clock.set(at(20 + number));
    await bench.drainAll();
  }
  const before = await readAll(orgId);
  for (const end of numbersTo(SEALED)) await seal(bench, orgId, end);
  return { orgId, before };
});

async function pages(orgId: OrgId, query: Readonly<Record<string, string>>) {
  const found: string[] = [];
  for (let next: Readonly<Record<string, string>> | null = query; next !== null; ) {
    const page = await bench.page(orgId, next);
    if (page.bodies.length === 0) break;
    found.push(...page.bodies);
    next = nextOf(page);
  }
  return found;
}

async function readAll(orgId: OrgId) {
  const { connections } = bench;
  const sink = { position: 0, persistedAt: new Date(0), upTo: null, maximumEvents: 1_000, maximumBytes: 8_000_000 };
  const found: unknown[] = [
    await verifyOrg(connections, orgId),
    (await readLedgerPage(connections, orgId, sink)).events,
    await findFirstWithin(connections, orgId, 0, at(130)),
    await connections.withConnection((one) => isEventBehind(one, orgId, 1, 'group.lifecycle.delete')),
    await connections.withConnection((one) => isEventBehind(one, orgId, SEALED, 'group.lifecycle.delete')),
    await connections.withConnection((one) => findWindowEnds(one, orgId, { since: null, until: null })),
    await connections.withConnection((one) => findWindowEnds(one, orgId, { since: at(15), until: at(16) })),
  ];
  for (const query of QUERIES) found.push(await pages(orgId, query));
  return found;
}

test('many segments are read as their rows were', { timeout: 300_000 }, async () => {
  const { before, orgId } = log;
  expect(before[0]).toMatchObject({ ok: true, verified: EVENTS });
  expect(await readAll(orgId)).toEqual(before);
});

/** Notes the statements, the number of slices that each asks for, and the rows that each returns. */
function noting(connections: Connections) {
  const notes: { readonly text: string; readonly slices: number; readonly rows: number }[] = [];
  const noted: Connections = {
    withConnection: (use) =>
      connections.withConnection((connection) =>
        use({
          query: async (text, values = [], name) => {
            const result = await connection.query(text, values, name);
            const positions = text.includes('unnest($2::bigint[]') ? values[1] : [];
            notes.push({ text, slices: Array.isArray(positions) ? positions.length : 0, rows: result.rows.length });
            return result;
          },
        }),
      ),
  };
  return { notes, bench: Object.assign(Object.create(bench) as LogBench, { connections: noted }) };
}

test('a filter of many terms opens few segments at once', async () => {
  const { orgId } = log;
  const page = await bench.page(orgId, { since: SINCE, limit: '1000' });
  const { uuid } = parsed(page)[70] ?? {};
  if (typeof uuid !== 'string') throw new Error('the page has too few events');
  const filter = [...numbersTo(400).map(String), uuid].map((one) => `uuid eq "${one}"`).join(' or ');
  const { bench: watched, notes } = noting(bench.connections);
  expect((await watched.page(orgId, { since: SINCE, until: UNTIL, filter })).bodies).toEqual([page.bodies[70]]);
  expect(Math.max(...notes.map(({ slices }) => slices))).toBeLessThanOrEqual(8);
});

/** The rows that statements over unsealed events returned. */
const unsealedRows = (notes: readonly { readonly text: string; readonly rows: number }[]): number[] =>
  notes.filter(({ text }) => text.includes('from log_unsealed')).map(({ rows }) => rows);

test('a page of sealed events sends no row of another page', async () => {
  const { orgId } = log;
  const byPosition = noting(bench.connections);
  const place = { position: 0, persistedAt: new Date(0), upTo: null, maximumEvents: 100, maximumBytes: 8_000_000 };
  expect((await readLedgerPage(byPosition.bench.connections, orgId, place)).events).toHaveLength(100);
  expect(unsealedRows(byPosition.notes)).toEqual([0, 0]);
  const bounded = noting(bench.connections);
  expect((await bounded.bench.page(orgId, { since: SINCE, until: UNTIL, limit: '50' })).bodies).toHaveLength(50);
  // Two of the rows were published early enough for the page.
  expect(unsealedRows(bounded.notes)).toEqual([0, 2]);
});

test('the rows of a descending page are read once', async () => {
  const { orgId } = log;
  const { bench: watched, notes } = noting(bench.connections);
  const query = { since: SINCE, until: UNTIL, limit: '100', sortOrder: 'DESCENDING' };
  expect((await watched.page(orgId, query)).bodies).toHaveLength(100);
  expect(unsealedRows(notes)).toEqual([EVENTS - SEALED]);
});
