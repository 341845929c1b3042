import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readTail, verifyOrg } from '../../src/system-log/index.ts';
import { findFirstWithin } from '../../src/system-log/query/cursor-skip-store.ts';
import { findPlace, findWindowEnds, isEventBehind } from '../../src/system-log/relay/ledger-store.ts';
import { findFirstRetained, findFirstSince } from '../../src/system-log/sinks/delivery/deliveries-store.ts';
import { hasOtherEventsBehind } from '../../src/system-log/sinks/delivery/ledger-page-store.ts';
import { at, EVENTS, mixes, RANGES, RUNS, SINCE, TYPES, useMixedLog } from '../support/mixed-log.ts';
import { makeFresh, mixForms, seal } from '../support/sealed-log.ts';
import { nextOf, numbersTo } from '../support/system-log.ts';

// Each reader by position reads the same log in every mix of forms: segments, rows and fresh rows.

const log = useMixedLog();

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
});
