import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { wholeRole } from '../../src/kernel/words/held-role.ts';
import { type JsonObject, readLogPage } from '../../src/system-log/index.ts';
import { searchTermsOf } from '../../src/system-log/rendering/terms/search-terms.ts';
import { EVENTS, mixes, RANGES, RUNS, SINCE, START, useMixedLog } from '../support/mixed-log.ts';
import { mixForms } from '../support/sealed-log.ts';
import { cursors, requestContext } from '../support/system-log.ts';

// Filtered pages are the same in every mix of forms: segments, rows and fresh rows.

const log = useMixedLog();

const FILTERS: readonly (readonly [filter: string, q?: string])[] = [
  [''],
  ['eventType eq "user.lifecycle.suspend"'],
  ['actor.id eq "00uactor3"'],
  ['actor.id ne "00uactor3"'],
  ['actor.id eq ""'],
  ['transaction.id eq ""'],
  ['target.id eq "00u4"'],
  ['target.id gt "00u3"'],
  ['not (target.id eq "00u4")'],
  ['uuid sw "0"'],
  ['uuid pr and severity eq "INFO"'],
  ['severity eq "WARN"'],
  ['outcome.result eq "SUCCESS"'],
  ['outcome.result eq "FAILURE"'],
  ['outcome.result ne "SUCCESS"'],
  ['outcome.reason co "CREDENTIALS"'],
  ['debugContext.debugData.risk eq "HIGH" and eventType eq "user.session.start"'],
  ['debugContext.debugData.risk pr'],
  ['debugContext.debugData.nested.key eq "x"'],
  ['debugContext.debugData.nested pr'],
  ['target.displayName co "York"'],
  ['client.ipAddress sw "203.0.113.2"'],
  ['request.ipChain.ip eq "203.0.113.1"'],
  ['authenticationContext.authenticationStep ge 0'],
  ['securityContext.isProxy pr'],
  ['transaction.detail.requestApiTokenId pr'],
  ['legacyEventType pr or displayMessage ew "deleted"'],
  ['(eventType eq "user.session.start" or target.id eq "00u2") and not (outcome.result eq "FAILURE")'],
  ['eventType eq "nothing.of.the.kind"'],
  ['', 'york'],
  ['', 'new-york jones'],
  ['', 'HIGH x'],
  ['', 'unheard-of'],
  ['outcome.result eq "FAILURE"', 'jones'],
];

/** Each filter with two of the ranges. */
const QUERIES = FILTERS.flatMap(([filter, q], index) =>
  [0, 3].map((step): Readonly<Record<string, string>> => {
    const query: Record<string, string> = { ...RANGES[(index + step) % RANGES.length] };
    if (filter !== '') query['filter'] = filter;
    if (q !== undefined) query['q'] = q;
    return query;
  }),
);

async function readByQuery() {
  const found: Record<string, unknown> = {};
  for (const query of QUERIES) found[JSON.stringify(query)] = await log.pages(query);
  return found;
}

describe('in every mix of forms', { timeout: 300_000 }, () => {
  beforeEach(() => log.restore());

  test('filtered pages are the same', async () => {
    const { orgId, restore } = log;
    const before = await readByQuery();
    expect(Object.values(before).filter((found) => JSON.stringify(found) !== '[[]]').length).toBeGreaterThan(30);
    await fc.assert(
      fc.asyncProperty(mixes, async (chosen) => {
        await restore();
        await mixForms(log.bench, orgId, chosen);
        expect(await readByQuery()).toEqual(before);
      }),
      RUNS,
    );
  });
});

/** An event with members that the service does not write, as from another origin. */
const ODD = {
  actor: { id: '00uodd', detailEntry: { key: 'value', deep: { key: 'value' } } },
  target: [{ id: 'odd1', type: 'User' }, { id: null }, { displayName: 'odd' }],
  debugContext: { debugData: { group: { name: 'x' }, 'group.name': 'y', empty: '' } },
  transaction: { id: 'odd', detail: { number: 5, truth: true } },
};
const ODD_FILTERS = [
  'debugContext.debugData.group.name eq "x"',
  'debugContext.debugData.group.name eq "y"',
  'debugContext.debugData.group.name sw "y"',
  'debugContext.debugData.group pr',
  'transaction.detail.number eq "5"',
  'transaction.detail.number gt "4"',
  'transaction.detail.number lt "4"',
  'transaction.detail.truth eq "true"',
  'transaction.detail.truth ne "true"',
  'debugContext.debugData.empty pr',
  'debugContext.debugData.constructor pr',
  'actor.detailEntry.key eq "value"',
  'actor.detailEntry.deep.key eq "value"',
  'actor.detailEntry.deep pr',
  'target.id eq "odd1" and target.displayName eq "odd"',
  'not (transaction.detail.number eq "5") and actor.id eq "00uodd"',
];

test('members of open objects are compared in segments as in rows', async () => {
  const { orgId, restore } = log;
  await restore();
  const [row] = await log.bench.query<{ body: string }>(
    'select body from log_events where org_id = $1 and position = 8',
    [orgId],
  );
  const event = { ...(JSON.parse(row?.body ?? '{}') as JsonObject), ...ODD };
  await log.bench.query(
    `update log_events set body = $2, tokens = $3, actor_id = '00uodd', target_ids = '{odd1}'
     where org_id = $1 and position = 8`,
    [orgId, JSON.stringify(event), searchTermsOf(orgId, event)],
  );
  const read = async () => {
    const found: Record<string, readonly string[]> = {};
    for (const filter of ODD_FILTERS) found[filter] = (await log.pages({ since: SINCE, limit: '100', filter })).flat();
    return found;
  };
  const before = await read();
  const counts = [0, 1, 4].map((index) => before[ODD_FILTERS[index] ?? '']?.length);
  expect(counts).toEqual([0, 1, 1]);
  await mixForms(log.bench, orgId, { ends: [EVENTS.firstDay], freshAfter: EVENTS.firstDay });
  expect(await read()).toEqual(before);
});

test('readers with less than full sight see as little of segments as of rows', async () => {
  const { orgId, restore } = log;
  await restore();
  const read = async () => {
    const context = { ...requestContext(orgId, log.bench.clock.now()), roles: [wholeRole('REPORT_ADMIN')] };
    const reader = { connections: log.bench.connections, cursors };
    const entries = [
      ['since', SINCE],
      ['limit', '100'],
    ] as const;
    return (await readLogPage(reader, context, entries)).bodies;
  };
  const before = await read();
  expect(before).toHaveLength(EVENTS.all + 1);
  expect(before.join()).not.toContain('secret');
  expect((await log.pages({ since: SINCE, limit: '100' })).join()).toContain('secret');
  await mixForms(log.bench, orgId, { ends: [EVENTS.firstDay, 30], freshAfter: 35 });
  expect(await read()).toEqual(before);
});

test('a replay by time looks into no earlier partition', async () => {
  await log.bench.query(`select log_ensure_partitions('2026-08-03', '2026-08-20')`);
  const plans = await log.bench.query<{ 'QUERY PLAN': unknown }>(
    `explain (format json) select position, persisted_at from log_unsealed
     where org_id = $1 and persisted_at >= $2 order by position limit 1`,
    [log.orgId, START],
  );
  const plan = JSON.stringify(plans);
  expect(plan).toContain('log_events_20261116');
  expect(plan).toContain('log_fresh');
  expect(plan).not.toContain('log_events_202608');
});
