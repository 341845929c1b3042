import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { APPS, webApp } from '../support/apps.ts';
import { signIn } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { activeRule } from '../support/group-rules.ts';
import { createGroup, groupPath, idsOf } from '../support/groups.ts';
import { FEWEST_PLANS, plansOfTen, testOfPlans } from '../support/planned-statements.ts';
import { defineAttributes, newUserType, USER_SCHEMA } from '../support/schemas.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf, newProfile, PASSWORD, searchPath, userPath } from '../support/users.ts';

// Creations that arrive together can share a transaction (ADR 0077). Each must still have the result that it would have
// alone.

const { service, org } = useService({ isShared: false });

const NUMBER = 12;
const STAGED = '/api/v1/users?activate=false';
const TAKEN = 'login: An object with this field already exists in the current organization';

const profilesOf = (number: number): Record<string, unknown>[] => Array.from({ length: number }, () => newProfile());
const create = (profile: unknown, given: Readonly<Record<string, unknown>> = {}, url = STAGED) =>
  org.admin.post(url, { body: { profile, ...given } });
const eventTypes = async (response: TestResponse) =>
  (await eventsOf(org, response)).map(({ eventType }) => eventType as string);
const statusesOf = (responses: readonly TestResponse[]) => responses.map(({ status }) => status);

interface Insert {
  readonly name: 'one' | 'many';
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Collects the statements that insert users, and the statements that fail, until the mocks are restored. */
function watchInserts() {
  const inserts: Insert[] = [];
  const failed: string[] = [];
  spyOnStatements(({ text, values }) => {
    if (text.startsWith('with inserted as (insert into users'))
      inserts.push({ name: text.includes(' as hidden_r') ? 'many' : 'one', text, values });
    return (rows) => {
      if (rows < 0) failed.push(text);
    };
  });
  return { inserts, failed };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('each user is stored, found, told in the log once, and created by a common statement', async () => {
  const { inserts } = watchInserts();
  const profiles = profilesOf(NUMBER).map((profile, index) => ({ ...profile, city: `Place ${index}` }));
  const answers = await Promise.all(profiles.map((profile) => create(profile)));
  expect(inserts.map(({ name }) => name)).toContain('many');
  expect(inserts.length).toBeLessThan(NUMBER);
  for (const [index, { body, status }] of answers.entries()) {
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'STAGED', profile: profiles[index] } });
    expect((await org.admin.get(userPath(body.id))).body).toEqual(body);
    expect(idsOf((await org.admin.get(searchPath(`profile.city eq "Place ${index}"`))).body)).toEqual([body.id]);
  }
  for (const answer of answers)
    expect(await eventsOf(org, answer)).toMatchObject([
      { eventType: 'user.lifecycle.create', target: [{ id: answer.body.id }] },
    ]);
});

testOfPlans('the statement for several users is planned once', async () => {
  const { inserts } = watchInserts();
  await Promise.all(profilesOf(NUMBER).map((profile) => create(profile)));
  vi.restoreAllMocks();
  const client = await service.database.pool.connect();
  await client.query('begin');
  for (const table of ['user_attribute_values', 'user_password_history', 'user_sign_in', 'users'])
    await client.query(`delete from ${table} where org_id = $1`, [org.id]);
  const plans = await plansOfTen(
    client,
    inserts.find(({ name }) => name === 'many'),
  );
  await client.query('rollback');
  client.release(true);
  expect(plans).toBe(FEWEST_PLANS);
});

test('each user has their own password, recovery answer and password history', async () => {
  const { inserts } = watchInserts();
  const profiles = profilesOf(4);
  const given = [CREDENTIALS, { password: CREDENTIALS.password }, CREDENTIALS, { password: CREDENTIALS.password }];
  const answers = await Promise.all(
    profiles.map((profile, index) => create(profile, { credentials: given[index] }, '/api/v1/users')),
  );
  expect(inserts.length).toBeGreaterThan(0);
  for (const [index, answer] of answers.entries()) {
    expect(answer).toMatchObject({ status: 200, body: { status: 'ACTIVE' } });
    expect(await eventTypes(answer)).toEqual(['user.lifecycle.create', 'user.lifecycle.activate']);
    expect(await signIn(org.anonymous, String(profiles[index]?.['login']), PASSWORD)).toMatchObject({
      status: 200,
      body: { status: 'SUCCESS', _embedded: { user: { id: answer.body.id } } },
    });
  }
  const { rows } = await service.database.pool.query<{ answer: boolean; ordinals: number[] }>(
    `select s.recovery_answer is not null as answer, array(select h.ordinal::integer from user_password_history h
         where h.org_id = s.org_id and h.user_id = s.user_id and h.password = s.password) as ordinals
       from user_sign_in s, unnest($2::text[]) with ordinality as u (id, place)
       where s.org_id = $1 and s.user_id = u.id order by u.place`,
    [org.id, answers.map(({ body }) => body.id)],
  );
  expect(rows).toEqual([true, false, true, false].map((answer) => ({ answer, ordinals: [1] })));
});

test('each refusal is its own, changes nothing, and costs the others no second attempt', async () => {
  await defineAttributes(org, { badge: { type: 'string', title: 'Badge', unique: 'UNIQUE_VALIDATED' } });
  const [taken = {}, badged = {}] = profilesOf(2);
  await create(taken);
  expect(await create({ ...badged, badge: '1' })).toMatchObject({ status: 200 });
  const base = { title: 'Username', type: 'string', required: true, minLength: 5, maxLength: 100, pattern: '.+' };
  await org.admin.post(USER_SCHEMA, { body: { definitions: { base: { id: '#base', properties: { login: base } } } } });
  expect(await org.admin.post(APPS, { body: webApp({}, { client_id: 'client.together' }) })).toMatchObject({
    status: 200,
  });
  const { failed, inserts } = watchInserts();
  const others = profilesOf(6);
  const answers = await Promise.all([
    create(taken),
    create({ ...newProfile(), login: 'client.together' }),
    create({ ...newProfile(), firstName: '' }),
    create({ ...newProfile(), badge: '1' }),
    create(newProfile(), { type: { id: 'unknown' } }),
    create({ ...newProfile(), login: `${'x'.repeat(5_000)}@example.com` }),
    ...others.map((profile) => create(profile)),
  ]);
  expect(answers.slice(0, 6).map(({ body }) => body.errorCauses[0].errorSummary)).toEqual([
    TAKEN,
    'login: is the id of an OAuth client.',
    expect.stringContaining('firstName: '),
    expect.stringContaining('badge: '),
    expect.stringContaining('type'),
    expect.stringContaining('login: '),
  ]);
  expect(statusesOf(answers)).toEqual([...Array.from({ length: 6 }, () => 400), ...others.map(() => 200)]);
  for (const refused of answers.slice(0, 6)) expect(await eventTypes(refused)).toEqual([]);
  // The user with the taken login is inserted in a separate transaction, in which a constraint refuses the insert.
  expect(failed.filter((text) => text.includes('insert into users'))).toHaveLength(1);
  const texts = inserts.map(({ values }) => values.map(String).join(' '));
  for (const { login } of others) expect(texts.filter((text) => text.includes(String(login)))).toHaveLength(1);
});

test('of those who want the same login one gets it', async () => {
  const [profile] = profilesOf(1);
  const answers = await Promise.all(Array.from({ length: NUMBER }, () => create(profile)));
  expect(statusesOf(answers).toSorted()).toEqual([200, ...Array.from({ length: NUMBER - 1 }, () => 400)]);
  for (const { body, status } of answers) if (status === 400) expect(body.errorCauses[0].errorSummary).toBe(TAKEN);
});

const bucketOf = (login: unknown): number => createHash('sha256').update(String(login)).digest()[0] ?? 0;

test('a user whose login is being assigned elsewhere waits, and the others do not', async () => {
  const profiles = profilesOf(20);
  const [late = {}] = profiles;
  const others = profiles.filter(({ login }) => bucketOf(login) !== bucketOf(late['login'])).slice(0, 4);
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query("select pg_advisory_xact_lock(hashtextextended('names ' || $1::text, $2))", [
    org.id,
    bucketOf(late['login']),
  ]);
  const { failed } = watchInserts();
  const waiting = create(late);
  expect(statusesOf(await Promise.all(others.map((profile) => create(profile))))).toEqual(others.map(() => 200));
  // A shared transaction that waited for the name would have failed, because it may wait only for a limited time.
  expect(failed).toEqual([]);
  expect((await org.admin.get(userPath(String(late['login'])))).status).toBe(404);
  await holder.query('commit');
  holder.release();
  expect(await waiting).toMatchObject({ status: 200, body: { profile: late } });
});

test('a creation waits while its schema changes, and creations of users of other types do not', async () => {
  const type = await newUserType(org, 'created');
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query(
    `select pg_advisory_xact_lock(hashtextextended('schema:' || org_id || ':' || schema_id, 0))
     from user_types where org_id = $1 and id = $2`,
    [org.id, type.id],
  );
  const { failed } = watchInserts();
  const waiting = create(newProfile(), { type: { id: type.id } });
  const answers = await Promise.all(profilesOf(4).map((profile) => create(profile)));
  expect(statusesOf(answers)).toEqual(answers.map(() => 200));
  expect(failed).toEqual([]);
  await holder.query('commit');
  holder.release();
  expect(await waiting).toMatchObject({ status: 200, body: { type: { id: type.id } } });
});

describe('group rules', () => {
  test('add each new user whom they match, with one attempt for each user', async () => {
    const group = await createGroup(org);
    await activeRule(service, org, [group.id], 'user.department == "Founders"');
    const { failed, inserts } = watchInserts();
    const answers = await Promise.all(
      profilesOf(NUMBER).map((profile, index) =>
        create(index % 2 === 0 ? { ...profile, department: 'Founders' } : profile),
      ),
    );
    vi.restoreAllMocks();
    expect(statusesOf(answers)).toEqual(answers.map(() => 200));
    expect(failed).toEqual([]);
    expect(inserts.map(({ name }) => name)).toEqual(answers.map(() => 'one'));
    const members = (await org.admin.get(`${groupPath(group.id)}/users`)).body;
    expect(idsOf(members).toSorted()).toEqual(
      idsOf(answers.flatMap(({ body }, index) => (index % 2 === 0 ? [body] : []))).toSorted(),
    );
    for (const [index, answer] of answers.entries()) {
      const added = index % 2 === 0 ? ['group.user_membership.add'] : [];
      expect(await eventTypes(answer)).toEqual(['user.lifecycle.create', ...added]);
    }
  });
});
