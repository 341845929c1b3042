import { describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import {
  actor,
  created,
  cursors,
  LogBench,
  nextOf,
  parsed,
  refusalOf,
  targetIds,
  testClock,
} from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const bench = beforeTests(() => new LogBench(database.pool));

async function orgWith(instants: readonly string[]): Promise<OrgId> {
  const orgId = await bench.newOrg();
  await publishAt(orgId, instants);
  return orgId;
}

async function publishAt(orgId: OrgId, instants: readonly string[]): Promise<void> {
  const past = new LogBench(database.pool, testClock());
  for (const instant of instants) {
    past.clock.set(instant);
    await past.write(orgId, [created(instant)]);
  }
  await past.drainAll();
}

const ten = '2026-11-20T10:00:00.000Z';
const eleven = '2026-11-20T11:00:00.000Z';
const noon = '2026-11-20T12:00:00.000Z';

const cursorQuery = (filter: string): [string, string][] => [
  ['sortOrder', 'ascending'],
  ['until', ''],
  ['filter', filter],
  ['q', ''],
];

describe('polling', () => {
  test('goes on for ever: an empty page has a next link that later finds what came', async () => {
    const orgId = await bench.newOrg();
    const first = await bench.page(orgId);
    expect(first.bodies).toEqual([]);
    await bench.write(orgId, [created('00u1')]);
    await bench.drainAll();
    const second = await bench.page(orgId, nextOf(first) ?? {});
    expect(targetIds(parsed(second))).toEqual(['00u1']);
    const third = await bench.page(orgId, nextOf(second) ?? {});
    expect(third.bodies).toEqual([]);
    expect(nextOf(third)).toEqual(nextOf(second));
  });

  test('goes by position, not by published, and starts at what was persisted since', async () => {
    const orgId = await orgWith([eleven, ten, noon]);
    expect(targetIds(await bench.events(orgId, { since: '2026-11-20T00:00:00Z' }))).toEqual([eleven, ten, noon]);
    // The event at `ten` was published earlier, so a reader that starts at `eleven` does not get it.
    expect(targetIds(await bench.events(orgId, { since: eleven }))).toEqual([eleven, noon]);
    expect(targetIds(await bench.events(orgId, { since: '2026-11-20T12:00:00.001Z' }))).toEqual([]);
  });

  test('behind a cursor nothing is left out for being published early: a clock may be behind', async () => {
    const orgId = await orgWith([eleven]);
    const first = await bench.page(orgId, { since: eleven });
    await publishAt(orgId, [ten]);
    expect(targetIds(parsed(await bench.page(orgId, nextOf(first) ?? {})))).toEqual([ten]);
  });

  test('a reader that restarts from the last published it saw moves on within one batch', async () => {
    const orgId = await orgWith([ten, eleven, noon]);
    const seen: string[] = [];
    let since = ten;
    for (let reads = 0; reads < 3; reads += 1) {
      const ids = targetIds(parsed(await bench.page(orgId, { since, limit: '2' })));
      seen.push(...ids);
      since = ids.at(-1) ?? since;
    }
    expect(seen).toEqual([ten, eleven, eleven, noon, noon]);
  });

  test('a poll that asked for no events at first begins with its first page of some', async () => {
    const orgId = await orgWith([noon, ten, eleven]);
    const none = await bench.page(orgId, { since: ten, limit: '0' });
    expect(nextOf(await bench.page(orgId, nextOf(none) ?? {}))).toEqual(nextOf(none));
    const first = await bench.page(orgId, { ...nextOf(none), limit: '2' });
    // A poll whose first page is full begins in the order of `published` (ADR 0023).
    expect(targetIds(parsed(first))).toEqual([ten, eleven]);
    expect(targetIds(parsed(await bench.page(orgId, nextOf(first) ?? {})))).toEqual([noon]);
  });

  test('the start holds for the pages that follow an empty one', async () => {
    const orgId = await orgWith([ten]);
    const page = await bench.page(orgId, { since: noon });
    expect(page.bodies).toEqual([]);
    const late = new LogBench(database.pool, testClock(eleven));
    await late.write(orgId, [created('before the start')]);
    await late.drainAll();
    expect((await bench.page(orgId, nextOf(page) ?? {})).bodies).toEqual([]);
  });

  test('pages by limit without loss; limit 0 is an empty page that stays in place', async () => {
    const orgId = await bench.newOrg();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await bench.write(
      orgId,
      ids.map((id) => created(id)),
    );
    await bench.drainAll();
    const seen: string[] = [];
    let query: Record<string, string> = { limit: '2' };
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await bench.page(orgId, query);
      seen.push(...targetIds(parsed(page)));
      query = nextOf(page) ?? {};
      expect(query).toMatchObject({ limit: '2' });
    }
    expect(seen).toEqual(ids);
    const none = await bench.page(orgId, { limit: '0' });
    expect(none.bodies).toEqual([]);
    expect(await bench.events(orgId, { ...nextOf(none), limit: '10' })).toHaveLength(5);
  });

  test('a rare filter moves its cursor to the head', async () => {
    const orgId = await bench.newOrg();
    await bench.write(
      orgId,
      ['a', 'b', 'c'].map((id) => created(id)),
    );
    await bench.drainAll();
    const filter = 'target.id eq "z"';
    const page = await bench.page(orgId, { filter });
    expect(page.bodies).toEqual([]);
    const scope = { orgId, list: 'listLogEvents', direction: 'after', query: cursorQuery(filter) } as const;
    expect(cursors.decode(scope, nextOf(page)?.['after'] ?? '')).toEqual([3, expect.any(Number)]);
    await bench.write(orgId, [created('z')]);
    await bench.drainAll();
    expect(targetIds(parsed(await bench.page(orgId, nextOf(page) ?? {})))).toEqual(['z']);
  });

  test('links: self first, in the order after, limit, rest; next without since', async () => {
    const orgId = await bench.newOrg();
    const page = await bench.page(orgId, { since: ten, filter: 'actor.id pr', limit: '5' });
    expect(page.links.map((link) => [link.rel, link.query.map(([name]) => name)])).toEqual([
      ['self', ['limit', 'since', 'filter']],
      ['next', ['after', 'limit', 'filter']],
    ]);
  });

  test('answers with nothing that was published before the window', async () => {
    const old = '2026-08-01T00:00:00.000Z';
    const orgId = await orgWith([old, noon]);
    expect(targetIds(await bench.events(orgId, { since: '2026-07-01T00:00:00Z' }))).toEqual([noon]);
    expect(targetIds(await bench.events(orgId, { since: '2026-07-01T00:00:00Z', until: ten }))).toEqual([]);
  });
});

describe('bounded', () => {
  test('goes by published, from since inclusive to until exclusive, and ends', async () => {
    const orgId = await orgWith([eleven, ten, noon]);
    const page = await bench.page(orgId, { since: ten, until: noon });
    expect(targetIds(parsed(page))).toEqual([ten, eleven]);
    expect(nextOf(page)).toBeNull();
    expect(page.links.map((link) => link.rel)).toEqual(['self']);
  });

  test.each(['ASCENDING', 'DESCENDING'])('pages %s through events of one instant', async (sortOrder) => {
    const orgId = await orgWith([ten, ten, eleven, eleven, eleven]);
    const range = { since: ten, until: noon, sortOrder };
    const whole = (await bench.page(orgId, range)).bodies;
    const seen: string[] = [];
    let query: Record<string, string> | null = { ...range, limit: '2' };
    while (query !== null) {
      const page = await bench.page(orgId, query);
      seen.push(...page.bodies);
      query = nextOf(page);
    }
    expect(seen).toEqual(whole);
    expect(whole).toHaveLength(5);
    const instants = parsed({ bodies: whole, links: [] }).map((event) => event['published']);
    const inOrder = [ten, ten, eleven, eleven, eleven];
    expect(instants).toEqual(sortOrder === 'ASCENDING' ? inOrder : inOrder.reverse());
  });

  test('descending without until is finite and starts with the newest of the last seven days', async () => {
    const orgId = await orgWith(['2026-11-12T00:00:00.000Z', ten, noon]);
    const page = await bench.page(orgId, { sortOrder: 'DESCENDING' });
    expect(targetIds(parsed(page))).toEqual([noon, ten]);
    expect(nextOf(page)).toBeNull();
  });

  test('until without since reaches seven days back', async () => {
    const orgId = await orgWith(['2026-11-12T00:00:00.000Z', '2026-11-14T00:00:00.000Z', noon]);
    expect(targetIds(await bench.events(orgId, { until: ten }))).toEqual(['2026-11-14T00:00:00.000Z']);
  });
});

describe('what is never answered', () => {
  test("another org's events, in any form", async () => {
    const [mine, theirs] = [await orgWith([noon]), await orgWith([noon])];
    for (const form of [{}, { sortOrder: 'DESCENDING' }, { q: actor.alternateId }, { filter: `actor.id pr` }]) {
      const found = await bench.events(mine, form);
      expect(found).toHaveLength(1);
      expect(await bench.events(theirs, form)).not.toEqual(found);
    }
  });

  test('a cursor of another org, filter, form or order', async () => {
    const [mine, theirs] = [await orgWith([noon]), await orgWith([noon])];
    const after = nextOf(await bench.page(mine))?.['after'] ?? '';
    for (const attempt of [
      bench.page(theirs, { after }),
      bench.page(mine, { after, filter: 'actor.id pr' }),
      bench.page(mine, { after, q: 'x' }),
      bench.page(mine, { after, until: noon }),
      bench.page(mine, { after, sortOrder: 'DESCENDING' }),
    ]) {
      expect(await refusalOf(attempt)).toMatchObject({ code: 'E0000001', status: 400 });
    }
  });

  test('more than 30 s: E0000009, and the statement is cancelled', async () => {
    const orgId = await bench.newOrg();
    await bench.connections.withConnection(async (connection) => {
      await connection.query('begin');
      await connection.query('lock table log_fresh in access exclusive mode');
      const refusal = await refusalOf(bench.page(orgId, {}, 100));
      expect(refusal).toMatchObject({ code: 'E0000009', status: 500 });
      expect(refusal.message).toMatch(/^Your last request took too long to complete\./);
      await connection.query('rollback');
    });
    expect((await bench.page(orgId, {}, 30_000)).bodies).toEqual([]);
  });
});
