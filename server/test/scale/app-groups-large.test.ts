import { beforeAll, expect, test } from 'vitest';
import {
  appGroup,
  appUser,
  appUsers,
  assignTo,
  bookmarkApp,
  idsOf,
  newApp,
  toldBy,
} from '../support/app-assignments.ts';
import type { TestResponse } from '../support/client.ts';
import { everyoneOf } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, linksOf } from '../support/users.ts';

type Body = TestResponse['body'];

const USERS = 1_001;

const { service, org } = useService();
let everyone: Body;

async function fill({ adminUserId, id }: TestOrg): Promise<void> {
  await service.database.pool.query(
    `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
       provider_type, provider_name, has_password, created_at, last_updated_at)
     select a.org_id, '00u' || lpad(n::text, 14, '0') || right(a.id, 3), a.type_id, 'ACTIVE', n || '@many.example',
       n || '@many.example', n::text, a.normal_form_version,
       a.profile || jsonb_build_object('login', n || '@many.example'),
       a.provider_type, a.provider_name, false, a.created_at, a.last_updated_at
     from users a cross join generate_series(1, $3::integer) as n where a.org_id = $1 and a.id = $2`,
    [id, adminUserId, USERS],
  );
}

beforeAll(async () => {
  await fill(org);
  everyone = await everyoneOf(org);
});

test('an app of a great group: one row, one event, and everybody has it at once', async () => {
  const app = await newApp(org, bookmarkApp());
  const response = await assignTo(org, app, everyone);
  expect(response.status).toBe(200);
  expect(await eventsOf(org, response)).toMatchObject([
    { eventType: 'group.application_assignment.add', debugContext: { debugData: { usersChanged: 'more than 1000' } } },
  ]);
  const { rows } = await service.database.pool.query('select from app_users where org_id = $1', [org.id]);
  expect(rows).toHaveLength(0);
  const first = await org.admin.get(`${appUsers(app)}?limit=500`);
  const second = await org.admin.get(linksOf(first)['next'] ?? '');
  const third = await org.admin.get(linksOf(second)['next'] ?? '');
  const ids = [first, second, third].flatMap(idsOf);
  expect([new Set(ids).size, ids.length]).toEqual([USERS + 1, USERS + 1]);
  expect(linksOf(third)['next']).toBeUndefined();
  expect(await org.admin.get(appUser(app, { id: ids[500] }))).toMatchObject({ status: 200, body: { scope: 'GROUP' } });
  const ended = await org.admin.del(appGroup(app, everyone));
  expect(await toldBy(org, ended)).toEqual([]);
  expect(await org.admin.get(appUsers(app))).toMatchObject({ status: 200, body: [] });
});
