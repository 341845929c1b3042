import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { activeRule } from '../support/group-rules.ts';
import { addMember, createGroup, groupPath, idsOf } from '../support/groups.ts';
import { FEWEST_PLANS, plansOfTen, testOfPlans } from '../support/planned-statements.ts';
import { withTargets } from '../support/roles.ts';
import { newUserType } from '../support/schemas.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, newProfile, userPath } from '../support/users.ts';

// Updates that arrive together can share a transaction (ADR 0077). Each must still have the result that it would have
// alone.

const { service, org } = useService({ isShared: false });
let users: TestResponse['body'][] = [];

const NUMBER = 12;
const update = (id: string, profile: unknown, headers: Readonly<Record<string, string>> = {}) =>
  org.admin.post(userPath(id), { body: { profile }, headers });
const read = async (id: string) => (await org.admin.get(userPath(id))).body;
const eventTypes = async (response: TestResponse) =>
  (await eventsOf(org, response)).map(({ eventType }) => eventType as string);

beforeEach(async () => {
  users = await Promise.all(Array.from({ length: NUMBER }, () => org.createUser()));
});

test('each update is stored, told in the log once, and answered with the next version', async () => {
  const tags = await Promise.all(
    users.map(async ({ id }) => String((await org.admin.get(userPath(id))).headers['etag'])),
  );
  const answers = await Promise.all(
    users.map(({ id }, index) => update(id, { city: `City ${index}` }, { 'if-match': tags[index] ?? '' })),
  );
  for (const [index, answer] of answers.entries()) {
    expect(answer).toMatchObject({ status: 200, body: { id: users[index]?.id, profile: { city: `City ${index}` } } });
    expect(await read(users[index]?.id)).toEqual(answer.body);
    expect((await org.admin.get(userPath(users[index]?.id))).headers['etag']).toBe(answer.headers['etag']);
    expect(await eventsOf(org, answer)).toMatchObject([
      { eventType: 'user.account.update_profile', target: [{ id: users[index]?.id }] },
    ]);
  }
});

test('each refusal is its own, and changes nothing', async () => {
  const [gone, stale, invalid, login, blank] = users;
  await org.admin.post(`${userPath(gone.id)}/lifecycle/deactivate`);
  const unknown = `00u${'x'.repeat(17)}`;
  const before = await Promise.all(users.map(({ id }) => read(id)));
  const answers = await Promise.all([
    update(gone.id, { city: 'x' }),
    update(stale.id, { city: 'x' }, { 'if-match': 'W/"0"' }),
    update(invalid.id, { shoeSize: 42 }),
    update(login.id, { login: users[5].profile.login }),
    update(blank.id, { firstName: '' }),
    update(unknown, { city: 'x' }),
    ...users.slice(6).map(({ id }) => update(id, { city: 'Bath' })),
  ]);
  expect(answers.slice(0, 6).map(({ body, status }) => `${status} ${body.errorCode}`)).toEqual([
    '403 E0000038',
    '412 E0000231',
    '400 E0000001',
    '400 E0000001',
    '400 E0000001',
    '404 E0000007',
  ]);
  for (const refused of answers.slice(0, 6)) expect(await eventTypes(refused)).toEqual([]);
  expect(await Promise.all(users.slice(0, 6).map(({ id }) => read(id)))).toEqual(before.slice(0, 6));
  for (const { id } of users.slice(6)) expect((await read(id)).profile.city).toBe('Bath');
});

test('of updates of one user with the same If-Match, one succeeds', async () => {
  const [{ id }] = users;
  const tag = String((await org.admin.get(userPath(id))).headers['etag']);
  const answers = await Promise.all(
    users.map((_, index) => update(id, { city: `City ${index}` }, { 'if-match': tag })),
  );
  const done = answers.filter(({ status }) => status === 200);
  expect(done).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(NUMBER - 1);
  expect((await read(id)).profile.city).toBe(done[0]?.body.profile.city);
});

test('updates of one user without If-Match all succeed, one after the other', async () => {
  const [{ id }] = users;
  const names = ['city', 'state', 'title', 'nickName', 'division', 'department', 'costCenter', 'organization'];
  const answers = await Promise.all(names.map((name) => update(id, { [name]: `new ${name}` })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect((await read(id)).profile).toMatchObject(Object.fromEntries(names.map((name) => [name, `new ${name}`])));
});

test('an update of a locked user waits, and the others do not', async () => {
  // The waiting update fails if the lock is held for too long, so there are few other updates.
  const [locked, ...others] = users.slice(0, 4);
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from users where org_id = $1 and id = $2 for update', [org.id, locked.id]);
  const waiting = update(locked.id, { city: 'Late' });
  const answers = await Promise.all(others.map(({ id }) => update(id, { city: 'Soon' })));
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
  expect((await read(locked.id)).profile.city).toBeUndefined();
  await holder.query('commit');
  holder.release();
  expect(await waiting).toMatchObject({ status: 200, body: { profile: { city: 'Late' } } });
});

test('an update waits while its schema changes, and updates of users of other types do not', async () => {
  const type = await newUserType(org, 'together');
  const made = await org.admin.post('/api/v1/users', { body: { profile: newProfile(), type: { id: type.id } } });
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query(
    `select pg_advisory_xact_lock(hashtextextended('schema:' || org_id || ':' || schema_id, 0))
     from user_types where org_id = $1 and id = $2`,
    [org.id, type.id],
  );
  const failed: string[] = [];
  spyOnStatements(({ text }) => (rows) => {
    if (rows < 0) failed.push(text);
  });
  const waiting = update(made.body.id, { city: 'Late' });
  const others = users.slice(0, 4);
  const answers = await Promise.all(others.map(({ id }) => update(id, { city: 'Soon' })));
  vi.restoreAllMocks();
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
  // A shared transaction that waited for the schema would have failed, because it may wait only for a limited time.
  expect(failed).toEqual([]);
  expect((await read(made.body.id)).profile.city).toBeUndefined();
  await holder.query('commit');
  holder.release();
  expect(await waiting).toMatchObject({ status: 200, body: { profile: { city: 'Late' } } });
});

test('updates of one moment share transactions', async () => {
  const shared: unknown[] = [];
  spyOnStatements(({ text, values }) => {
    if (text.includes('skip locked') && text.includes('from users u')) shared.push(values[1]);
    return null;
  });
  await Promise.all(users.map(({ id }) => update(id, { city: 'Shared' })));
  vi.restoreAllMocks();
  expect(shared.length).toBeLessThan(NUMBER);
  expect(shared.flat().toSorted()).toEqual(idsOf(users).toSorted());
});

/** Makes updates and returns the statements that change users. */
async function changesOf(makeUpdates: () => Promise<unknown>) {
  const changes: { readonly name: string; readonly text: string; readonly values: unknown[] }[] = [];
  spyOnStatements(({ text, values }) => {
    const [, name] = /^with updated as \(update users (t )?set/.exec(text) ?? [null, null];
    if (name !== null) changes.push({ name: name === undefined ? 'one' : 'many', text, values: [...values] });
    return null;
  });
  await makeUpdates();
  vi.restoreAllMocks();
  return changes;
}

test('simultaneous changes become one statement, and a single change has one of its own', async () => {
  const single = await changesOf(() => update(users[0].id, { city: 'Alone' }));
  expect(single).toMatchObject([{ name: 'one' }]);
  const together = await changesOf(() => Promise.all(users.map(({ id }) => update(id, { city: 'Together' }))));
  expect(together.map(({ name }) => name)).toContain('many');
  expect(together.length).toBeLessThan(NUMBER);
});

testOfPlans('the statement for several changes is planned once for a large table', async () => {
  const changes = await changesOf(() => Promise.all(users.map(({ id }) => update(id, { city: 'Planned' }))));
  const client = await service.database.pool.connect();
  await client.query('begin');
  await client.query(
    `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
       provider_type, provider_name, has_password, created_at, last_updated_at)
     select org_id, '00u' || lpad(n::text, 17, '0'), type_id, 'STAGED', n || '@p.io', n || '@p.io', n::text, 1, profile,
       'INTERNAL', 'INTERNAL', false, now(), now()
     from users, generate_series(1, 20000) n where org_id = $1 and id = $2`,
    [org.id, users[0].id],
  );
  await client.query(
    `insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
     select org_id, 117, login_key, id from users where org_id = $1 and status = 'STAGED'`,
    [org.id],
  );
  await client.query('analyze users, user_attribute_values');
  const plans = await plansOfTen(
    client,
    changes.find(({ name }) => name === 'many'),
  );
  await client.query('rollback');
  client.release(true);
  expect(plans).toBe(FEWEST_PLANS);
});

test('logins change, and of those who want the same login one gets it', async () => {
  const [first, ...others] = users;
  const answers = await Promise.all(others.map(({ id }) => update(id, { login: `the-one-${first.id}@example.com` })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.errorCode === 'E0000001')).toHaveLength(others.length - 1);
});

describe('group rules', () => {
  test('add each user whom an update makes match, and tell it', async () => {
    const group = await createGroup(org);
    await activeRule(service, org, [group.id], 'user.department == "Together"');
    const answers = await Promise.all(
      users.map(({ id }, index) => update(id, index % 2 === 0 ? { department: 'Together' } : { city: 'Bath' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 200));
    const members = (await org.admin.get(`${groupPath(group.id)}/users`)).body;
    expect(idsOf(members).toSorted()).toEqual(idsOf(users.filter((_, index) => index % 2 === 0)).toSorted());
    for (const [index, answer] of answers.entries()) {
      const added = index % 2 === 0 ? ['group.user_membership.add'] : [];
      expect(await eventTypes(answer)).toEqual(['user.account.update_profile', ...added]);
    }
  });
});

test('administrators of some users change only those', async () => {
  const group = await createGroup(org);
  for (const { id } of users.slice(0, 4)) await addMember(org, group.id, id);
  const partial = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
  const answers = await Promise.all(
    users.map(({ id }) => partial.post(userPath(id), { body: { profile: { city: 'Part' } } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(users.map((_, index) => (index < 4 ? 200 : 403)));
  const cities = await Promise.all(users.map(async ({ id }) => (await read(id)).profile.city ?? null));
  expect(cities).toEqual(users.map((_, index) => (index < 4 ? 'Part' : null)));
});
