import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import type { JsonObject, NewEvent } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { isOnCitus } from '../support/citus.ts';
import { openTestDatabase } from '../support/database.ts';
import { actor, LogBench, nextOf, parsed, requestContext, testClock, userTarget } from '../support/system-log.ts';

// No Citus cluster has the tables from before the switch: all migrations are applied when they are distributed.
const test = anyTest.skipIf(isOnCitus);

// A query that reads the log in time windows must find the same events as one that reads the whole range at once.

const EVENTS = 900;
const START = Date.parse('2026-11-18T00:00:00.000Z');
const WINDOW = { since: '2026-11-17T00:00:00.000Z', until: '2026-11-20T11:00:00.000Z' };
const friend = 'friend@example.com';

const eventAt = (index: number): NewEvent => ({
  eventType: index % 7 === 0 ? 'user.lifecycle.activate' : 'user.lifecycle.create',
  severity: index % 50 === 0 ? 'WARN' : 'INFO',
  target: [{ ...userTarget(`t${index}`), alternateId: index % 10 === 0 ? friend : `t${index}@example.com` }],
  debugData: {
    number: String(index),
    ...(index % 3 === 0 ? { colour: 'green' } : {}),
    ...(index % 100 === 0 ? { shade: 'red' } : {}),
    ...(index >= EVENTS - 100 ? { late: 'blue' } : {}),
  },
});

const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const bench = beforeTests(() => new LogBench(database.pool));
let orgId: OrgId;
let all: readonly JsonObject[];

beforeAll(async () => {
  orgId = await bench.newOrg();
  const past = new LogBench(database.pool, testClock());
  for (let index = 0; index < EVENTS; index += 1) {
    // The pauses between instants grow, so windows of equal length contain different numbers of events.
    const instant = START + Math.floor(index / 5) ** 2 * 4_000;
    past.clock.set(new Date(instant));
    // Every tenth event has `friend` as its target, and every thirtieth also as its actor. Filters must not confuse the
    // two.
    const isFriend = index % 30 === 0;
    const context = requestContext(orgId, past.clock.now());
    const own = { ...actor, alternateId: isFriend ? friend : actor.alternateId };
    await past.write(orgId, [eventAt(index)], { ...context, actor: own });
    if (index % 90 === 89) await past.drainAll();
  }
  await past.drainAll();
  await database.pool.query('analyze log_events');
  all = await bench.events(orgId, { ...WINDOW, limit: '1000' });
  expect(all).toHaveLength(EVENTS);
});

const numberOf = (event: JsonObject): number =>
  Number((event['debugContext'] as { debugData: { number: string } }).debugData.number);

async function collect(query: Readonly<Record<string, string>>): Promise<number[]> {
  const found: number[] = [];
  let next: Record<string, string> | null = { ...query };
  for (let pages = 0; next !== null && pages < EVENTS; pages += 1) {
    const page = await bench.page(orgId, next);
    found.push(...parsed(page).map(numberOf));
    const isPolling = query['until'] === undefined && query['sortOrder'] === undefined;
    if (isPolling && page.bodies.length === 0) break;
    next = nextOf(page);
  }
  return found;
}

const indexes = Array.from({ length: EVENTS }, (_, index) => index);
const every = (step: number): number[] => indexes.filter((index) => index % step === 0);

const QUESTIONS: readonly (readonly [string, Readonly<Record<string, string>>, readonly number[]])[] = [
  ['a common value', { filter: 'debugContext.debugData.colour eq "green"' }, every(3)],
  ['a rare value', { filter: 'debugContext.debugData.shade eq "red"' }, every(100)],
  ['a value of the end', { filter: 'debugContext.debugData.late eq "blue"' }, indexes.slice(-100)],
  ['presence', { filter: 'debugContext.debugData.colour pr' }, every(3)],
  ['a column', { filter: 'severity eq "WARN"' }, every(50)],
  ['an indexed column', { filter: 'eventType eq "user.lifecycle.activate"' }, every(7)],
  [
    'one or the other',
    { filter: 'severity eq "WARN" or eventType eq "user.lifecycle.activate"' },
    indexes.filter((index) => index % 50 === 0 || index % 7 === 0),
  ],
  [
    'both of two',
    { filter: 'debugContext.debugData.colour eq "green" and eventType eq "user.lifecycle.activate"' },
    every(21),
  ],
  ['a word', { q: 'GREEN' }, every(3)],
  ['two words', { q: 'green red' }, every(300)],
  ['a value that is a word of other attributes too', { filter: `actor.alternateId eq "${friend}"` }, every(30)],
  ['the same in an array', { filter: `target.alternateId eq "${friend}"` }, every(10)],
  ['nothing', { filter: 'debugContext.debugData.colour eq "grey"' }, []],
];

describe.each(QUESTIONS)('%s', (_name, query, expected) => {
  test.each([
    ['rising', { ...WINDOW, sortOrder: 'ASCENDING' }],
    ['falling', { ...WINDOW, sortOrder: 'DESCENDING' }],
    ['falling without an end', { since: WINDOW.since, sortOrder: 'DESCENDING' }],
    ['from a later start', { ...WINDOW, since: '2026-11-18T12:00:00.000Z' }],
    ['polling', { since: WINDOW.since }],
  ])('%s', async (form, range) => {
    const from = new Date(range.since).toISOString();
    const wanted = all.filter(({ published }) => typeof published === 'string' && published >= from).map(numberOf);
    const ordered = expected.filter((number) => wanted.includes(number));
    const inOrder = form.startsWith('falling') ? ordered.toReversed() : ordered;
    for (const limit of ['1', '3', '40', '1000']) {
      if (limit === '1' && expected.length > 100) continue;
      expect(await collect({ ...range, ...query, limit }), limit).toEqual(inOrder);
    }
  });
});

test('tokens that lie are found out, and the page is filled all the same', async () => {
  const lying = await bench.newOrg();
  const events = Array.from({ length: 60 }, (_, index) => eventAt(index));
  for (const event of events) await bench.write(lying, [event]);
  await bench.drainAll();
  const { pairToken } = await import('../../src/system-log/rendering/terms/search-terms.ts');
  await bench.query('update log_events set tokens = tokens || $2::integer where org_id = $1', [
    lying,
    pairToken(lying, 'debugContext.debugData.colour', 'green'),
  ]);
  const page = await bench.page(lying, { filter: 'debugContext.debugData.colour eq "green"', limit: '7' });
  expect(parsed(page).map(numberOf)).toEqual([0, 3, 6, 9, 12, 15, 18]);
});
