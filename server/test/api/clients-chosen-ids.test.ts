import { beforeAll, describe, expect, test } from 'vitest';
import { dropVoidRefreshTokens, FIRST_TOKEN } from '../../src/oauth/index.ts';
import { APPS, createApp, invalidField, serviceApp, webApp } from '../support/apps.ts';
import { newAsserter } from '../support/assertion-grant.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { good } from '../support/custom-servers.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, refresh, tokensOf } from '../support/user-tokens.ts';

// The creator of an app may choose the app's client id.

const CLIENTS = '/oauth2/v1/clients';
const REFUSED = invalidField('credentials.oauthClient.client_id');

const { service, org } = useService();
let names = 0;

const newName = (): string => `Client.${(names += 1)}_x-Y`;
const send = (clientId: unknown, of: TestOrg = org): Promise<TestResponse> =>
  of.admin.post(APPS, { body: webApp({}, { client_id: clientId }) });
const choose = (clientId: string, of: TestOrg = org) => good(send(clientId, of));
const causeOf = ({ body }: TestResponse): string => body.errorCauses[0]?.errorSummary ?? '';
const newUser = (login: string, of: TestOrg = org): Promise<TestResponse> =>
  of.admin.post('/api/v1/users', { body: { profile: { firstName: 'A', lastName: 'B', email: 'a@b.example', login } } });

async function openLogins(of: TestOrg): Promise<void> {
  const path = '/api/v1/meta/schemas/user/default';
  const login = { title: 'Username', type: 'string', required: true, minLength: 5, maxLength: 100, pattern: '.+' };
  await good(of.admin.post(path, { body: { definitions: { base: { id: '#base', properties: { login } } } } }));
}

describe('an id that was chosen', () => {
  test('is the client’s wherever the app is shown, beside the id of the app', async () => {
    const clientId = newName();
    const made = await choose(clientId);
    expect(made.id).toMatch(/^0oa/);
    const { client_id: shown, client_secret: secret } = made.credentials.oauthClient;
    expect({ shown, secret }).toEqual({ shown: clientId, secret: expect.any(String) });
    const read = await good(org.admin.get(`${APPS}/${made.id}`));
    expect(read).toMatchObject({ id: made.id, credentials: { oauthClient: { client_id: clientId } } });
    expect(await org.admin.get(`${APPS}/${clientId}`)).toMatchObject({ status: 404 });
    const listed = await good(org.admin.get(`${APPS}?limit=200`));
    expect(listed.find(({ id }: { id: string }) => id === made.id).credentials.oauthClient.client_id).toBe(clientId);
    const issuer = org.baseUrl;
    const grant = await good(
      org.admin.post(`${APPS}/${made.id}/grants`, { body: { issuer, scopeId: 'svc.users.read' } }),
    );
    expect(grant).toMatchObject({
      clientId,
      _links: {
        app: { href: `${issuer}${APPS}/${made.id}` },
        client: { href: `${issuer}${CLIENTS}/${clientId}` },
      },
    });
  });

  test('never changes: what a replacement leaves out stays, what it says otherwise is refused', async () => {
    const clientId = newName();
    const { credentials, id, ...app } = await choose(clientId);
    const { client_id: _, ...others } = credentials.oauthClient;
    for (const oauthClient of [others, { ...others, client_id: clientId }, { ...others, client_id: null }]) {
      const { body } = await org.admin.put(`${APPS}/${id}`, { body: { ...app, credentials: { oauthClient } } });
      expect(body.credentials.oauthClient.client_id).toBe(clientId);
    }
    for (const other of [newName(), id, clientId.toUpperCase()]) {
      const oauthClient = { ...others, client_id: other };
      expect(await org.admin.put(`${APPS}/${id}`, { body: { ...app, credentials: { oauthClient } } })).toMatchObject(
        REFUSED,
      );
    }
    const plain = await createApp(org);
    plain.credentials.oauthClient.client_id = newName();
    expect(await org.admin.put(`${APPS}/${plain.id}`, { body: plain })).toMatchObject(REFUSED);
  });

  test('is the address of the client at registration, which does not let one be chosen', async () => {
    const clientId = newName();
    const { id } = await choose(clientId);
    const own = `${CLIENTS}/${clientId}`;
    const shown = await good(org.admin.get(own));
    expect(shown).toMatchObject({ client_id: clientId, client_name: 'App' });
    expect(await org.admin.get(`${CLIENTS}/${id}`)).toMatchObject({ status: 404 });
    const { client_id_issued_at: _issued, client_secret_expires_at: _expires, ...rest } = shown;
    const replaced = await org.admin.put(own, { body: { ...rest, client_name: 'Renamed' } });
    expect(replaced).toMatchObject({ status: 200, body: { client_id: clientId, client_name: 'Renamed' } });
    expect(await org.admin.put(own, { body: { ...rest, client_id: id } })).toMatchObject({ status: 400 });
    expect((await good(org.admin.post(`${own}/lifecycle/newSecret`))).client_secret).toEqual(expect.any(String));
    expect(await org.admin.put(`${CLIENTS}/${id}`, { body: { ...rest, client_id: id } })).toMatchObject({
      status: 404,
    });
    const wanted = { client_name: 'Wanted', redirect_uris: ['https://app.example/cb'], client_id: newName() };
    const registered = await good(org.admin.post(CLIENTS, { body: wanted }));
    expect(registered.client_id).toMatch(/^0oa/);
    expect(await org.admin.del(own)).toMatchObject({ status: 204 });
    expect(await org.admin.get(`${APPS}/${id}`)).toMatchObject({ status: 404 });
  });

  test('is another’s in another org', async () => {
    const [clientId, other] = [newName(), await service.newOrg()];
    const made = [await choose(clientId), await choose(clientId, other)];
    expect(made.map(({ credentials }) => credentials.oauthClient.client_id)).toEqual([clientId, clientId]);
  });
});

describe('no id is chosen', () => {
  test.each<[string, unknown]>([
    ['of five characters', 'abcde'],
    ['of 101 characters', 'x'.repeat(101)],
    ['of a megabyte', 'x'.repeat(900_000)],
    ['that is empty', ''],
    ['with a blank', 'my client'],
    ['with a colon', 'my:client'],
    ['with a slash', 'my/client'],
    ['with a letter of another alphabet', 'clíent'],
    ['with a line break', 'client\n'],
    ['that is a number', 1_234_567],
    ['that means all clients', 'ALL_CLIENTS'],
    ['that means all clients, in small letters', 'all_clients'],
  ])('%s', async (_, clientId) => {
    expect((await send(clientId)).status).toBe(400);
  });

  test('that has the form of ours, whosever it is', async () => {
    const { id } = await createApp(org);
    for (const one of [id, org.adminUserId, org.id, `00u${'a'.repeat(17)}`, `0oa${'Z'.repeat(17)}`]) {
      const answer = await send(one);
      expect(answer).toMatchObject(REFUSED);
      expect(causeOf(answer)).toContain('must not have the form of the ids');
    }
    // An id without our prefixes is accepted, so that ids of other services can be imported.
    expect((await send('0jrabyQWm4B9zVJPbotY')).status).toBe(200);
  });

  test('for an app that is no OAuth client', async () => {
    const body = { label: 'Mark', name: 'bookmark', signOnMode: 'BOOKMARK', settings: { app: { url: 'https://a.b' } } };
    const credentials = { oauthClient: { client_id: newName() } };
    const made = await org.admin.post(APPS, { body: { ...body, credentials } });
    expect(JSON.stringify(made.body)).not.toContain(credentials.oauthClient.client_id);
  });

  test('twice, in whatever letters, also when its app is gone', async () => {
    const clientId = newName();
    const { id } = await choose(clientId);
    for (const again of [clientId, clientId.toLowerCase(), clientId.toUpperCase()]) {
      expect(await send(again)).toMatchObject(REFUSED);
    }
    await good(org.admin.post(`${APPS}/${id}/lifecycle/deactivate`));
    await good(org.admin.del(`${APPS}/${id}`));
    const answer = await send(clientId);
    expect(answer).toMatchObject(REFUSED);
    expect(causeOf(answer)).toContain('is, or was, the id of another client');
  });

  test('twice at once', async () => {
    const clientId = newName();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(clientId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  test('by a body that is refused for something else: it is free afterwards', async () => {
    const clientId = newName();
    const body = webApp({ redirect_uris: ['nowhere'] }, { client_id: clientId });
    expect(await org.admin.post(APPS, { body })).toMatchObject({ status: 400 });
    expect((await send(clientId)).status).toBe(200);
  });
});

describe('what people are called', () => {
  const own = beforeTests(() => service.newOrg());
  beforeAll(async () => {
    await openLogins(own);
  });

  test('is no id of a client: a login', async () => {
    const login = newName();
    await good(newUser(login, own));
    for (const clientId of [login, login.toLowerCase()]) {
      const answer = await send(clientId, own);
      expect(answer).toMatchObject(REFUSED);
      expect(causeOf(answer)).toContain('is the login of a user');
    }
  });

  test('is no id of a client: a name in an application, nor the other way round', async () => {
    const [user, name, clientId] = [await good(newUser(newName(), own)), newName(), newName()];
    await choose(clientId, own);
    const app = await newAsserter(own, [user.id]);
    const give = (userName: string) =>
      own.admin.post(`${APPS}/${app.id}/users/${user.id}`, { body: { credentials: { userName } } });
    await good(give(name));
    const answer = await send(name, own);
    expect(answer).toMatchObject(REFUSED);
    expect(causeOf(answer)).toContain('is the name of a user');
    const refused = await give(clientId.toLowerCase());
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causeOf(refused)).toContain('is the id of an OAuth client.');
  });

  test('is nothing that a client is, or was, called: new users and changed ones', async () => {
    const clientId = newName();
    const { id } = await choose(clientId, own);
    const user = await good(newUser(newName(), own));
    const expectRefused = async (login: string) => {
      const rename = own.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { login } } });
      for (const answer of [await newUser(login, own), await rename]) {
        expect(answer).toMatchObject(invalidField('login'));
        expect(causeOf(answer)).toContain('is the id of an OAuth client.');
      }
    };
    await expectRefused(clientId);
    await expectRefused(clientId.toUpperCase());
    await good(own.admin.post(`${APPS}/${id}/lifecycle/deactivate`));
    await good(own.admin.del(`${APPS}/${id}`));
    await expectRefused(clientId);
  });

  test('is one or the other, when both are asked for at once', async () => {
    const clientIds = Array.from({ length: 6 }, newName);
    const answers = await Promise.all(clientIds.flatMap((one) => [send(one, own), newUser(one, own)]));
    for (const [index] of clientIds.entries()) {
      const pair = answers.slice(2 * index, 2 * index + 2).map(({ status }) => status);
      expect(pair.toSorted(), JSON.stringify(answers[2 * index]?.body)).toEqual([200, 400]);
    }
  });
});

test('a service app may have one too, and an app without one is called by its id', async () => {
  const clientId = newName();
  const body = serviceApp({}, { client_id: clientId, token_endpoint_auth_method: 'client_secret_basic' });
  expect((await createApp(org, body)).credentials.oauthClient.client_id).toBe(clientId);
  const plain = await createApp(org, webApp({}, { client_id: null }));
  expect(plain.credentials.oauthClient.client_id).toBe(plain.id);
});

test('refresh tokens end with their app, and nobody else’s do', async () => {
  const clientId = newName();
  const app = await newUserApp(org, { clientId });
  const other = await newUserApp(org, { clientId: newName(), userId: app.userId });
  const [gone, kept] = [await tokensOf(service, org, app), await tokensOf(service, org, other)];
  await good(org.admin.post(`/api/v1/apps/${app.id}/lifecycle/deactivate`));
  expect((await refresh(org, app, gone.refresh_token)).status).toBe(401);
  const rows = 'select 1 from refresh_tokens where org_id = $1 and client_id = $2';
  const left = async () => (await service.database.pool.query(rows, [org.id, clientId])).rowCount;
  expect(await left()).toBe(1);
  await dropVoidRefreshTokens(service.application.db, FIRST_TOKEN);
  expect(await left()).toBe(0);
  await good(org.admin.del(`/api/v1/apps/${app.id}`));
  expect((await refresh(org, other, kept.refresh_token)).status).toBe(200);
});
