import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf, newProfile, PASSWORD, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const url = '/api/v1/users';
const WHOLE_SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/;
const create = (body: unknown, query = '') => org.admin.post(`${url}${query}`, { body });
const password = { password: { value: PASSWORD } };

async function mailsTo(userId: string): Promise<unknown[]> {
  const text = 'select kind, recipient from mail_outbox where org_id = $1 and user_id = $2';
  return (await service.database.pool.query(text, [org.id, userId])).rows;
}

describe('the status after a create', () => {
  const federated = { provider: { type: 'FEDERATION', name: 'Partner' } };
  const social = { provider: { type: 'SOCIAL', name: 'Network' } };
  const [creation, activation] = ['user.lifecycle.create', 'user.lifecycle.activate'];
  test.each([
    { query: '?activate=false', credentials: {}, status: 'STAGED', events: [creation] },
    { query: '?activate=false', credentials: password, status: 'STAGED', events: [creation] },
    { query: '', credentials: {}, status: 'PROVISIONED', events: [creation, activation], mailed: true },
    { query: '?activate=true', credentials: {}, status: 'PROVISIONED', events: [creation, activation], mailed: true },
    { query: '', credentials: password, status: 'ACTIVE', events: [creation, activation] },
    {
      query: '?nextLogin=changePassword',
      credentials: password,
      status: 'PASSWORD_EXPIRED',
      events: [creation, activation],
    },
    { query: '?provider=true', credentials: federated, status: 'ACTIVE', events: [creation, activation] },
    { query: '?provider=true&activate=false', credentials: federated, status: 'STAGED', events: [creation] },
    { query: '?provider=true', credentials: social, status: 'ACTIVE', events: [creation, activation] },
  ])('$query with $credentials: $status', async ({ query, credentials, status, events, mailed }) => {
    const profile = newProfile();
    const created = await create({ profile, credentials }, query);
    expect(created).toMatchObject({ status: 200, body: { status } });
    const logged = await eventsOf(org, created);
    expect(logged.map(({ eventType }) => eventType)).toEqual(events);
    for (const event of logged) {
      expect(event).toMatchObject({
        actor: { id: org.adminUserId },
        outcome: { result: 'SUCCESS' },
        target: [{ id: created.body.id, type: 'User', alternateId: profile['login'], displayName: 'Ada Lovelace' }],
      });
    }
    expect(await mailsTo(created.body.id)).toEqual(
      mailed === true ? [{ kind: 'activation', recipient: profile['email'] }] : [],
    );
  });

  test.each([
    { query: '?nextLogin=changePassword', credentials: {}, code: 'E0000124' },
    { query: '?nextLogin=changePassword&activate=false', credentials: password, code: 'E0000125' },
    { query: '?nextLogin=always', credentials: password, code: 'E0000001' },
    { query: '?activate=perhaps', credentials: password, code: 'E0000037' },
    { query: '?provider=true', credentials: {}, code: 'E0000001' },
    { query: '?provider=true', credentials: { ...federated, ...password }, code: 'E0000001' },
    { query: '', credentials: federated, code: 'E0000001' },
    { query: '', credentials: { provider: { type: 'UNHEARD_OF', name: 'x' } }, code: 'E0000001' },
  ])('$query with $credentials is refused: $code', async ({ query, credentials, code }) => {
    const refused = await create({ profile: newProfile(), credentials }, query);
    expect(refused).toMatchObject({ status: 400, body: { errorCode: code } });
    expect(await eventsOf(org, refused)).toEqual([]);
  });
});

describe('the wire form', () => {
  const link = (id: string, path: string) => ({ href: `${org.baseUrl}${url}/${id}/${path}`, method: 'POST' });

  test('an ACTIVE user with all credentials has exactly these members', async () => {
    const profile = newProfile();
    const { body, headers } = await create({ profile, credentials: CREDENTIALS });
    const { id } = body;
    const instant = expect.stringMatching(WHOLE_SECOND);
    expect(body).toEqual({
      id: expect.stringMatching(/^00u[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      created: instant,
      activated: body.created,
      statusChanged: body.created,
      lastLogin: null,
      lastUpdated: body.created,
      passwordChanged: body.created,
      type: { id: expect.stringMatching(/^oty[0-9A-Za-z]{17}$/) },
      profile: { ...profile, mobilePhone: null, secondEmail: null },
      credentials: {
        password: {},
        emails: [{ value: profile.email, status: 'VERIFIED', type: 'PRIMARY' }],
        recovery_question: { question: CREDENTIALS.recovery_question.question },
        provider: { type: 'SVC', name: 'SVC' },
      },
      _links: {
        self: { href: `${org.baseUrl}${url}/${id}` },
        schema: { href: expect.stringMatching(/^https:.*\/api\/v1\/meta\/schemas\/user\/osc[0-9A-Za-z]{17}$/) },
        type: { href: `${org.baseUrl}/api/v1/meta/types/user/${body.type.id}` },
        deactivate: link(id, 'lifecycle/deactivate'),
        suspend: link(id, 'lifecycle/suspend'),
        resetPassword: link(id, 'lifecycle/reset_password'),
        expirePassword: link(id, 'lifecycle/expire_password'),
        forgotPassword: link(id, 'credentials/forgot_password'),
        changePassword: link(id, 'credentials/change_password'),
        changeRecoveryQuestion: link(id, 'credentials/change_recovery_question'),
      },
    });
    expect(Object.keys(body.profile)).toEqual(
      expect.arrayContaining(['firstName', 'lastName', 'mobilePhone', 'secondEmail', 'login', 'email']),
    );
    expect(headers['etag']).toMatch(/^W\/"[0-9a-f]{64}"$/);
    for (const relation of ['schema', 'type']) {
      const { href } = body._links[relation];
      expect(await org.admin.get(href.slice(org.baseUrl.length))).toMatchObject({ status: 200 });
    }
  });

  test('a STAGED user has no dates but those of its making, and no credential', async () => {
    const { body } = await create({ profile: newProfile() }, '?activate=false');
    expect(body).toMatchObject({ activated: null, statusChanged: null, lastLogin: null, passwordChanged: null });
    expect(body.credentials).toEqual({
      emails: [{ value: body.profile.email, status: 'VERIFIED', type: 'PRIMARY' }],
      provider: { type: 'SVC', name: 'SVC' },
    });
    expect(Object.keys(body._links).toSorted()).toEqual(['activate', 'schema', 'self', 'type']);
  });

  test('absent attributes are left out, all but six', async () => {
    const { body } = await create({ profile: newProfile({ nickName: null, city: 'Zürich', title: '' }) });
    expect(body.profile).not.toHaveProperty('nickName');
    expect(body.profile).toMatchObject({ city: 'Zürich', mobilePhone: null, secondEmail: null });
  });

  test('secrets are nowhere in the answer, in the log, nor readable in the database', async () => {
    const created = await create({ profile: newProfile(), credentials: CREDENTIALS });
    const events = await eventsOf(org, created);
    const text = 'select to_jsonb(s) as row from user_sign_in s where user_id = $1';
    const { rows } = await service.database.pool.query(text, [created.body.id]);
    for (const shown of [created.text, JSON.stringify(events), JSON.stringify(rows), service.logged()]) {
      expect(shown).not.toContain(PASSWORD);
      expect(shown).not.toContain(CREDENTIALS.recovery_question.answer);
    }
    expect(rows[0].row.password.encoded).toMatch(/^\$argon2id\$/);
  });
});

describe('what a create refuses or ignores', () => {
  const causesOf = (response: { body: { errorCauses: { errorSummary: string }[] } }): string[] =>
    response.body.errorCauses.map(({ errorSummary }) => errorSummary);

  test('an attribute that the schema does not know, by name', async () => {
    const refused = await create({ profile: newProfile({ shoeSize: 42, isAdmin: true }) });
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: 'Api validation failed: newUser' },
    });
    expect(causesOf(refused)).toEqual([
      "Property name 'shoeSize' is not defined in profile",
      "Property name 'isAdmin' is not defined in profile",
    ]);
  });

  test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])('the attribute %s', async (name) => {
    const profile = JSON.stringify(newProfile()).replace('{', `{"${name}":"x",`);
    const raw = `{"profile":${profile}}`;
    const refused = await org.admin.post(url, { raw, headers: { 'content-type': 'application/json' } });
    expect(refused.status).toBe(400);
    expect(await eventsOf(org, refused)).toEqual([]);
  });

  test.each([
    [{ login: null }, 'login: The field cannot be left blank'],
    [{ login: 'lovelace' }, 'login: must have the form of an email address.'],
    [{ login: `${'a'.repeat(96)}@b.de` }, 'login: must be at most 100 characters.'],
    [{ email: 'nobody' }, 'email: does not match the required pattern.'],
    [{ firstName: null }, 'firstName: The field cannot be left blank'],
    [{ lastName: 5 }, 'lastName: The field lastName is not valid.'],
    [{ firstName: 'a'.repeat(51) }, 'firstName: must be at most 50 characters.'],
  ])('%j: %s', async (given, cause) => {
    const refused = await create({ profile: { ...newProfile(), ...given } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesOf(refused)).toContain(cause);
  });

  test.each([
    { profile: newProfile({ city: 'Ber\0lin' }) },
    { groupIds: ['00g00000000000000000'] },
    { realmId: 'guo00000000000000000' },
    { type: { id: 'oty00000000000000000' } },
    { credentials: { password: { hook: { type: 'default' } } } },
    { credentials: { recovery_question: { question: 'Which?' } } },
    { credentials: { recovery_question: { question: 'Which?', answer: 'abc' } } },
    { credentials: { recovery_question: { question: '', answer: 'long enough' } } },
    { credentials: { recovery_question: { question: 'Wh\0ich?', answer: 'long enough' } } },
    { credentials: { recovery_question: { question: 'Which?', answer: 'long\0enough' } } },
    { credentials: { recovery_question: { question: 'Which?', answer: 'ﷺ'.repeat(100) } } },
    { credentials: { provider: { type: 'IMPORT', name: 'a\0b' } } },
    { credentials: { password: { value: 5 } } },
    { credentials: 'all' },
    { profile: 'Ada' },
  ])('%j', async (given) => {
    const refused = await create({ profile: newProfile(), ...given });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('a body without a profile', async () => {
    expect(await create({})).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('members that only the service sets', async () => {
    const { body } = await create({
      id: '00u11111111111111111',
      status: 'ACTIVE',
      created: '2001-01-01T00:00:00.000Z',
      activated: '2001-01-01T00:00:00.000Z',
      lastLogin: '2001-01-01T00:00:00.000Z',
      passwordChanged: '2001-01-01T00:00:00.000Z',
      orgId: '00o11111111111111111',
      isAdmin: true,
      roles: ['SUPER_ADMIN'],
      _links: { self: { href: 'https://elsewhere.example.com' } },
      profile: newProfile(),
    });
    expect(body).toMatchObject({ status: 'PROVISIONED', lastLogin: null, passwordChanged: null });
    expect(body.id).not.toBe('00u11111111111111111');
    expect(body.created).not.toMatch(/^2001/);
    expect(body._links.self.href).toBe(`${org.baseUrl}${url}/${body.id}`);
    expect((await org.admin.get(`${userPath(body.id)}/roles`)).body).toEqual([]);
  });
});
