import fc from 'fast-check';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { exportPages, planExport } from '../../src/system-log/index.ts';
import { readLedgerPage } from '../../src/system-log/sinks/delivery/ledger-page-store.ts';
import { beforeTests } from './before-tests.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { keepRows } from './sealed-log.ts';
import { actor, created, LogBench, nextOf, numbersTo, requestContext, testClock, userTarget } from './system-log.ts';

// A log for tests of segments, and readers of it. The log before anything is sealed says what readers must read.

export const START = '2026-11-20T23:59:00.000Z';
/** The first events are of one day and the others of the next, so that no segment can contain all of them. */
export const EVENTS = { firstDay: 17, all: 41 };
export const at = (seconds: number): Date => new Date(Date.parse(START) + seconds * 1_000);

export const TYPES = [
  'user.lifecycle.create',
  'user.lifecycle.suspend',
  'user.session.start',
  'group.lifecycle.delete',
] as const;

async function writeEvents(bench: LogBench, orgId: OrgId): Promise<void> {
  for (const number of numbersTo(EVENTS.all)) {
    const isNextDay = number > EVENTS.firstDay;
    // Events are often not published in the order of their positions.
    const published = at((isNextDay ? 120 : 0) + ((number * 7) % 20));
    const url = number % 4 === 0 ? '/api/v1/users?search=secret' : '/api/v1/users?activate=true';
    const context = { ...requestContext(orgId, published), url };
    const client = { ...context.client, ipAddress: `203.0.113.${number % 5}`, ipChain: [`203.0.113.${number % 5}`] };
    const named = number % 3 === 0 ? { ...actor, id: `00uactor${number % 4}` } : actor;
    const eventType = TYPES[number % TYPES.length] ?? TYPES[0];
    const targets = numbersTo(number % 4).map((one) => userTarget(`00u${(number + one) % 6}`));
    const risk = number % 5 === 0 ? { debugData: { risk: 'HIGH', 'nested.key': 'x' } } : {};
    const failure = number % 6 === 0 ? { outcome: { result: 'FAILURE' as const, reason: 'INVALID_CREDENTIALS' } } : {};
    const event = created('00u1', {
      eventType,
      ...(targets.length > 0 ? { target: targets } : {}),
      ...risk,
      ...failure,
    });
    await bench.write(orgId, [event], { ...context, actor: named, client });
    if (number % 6 !== 0 && number !== EVENTS.firstDay && number !== EVENTS.all) continue;
    bench.clock.set(at((isNextDay ? 120 : 0) + 20 + number));
    await bench.drainAll();
  }
}

/** Erases two events, and writes the event that explains it. */
async function erase(bench: LogBench, orgId: OrgId): Promise<void> {
  await bench.query(
    `update log_events set salt = null, body = '{}', tokens = '{}', erased_at = '2026-11-21T00:03:00Z', actor_id = '',
       target_ids = '{}', client_ip_address = null, transaction_id = ''
     where org_id = $1 and position = any ('{4,23}')`,
    [orgId],
  );
  await bench.write(orgId, [{ eventType: 'system.log.event.erase' }], requestContext(orgId, bench.clock.now()));
  await bench.drainAll();
}

async function newLog(bench: LogBench): Promise<OrgId> {
  const orgId = await bench.newOrg();
  bench.clock.set(START);
  await writeEvents(bench, orgId);
  await erase(bench, orgId);
  bench.clock.set(at(300));
  return orgId;
}

/** A segment has events of one day only. */
const daily = (ends: readonly number[]): number[] =>
  ends.some((end) => end > EVENTS.firstDay) ? [...new Set([...ends, EVENTS.firstDay])] : [...ends];

export const mixes = fc.record({
  ends: fc.uniqueArray(fc.integer({ min: 1, max: EVENTS.all + 1 }), { maxLength: 5 }).map(daily),
  freshAfter: fc.integer({ min: 0, max: EVENTS.all + 1 }),
});
const EXAMPLES: [{ ends: number[]; freshAfter: number }][] = [
  [{ ends: [3, EVENTS.firstDay, EVENTS.all + 1], freshAfter: EVENTS.all + 1 }],
  [{ ends: [], freshAfter: 0 }],
  [{ ends: [9, EVENTS.firstDay, 20], freshAfter: 30 }],
];
export const RUNS = { numRuns: 8, examples: EXAMPLES };

export const SINCE = at(-60).toISOString();
export const RANGES: readonly Readonly<Record<string, string>>[] = [
  { since: SINCE, limit: '7' },
  { since: SINCE, until: at(1_000).toISOString(), limit: '6' },
  { since: SINCE, until: at(1_000).toISOString(), limit: '11', sortOrder: 'DESCENDING' },
  { since: at(125).toISOString(), limit: '100' },
  { since: at(7).toISOString(), until: at(127).toISOString(), limit: '100', sortOrder: 'DESCENDING' },
  { since: at(7).toISOString(), until: at(127).toISOString(), limit: '5' },
];

/** A log with events of two days, and readers of it. */
export class MixedLog {
  readonly database: TestDatabase;
  readonly bench: LogBench;
  readonly orgId: OrgId;
  /** Makes all events rows of `log_events` again. */
  readonly restore: () => Promise<void>;

  private constructor(database: TestDatabase, bench: LogBench, orgId: OrgId, restore: () => Promise<void>) {
    this.database = database;
    this.bench = bench;
    this.orgId = orgId;
    this.restore = restore;
  }

  static async open(database: TestDatabase): Promise<MixedLog> {
    const bench = new LogBench(database.pool, testClock(START));
    const orgId = await newLog(bench);
    return new MixedLog(database, bench, orgId, await keepRows(bench, orgId));
  }

  /** Follows the links of a query, and returns all bodies, page by page. */
  async pages(
    query: Readonly<Record<string, string>>,
    connections = this.bench.connections,
  ): Promise<readonly (readonly string[])[]> {
    const bench = Object.assign(Object.create(this.bench) as LogBench, { connections });
    const found: (readonly string[])[] = [];
    let next: Readonly<Record<string, string>> | null = query;
    while (next !== null) {
      const page = await bench.page(this.orgId, next);
      if (page.bodies.length === 0 && found.length > 0) break;
      found.push(page.bodies);
      next = nextOf(page);
    }
    return found;
  }

  async exported(
    more: { proof?: boolean; filter?: string; since?: Date; until?: Date },
    connections = this.bench.connections,
  ) {
    const request = {
      format: 'ndjson' as const,
      proof: more.proof ?? false,
      filter: more.filter ?? null,
      since: more.since ?? null,
      until: more.until ?? null,
      fromPosition: null,
      toPosition: null,
    };
    const plan = await planExport({ connections, db: this.database.db }, this.orgId, request);
    const texts: string[] = [];
    for await (const page of exportPages(connections, this.orgId, request, plan)) texts.push(page.text);
    return { plan, text: texts.join('') };
  }

  async sinkPages(maximumEvents: number, maximumBytes: number, connections = this.bench.connections) {
    const found = [];
    const begin = { position: 0, persistedAt: new Date(0) };
    for (let place = begin; ; ) {
      const page = await readLedgerPage(connections, this.orgId, {
        ...place,
        upTo: null,
        maximumEvents,
        maximumBytes,
      });
      found.push(...page.events);
      const last = page.events.at(-1);
      if (last === undefined || page.reachedHead) return found;
      place = { position: last.position, persistedAt: last.persistedAt };
    }
  }
}

export function useMixedLog(): MixedLog {
  const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
  return beforeTests(() => MixedLog.open(database));
}
