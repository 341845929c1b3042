import { describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { exportPages, planExport, verifyOrg } from '../../src/system-log/index.ts';
import { readLedgerPage } from '../../src/system-log/sinks/delivery/ledger-page-store.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { seal } from '../support/sealed-log.ts';
import { created, LogBench, nextOf, numbersTo, requestContext } from '../support/system-log.ts';

// A segment of many events has many parts, many buckets of postings, and columns of which readers fetch slices.

const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const bench = beforeTests(() => new LogBench(database.pool));
const EVENTS = 3_000;
const SINCE = '2026-11-20T00:00:00.000Z';
const UNTIL = '2026-11-21T00:00:00.000Z';

async function pages(orgId: OrgId, query: Readonly<Record<string, string>>): Promise<string[]> {
  const found: string[] = [];
  for (let next: Readonly<Record<string, string>> | null = query; next !== null; ) {
    const page = await bench.page(orgId, next);
    if (page.bodies.length === 0) break;
    found.push(...page.bodies);
    next = nextOf(page);
  }
  return found;
}

async function exported(orgId: OrgId, since: Date | null = null): Promise<string> {
  const request = { format: 'ndjson', proof: true, filter: null, since, until: null } as const;
  const whole = { ...request, fromPosition: null, toPosition: null };
  const plan = await planExport({ connections: bench.connections, db: database.db }, orgId, whole);
  const texts: string[] = [];
  for await (const page of exportPages(bench.connections, orgId, whole, plan)) texts.push(page.text);
  return texts.join('');
}

async function sinkPages(orgId: OrgId, maximumBytes: number) {
  const found: { readonly position: number; readonly body: string }[] = [];
  let largest = 0;
  for (let position = 0; ; ) {
    const place = { position, persistedAt: new Date(0), upTo: null, maximumEvents: 1_000, maximumBytes };
    const page = await readLedgerPage(bench.connections, orgId, place);
    found.push(...page.events);
    const bytes = page.events.map(({ body }) => Buffer.byteLength(body));
    largest = Math.max(
      largest,
      bytes.slice(0, -1).reduce((sum, one) => sum + one, 0),
    );
    position = page.events.at(-1)?.position ?? position;
    if (page.reachedHead) return { found, largest };
  }
}

const QUERIES: readonly Readonly<Record<string, string>>[] = [
  { since: SINCE, limit: '1000' },
  { since: SINCE, until: UNTIL, sortOrder: 'DESCENDING', limit: '700' },
  { since: SINCE, until: UNTIL, filter: 'target.id eq "00u1234"' },
  { since: SINCE, until: UNTIL, filter: 'target.id eq "00u1234" or target.id eq "00u2999"', sortOrder: 'DESCENDING' },
  { since: SINCE, filter: 'debugContext.debugData.risk eq "HIGH"', limit: '70' },
  { since: SINCE, until: UNTIL, filter: 'target.id ew "99" and not (debugContext.debugData.risk pr)' },
  { since: SINCE, q: '00u77@example.com' },
  { since: SINCE, filter: 'eventType eq "user.lifecycle.suspend"' },
];

describe('a large segment', { timeout: 300_000 }, () => {
  test('is read as its rows were', async () => {
    const orgId = await bench.newOrg();
    for (const batch of numbersTo(EVENTS / 500)) {
      const events = numbersTo(500).map((number) => {
        const index = (batch - 1) * 500 + number - 1;
        return created(`00u${index}`, index % 11 === 0 ? { debugData: { risk: 'HIGH' } } : {});
      });
      await bench.write(orgId, events);
    }
    await bench.drainAll();
    const read = async () => {
      const found: unknown[] = [await exported(orgId), await verifyOrg(bench.connections, orgId)];
      for (const query of QUERIES) found.push(await pages(orgId, query));
      found.push((await sinkPages(orgId, 2_000_000)).found);
      return found;
    };
    const before = await read();
    expect(before[1]).toMatchObject({ ok: true, verified: EVENTS });
    await seal(bench, orgId, EVENTS - 100);
    const [sealed] = await bench.query<{ buckets: number; parts: number }>(
      `select octet_length(bucket_ends) / 4 as buckets, octet_length(part_ends) / 4 as parts from log_segments
       where org_id = $1`,
      [orgId],
    );
    expect(sealed?.buckets).toBeGreaterThan(4);
    expect(sealed?.parts).toBe((EVENTS - 100) / 4);
    expect(await read()).toEqual(before);
  });

  test('of large bodies is read in pages of a limited size', async () => {
    const orgId = await bench.newOrg();
    const big = (number: number) => created(`00u${number}`, { debugData: { big: 'x '.repeat(10_000 + number) } });
    for (const number of numbersTo(24)) await bench.write(orgId, [big(number)]);
    await bench.drainAll();
    const before = [await exported(orgId), (await sinkPages(orgId, 100_000)).found];
    await seal(bench, orgId, 20);
    const { found, largest } = await sinkPages(orgId, 100_000);
    expect([await exported(orgId), found]).toEqual(before);
    expect(largest).toBeLessThan(100_000);
    expect(largest).toBeGreaterThan(40_000);
  });

  test('is exported without the texts outside a window', async () => {
    const orgId = await bench.newOrg();
    const since = new Date(bench.clock.now().getTime() - 1_000);
    // A page of an export ends at 4,000,000 bytes. The early event is larger than the rest of the page.
    const texts = numbersTo(8).map((number) => 'x '.repeat(number === 2 ? 490_000 : 400_000));
    for (const [index, big] of texts.entries()) {
      const published = new Date(since.getTime() + (index === 1 ? -100 : 100));
      await bench.write(orgId, [created(`00u${index}`, { debugData: { big } })], requestContext(orgId, published));
    }
    await bench.drainAll();
    const before = await exported(orgId, since);
    await seal(bench, orgId, 6);
    expect(await exported(orgId, since)).toBe(before);
  });
});
