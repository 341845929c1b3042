import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readTail, verifyOrg } from '../../src/system-log/index.ts';
import { findFirstWithin } from '../../src/system-log/query/cursor-skip-store.ts';
import type { Connections } from '../../src/system-log/relay/connections.ts';
import { findPlace, findWindowEnds, isEventBehind } from '../../src/system-log/relay/ledger-store.ts';
import { findFirstRetained, findFirstSince } from '../../src/system-log/sinks/delivery/deliveries-store.ts';
import { hasOtherEventsBehind } from '../../src/system-log/sinks/delivery/ledger-page-store.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { at, EVENTS, mixes, RANGES, RUNS, SINCE, TYPES, useMixedLog } from '../support/mixed-log.ts';
import { makeFresh, mixForms, seal } from '../support/sealed-log.ts';
import { nextOf, numbersTo, refusalOf } from '../support/system-log.ts';

// Each reader by position reads the same log in every mix of forms: segments, rows and fresh rows.

const log = useMixedLog();

const UNTIL = at(1_000).toISOString();
const POSITIONS = [0, 1, 3, 4, 16, 17, 18, 23, 30, 41, 42];

async function readByPosition() {
  const { orgId } = log;
  const { connections } = log.bench;
  const onConnection = connections.withConnection.bind(connections);
  const found: unknown[] = [];
  for (const position of POSITIONS) {
    const place = { position, persistedAt: new Date(0) };
    found.push(
      await onConnection((connection) => findPlace(connection, orgId, position)),
      await onConnection((connection) => isEventBehind(connection, orgId, position, 'group.lifecycle.delete')),
      await hasOtherEventsBehind(connections, orgId, place, new Set([...TYPES, 'system.log.event.erase'])),
      await hasOtherEventsBehind(connections, orgId, place, new Set(TYPES)),
      await hasOtherEventsBehind(connections, orgId, place, new Set(['user.session.start'])),
    );
    for (const seconds of [-10, 21, 37, 60, 140, 170, 500]) {
      found.push(await findFirstWithin(connections, orgId, position, at(seconds)));
    }
  }
  for (const [since, until] of [
    [null, null],
    [at(5), null],
    [null, at(5)],
    [at(10), at(130)],
    [at(50), at(60)],
  ] as const) {
    found.push(await onConnection((connection) => findWindowEnds(connection, orgId, { since, until })));
  }
  for (const seconds of [-10, 21, 37, 60, 140, 170, 500]) {
    found.push(await findFirstSince(log.database.db, orgId, at(seconds)));
  }
  return found;
}

const readInOrder = async () => ({
  verified: await verifyOrg(log.bench.connections, log.orgId, { batchSize: 5 }),
  exported: await log.exported({}),
  proof: await log.exported({ proof: true }),
  filtered: await log.exported({ proof: true, filter: 'eventType eq "user.session.start"' }),
  windowed: await log.exported({ since: at(10), until: at(130) }),
  tail: await readTail(log.bench.connections, log.orgId, { filter: null, count: 30 }),
  tailed: await readTail(log.bench.connections, log.orgId, { filter: 'eventType eq "user.session.start"', count: 5 }),
  sink: await log.sinkPages(9, 8_000_000),
  sinkBytes: await log.sinkPages(100, 5_000),
});

describe('in every mix of forms', { timeout: 300_000 }, () => {
  beforeEach(() => log.restore());

  test('readers by position read one log', async () => {
    const { orgId, restore } = log;
    const before = [await readByPosition(), await readInOrder()];
    expect(before[1]).toMatchObject({ verified: { ok: true, verified: EVENTS.all + 1, erased: 2 } });
    const retained = await findFirstRetained(log.database.db, orgId);
    await fc.assert(
      fc.asyncProperty(mixes, async (chosen) => {
        await restore();
        await mixForms(log.bench, orgId, chosen);
        expect([await readByPosition(), await readInOrder()]).toEqual(before);
        expect(await findFirstRetained(log.database.db, orgId)).toEqual(retained);
      }),
      RUNS,
    );
  });
});

describe('while events are sealed', { timeout: 300_000 }, () => {
  beforeEach(() => log.restore());

  test.each(RANGES.slice(0, 3))('the pages of %j lose nothing', async (query) => {
    const { orgId } = log;
    const before = (await log.pages(query)).flat();
    const steps = [
      () => makeFresh(log.bench, orgId, 30),
      ...[5, 12, EVENTS.firstDay, 28, 35].map((end) => () => seal(log.bench, orgId, end)),
    ];
    const found: string[] = [];
    for (let next: Readonly<Record<string, string>> | null = query; next !== null; ) {
      const page = await log.bench.page(orgId, next);
      if (page.bodies.length === 0) break;
      found.push(...page.bodies);
      next = nextOf(page);
      await steps.shift()?.();
    }
    expect(found).toEqual(before);
  });

  test('each reader sees all events at each moment', async () => {
    const { orgId } = log;
    const read = async () => ({
      exported: (await log.exported({ proof: true })).text,
      sink: await log.sinkPages(50, 8_000_000),
      polled: await log.pages({ since: SINCE, limit: '100' }),
      bounded: await log.pages({ since: SINCE, until: at(1_000).toISOString(), limit: '100' }),
      newest: await log.pages({ since: SINCE, until: at(1_000).toISOString(), sortOrder: 'DESCENDING' }),
    });
    const before = await read();
    const state = { isSealing: true };
    const sealing = (async () => {
      for (const end of [...numbersTo(EVENTS.firstDay), 25, 33, EVENTS.all]) await seal(log.bench, orgId, end);
      state.isSealing = false;
    })();
    while (state.isSealing) expect(await read()).toEqual(before);
    await sealing;
    expect(await read()).toEqual(before);
  });

  test.each<[string, (connections: Connections) => Promise<unknown>]>([
    ['an export', async (connections) => (await log.exported({ proof: true }, connections)).text],
    ['a tail', (connections) => readTail(connections, log.orgId, { filter: null, count: 30 })],
    ['a verification', (connections) => verifyOrg(connections, log.orgId, { batchSize: 25 })],
    ['a sink', (connections) => log.sinkPages(25, 8_000_000, connections)],
    ['a poll', (connections) => log.pages({ since: SINCE, limit: '25' }, connections)],
    ['a bounded page', (connections) => log.pages({ since: SINCE, until: UNTIL, limit: '25' }, connections)],
    [
      'a descending page',
      (connections) => log.pages({ since: SINCE, until: UNTIL, limit: '25', sortOrder: 'DESCENDING' }, connections),
    ],
    ['a cursor', (connections) => findFirstWithin(connections, log.orgId, 3, at(30))],
    ['a place', (connections) => connections.withConnection((one) => findPlace(one, log.orgId, 9))],
    [
      'a look behind',
      (connections) => connections.withConnection((one) => isEventBehind(one, log.orgId, 3, 'user.lifecycle.suspend')),
    ],
  ])('%s reads one log if a seal is committed between any two of its statements', async (_, read) => {
    const { orgId, restore } = log;
    const { connections } = log.bench;
    const expected = await read(connections);
    for (const ends of [[], [5]]) {
      for (let wanted = 1, isOver = false; !isOver; wanted += 1) {
        await restore();
        for (const end of ends) await seal(log.bench, orgId, end);
        let statements = 0;
        const interrupted = beforeStatements(connections, async () => {
          statements += 1;
          if (statements === wanted) await seal(log.bench, orgId, EVENTS.firstDay);
        });
        expect([ends, wanted, await read(interrupted)]).toEqual([ends, wanted, expected]);
        isOver = statements < wanted;
      }
    }
  });
});

describe('while retention deletes segments', { timeout: 300_000 }, () => {
  beforeEach(() => log.restore());

  /** Deletes the first segment as retention does. */
  const retain = async (): Promise<void> => {
    await log.bench.query(
      `with gone as (
         delete from log_segments where org_id = $1 and last_position = 9
         returning org_id, last_position, substring(hashes from 32 * events - 31 for 32) as hash
       )
       insert into log_anchors (org_id, position, hash, signed, created_at)
       select org_id, last_position, hash, 'signed', now() from gone`,
      [log.orgId],
    );
  };

  async function atEachStatement(read: (connections: Connections) => Promise<unknown>): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let wanted = 1, isOver = false; !isOver; wanted += 1) {
      await log.restore();
      await log.bench.query('delete from log_anchors where org_id = $1', [log.orgId]);
      for (const end of [9, EVENTS.firstDay]) await seal(log.bench, log.orgId, end);
      let statements = 0;
      const interrupted = beforeStatements(log.bench.connections, async () => {
        statements += 1;
        if (statements === wanted) await retain();
      });
      found.push(await read(interrupted));
      isOver = statements < wanted;
    }
    await log.bench.query('delete from log_anchors where org_id = $1', [log.orgId]);
    return found;
  }

  test('a place is that of the event or of its anchor', async () => {
    const expected = await log.bench.connections.withConnection((one) => findPlace(one, log.orgId, 9));
    const found = await atEachStatement((connections) =>
      connections.withConnection((one) => findPlace(one, log.orgId, 9)),
    );
    expect(found.length).toBeGreaterThan(2);
    expect(found).toEqual(found.map(() => expected));
  });

  test('a page of a sink begins with the first event or with the first one that is left', async () => {
    const found = await atEachStatement(async (connections) => {
      const [first] = await log.sinkPages(100, 8_000_000, connections);
      return first?.position;
    });
    expect(new Set(found)).toEqual(new Set([1, 10]));
  });

  test('a look-up by time finds an event', async () => {
    const found = await atEachStatement((connections) => findFirstWithin(connections, log.orgId, 0, at(21)));
    for (const position of found) expect([1, 2, 3, 4, 5, 6, 10]).toContain(position);
  });
});

test('a page that takes too long between its statements is refused as one with a slow statement', async () => {
  await log.restore();
  await seal(log.bench, log.orgId, EVENTS.firstDay);
  for (const query of [{ since: SINCE }, { since: SINCE, until: UNTIL }]) {
    expect((await refusalOf(log.bench.page(log.orgId, query, 0))).code).toBe('E0000009');
  }
});
