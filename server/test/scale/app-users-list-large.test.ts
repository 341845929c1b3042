import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { MAXIMUM_GATHERED } from '../../src/management/app-assignments/links/list-store.ts';
import { MANY } from '../../src/search/scan/choose-scan.ts';
import { appUsers, assign, assignTo, bookmarkApp, idsOf, newApp, newGroup } from '../support/app-assignments.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { type SeenStatement, spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { followPages, linksOf, userPath } from '../support/users.ts';

type Body = TestResponse['body'];

/** The number of users with the same name. */
const SWARM = MAXIMUM_GATHERED + 1;

const { service, org } = useService();
let ids: readonly string[];
let everyones: Body;

async function fill({ adminUserId, id }: TestOrg): Promise<string[]> {
  const { pool } = service.database;
  const { rows } = await pool.query<{ id: string }>(
    `with made as (insert into users (org_id, id, type_id, status, login, login_key, short_login_key,
       normal_form_version, profile, provider_type, provider_name, has_password, created_at, last_updated_at)
     select a.org_id, '00u' || lpad(n::text, 14, '0') || right(a.id, 3), a.type_id, 'ACTIVE', n || '@swarm.example',
       n || '@swarm.example', n::text, a.normal_form_version,
       a.profile || jsonb_build_object('login', n || '@swarm.example', 'firstName', 'Swarm'),
       a.provider_type, a.provider_name, false, a.created_at, a.last_updated_at
     from users a cross join generate_series(1, $3::integer) as n where a.org_id = $1 and a.id = $2 returning id),
     named as (insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
       select $1, 102, 'swarm', id from made)
     select id from made order by id`,
    [id, adminUserId, SWARM],
  );
  await pool.query('analyze users, user_attribute_values');
  return rows.map((row) => row.id);
}

beforeAll(async () => {
  ids = await fill(org);
  everyones = await newApp(org, bookmarkApp());
  await assignTo(org, everyones, await everyoneOf(org));
});
afterEach(() => vi.restoreAllMocks());

const byName = (app: Body, rest = '', q = 'SWARM'): string => `${appUsers(app)}?q=${q}${rest}`;

test('a name that many have is answered in pages, forwards and backwards', async () => {
  const first = await org.admin.get(byName(everyones, '&limit=3'));
  expect(idsOf(first)).toEqual(ids.slice(0, 3));
  const after = await org.admin.get(linksOf(first)['next'] ?? '');
  expect(idsOf(after)).toEqual(ids.slice(3, 6));
  expect(idsOf(await org.admin.get(linksOf(after)['prev'] ?? ''))).toEqual(ids.slice(0, 3));
});

test('shows of those who have the app who has that name, or has it in the app, and nobody else', async () => {
  const app = await newApp(org, bookmarkApp());
  const [other, renamed] = [await org.createUser(), await org.createUser()];
  const members = [ids[9], ids[4], ids.at(-1)].map((id) => ({ id }));
  await assignTo(org, app, await newGroup(org, other, ...members));
  await assign(org, app, { id: ids[7] });
  await assign(org, app, renamed, { credentials: { userName: 'Swarming' } });
  const named = [ids[4], ids[7], ids[9], ids.at(-1), renamed.id].toSorted();
  const pages = await followPages(org.admin, byName(app, '&limit=2'));
  expect(pages.users.map(({ id }) => id)).toEqual(named);
  expect(pages.sizes).toEqual([2, 2, 1]);
  await org.admin.post(`${userPath(ids[9] ?? '')}/lifecycle/deactivate`);
  expect(idsOf(await org.admin.get(byName(app)))).toEqual(named.filter((id) => id !== ids[9]));
  expect(idsOf(await org.admin.get(byName(app, '', 'swarmi')))).toEqual([renamed.id]);
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === undefined ? 0 : node['Actual Rows'] * node['Actual Loops']) +
  (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);

/** Returns the statements of a request that use the search index of users. */
async function askedBy(request: () => Promise<TestResponse>): Promise<SeenStatement[]> {
  const asked: SeenStatement[] = [];
  spyOnStatements((statement) => {
    if (statement.text.includes('user_attribute_values')) asked.push(statement);
    return null;
  });
  expect(await request()).toMatchObject({ status: 200 });
  vi.restoreAllMocks();
  return asked;
}

test.each([
  ['an app of all users', async () => everyones],
  [
    'an app of a few',
    async () => {
      const app = await newApp(org, bookmarkApp());
      await assignTo(org, app, await newGroup(org, { id: ids[4] }, { id: ids.at(-2) }));
      return app;
    },
  ],
])('%s: a page reads a bounded number of rows, however many have the name', async (_, newOne) => {
  const app = await newOne();
  const asked = await askedBy(() => org.admin.get(byName(app, '&limit=3')));
  expect(asked.length).toBeGreaterThan(0);
  let read = 0;
  for (const { text, values } of asked) {
    const { rows } = await service.database.pool.query(`explain (analyze, format json) ${text}`, [...values]);
    read += rowsRead(rows[0]['QUERY PLAN'][0].Plan);
  }
  // `read` includes the rows that were counted to choose a scan, and the rows of the page.
  expect(read).toBeLessThan(MANY + 500);
});
