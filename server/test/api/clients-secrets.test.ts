import { describe, expect, test } from 'vitest';
import { APPS, createApp, invalidField, serviceApp, webApp } from '../support/apps.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const MAXIMUM = 'OAuth2ClientSecretMediated';
const secretsOf = (appId: string): string => `${APPS}/${appId}/credentials/secrets`;

async function appOf(of: TestOrg, method = 'client_secret_basic') {
  const app = await createApp(of, webApp({}, { token_endpoint_auth_method: method }));
  const [secret] = (await of.admin.get(secretsOf(app.id))).body;
  return {
    appId: String(app.id),
    value: String(app.credentials.oauthClient.client_secret),
    secretId: String(secret.id),
  };
}

const eventTypesOf = async (of: TestOrg): Promise<string[]> =>
  (await of.systemLog('eventType sw "app.oauth2"')).map(({ eventType }) => eventType);

describe('a secret', () => {
  test('of a new app is the one that was shown, and can be read', async () => {
    const { appId, value } = await appOf(org);
    expect(value).toMatch(/^[0-9A-Za-z]{64}$/);
    const [secret] = (await org.admin.get(secretsOf(appId))).body;
    expect(secret).toMatchObject({ status: 'ACTIVE', client_secret: value });
    expect(secret.id).toMatch(/^ocs[0-9A-Za-z]{17}$/);
    expect(secret.secret_hash).toMatch(/^[\w-]{22}$/);
    expect((await org.admin.get(`${secretsOf(appId)}/${secret.id}`)).body).toEqual(secret);
  });

  test('is stored sealed and as a hash, never in the clear', async () => {
    const { appId, value } = await appOf(org);
    const { rows } = await service.application.pool.query(
      'select * from app_secrets where org_id = $1 and app_id = $2',
      [org.id, appId],
    );
    const [row] = rows as { sealed_secret: Buffer; secret_hash: Buffer }[];
    expect(row?.secret_hash).toHaveLength(32);
    expect(row?.sealed_secret.toString('latin1')).not.toContain(value);
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(service.logged()).not.toContain(value);
    expect(JSON.stringify(await org.systemLog())).not.toContain(value);
  });

  test('follows another: made, used, the first one deactivated and deleted', async () => {
    const own = await service.newOrg();
    const { appId, secretId } = await appOf(own);
    const made = await own.admin.post(secretsOf(appId));
    expect(made).toMatchObject({ status: 201, body: { status: 'ACTIVE' } });
    expect(made.body.client_secret).toMatch(/^[0-9A-Za-z]{64}$/);
    expect(made.body._links).toEqual({
      deactivate: {
        href: `${own.baseUrl}${secretsOf(appId)}/${made.body.id}/lifecycle/deactivate`,
        hints: { allow: ['POST'] },
      },
    });
    const first = `${secretsOf(appId)}/${secretId}`;
    expect(await own.admin.del(first)).toMatchObject(invalidField(MAXIMUM));
    const stopped = await own.admin.post(`${first}/lifecycle/deactivate`);
    expect(stopped).toMatchObject({ status: 200, body: { id: secretId, status: 'INACTIVE' } });
    expect(stopped.body).not.toHaveProperty('client_secret');
    expect(stopped.body._links).toEqual({
      activate: { href: `${own.baseUrl}${first}/lifecycle/activate`, hints: { allow: ['POST'] } },
      delete: { href: `${own.baseUrl}${first}`, hints: { allow: ['DELETE'] } },
    });
    expect(await own.admin.post(`${first}/lifecycle/activate`)).toMatchObject({ body: { status: 'ACTIVE' } });
    await own.admin.post(`${first}/lifecycle/deactivate`);
    expect(await own.admin.del(first)).toMatchObject({ status: 204 });
    expect(await own.admin.get(first)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const credentials = (await eventTypesOf(own)).filter((type) => type.includes('credentials'));
    expect(credentials.map((type) => type.split('.').at(-1))).toEqual([
      'create',
      'deactivate',
      'activate',
      'deactivate',
      'delete',
    ]);
    const [created] = await own.systemLog('eventType eq "app.oauth2.credentials.lifecycle.create"');
    expect(created.target).toMatchObject([
      { id: appId, type: 'AppInstance' },
      { id: made.body.id, type: 'ClientSecret' },
    ]);
  });

  test('can be brought', async () => {
    const { appId } = await appOf(org);
    const body = { client_secret: '~!brought-by-us', status: 'INACTIVE' };
    const made = await org.admin.post(secretsOf(appId), { body });
    expect(made).toMatchObject({ status: 201, body });
    expect((await org.admin.get(`${secretsOf(appId)}/${made.body.id}`)).body).toMatchObject(body);
  });

  test('tells by its hash which it is, and nothing of its value', async () => {
    const apps = [await appOf(org), await appOf(org)];
    const body = { client_secret: 'the-same-for-both' };
    const [one, other] = await Promise.all(apps.map(({ appId }) => org.admin.post(secretsOf(appId), { body })));
    expect(one?.body.secret_hash).toBe(other?.body.secret_hash);
    const secrets: TestResponse['body'][] = (await org.admin.get(secretsOf(apps[0]?.appId ?? ''))).body;
    const first = secrets.find(({ id }) => id !== one?.body.id);
    expect(first.secret_hash).not.toBe(one?.body.secret_hash);
  });

  test.each([
    ['activate', 'ACTIVE'],
    ['deactivate', 'INACTIVE'],
  ])('that is so already: %s changes nothing and logs nothing', async (action, status) => {
    const own = await service.newOrg();
    const { appId } = await appOf(own);
    const { id } = (await own.admin.post(secretsOf(appId), { body: { status } })).body;
    const logged = (await eventTypesOf(own)).length;
    service.clock.advance(5_000);
    const answer = await own.admin.post(`${secretsOf(appId)}/${id}/lifecycle/${action}`);
    expect(answer).toMatchObject({ status: 200, body: { status } });
    expect(answer.body.lastUpdated).toBe(answer.body.created);
    expect(await eventTypesOf(own)).toHaveLength(logged);
  });
});

describe('no secret is made', () => {
  test('beyond two, also at once', async () => {
    const { appId } = await appOf(org);
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.post(secretsOf(appId), { body: {} })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 400, 400]);
    expect(answers.find(({ status }) => status === 400)).toMatchObject(invalidField(MAXIMUM));
    expect((await org.admin.get(secretsOf(appId))).body).toHaveLength(2);
  });

  test.each([
    ['client_secret', 'client_secret_basic', { client_secret: 'x'.repeat(13) }],
    ['client_secret', 'client_secret_basic', { client_secret: 'x'.repeat(101) }],
    ['client_secret', 'client_secret_post', { client_secret: 'with a blank inside' }],
    ['client_secret', 'client_secret_post', { client_secret: 'nicht-ganz-ÄSCII' }],
    ['client_secret', 'client_secret_post', { client_secret: 'a-line\nbreak-in-it' }],
    ['client_secret', 'client_secret_jwt', { client_secret: 'x'.repeat(31) }],
    ['client_secret', 'client_secret_basic', { client_secret: 5 }],
    ['status', 'client_secret_basic', { status: 'GONE' }],
  ])('%s of %s: %j', async (field, method, body) => {
    const { appId } = await appOf(org, method);
    const refused = await org.admin.post(secretsOf(appId), { body });
    expect(refused).toMatchObject(invalidField(field));
    expect((await org.admin.get(secretsOf(appId))).body).toHaveLength(1);
  });

  test('by bringing one for a client that proves itself by a key, nor an inactive first one', async () => {
    const { id } = await createApp(org, serviceApp({}, { token_endpoint_auth_method: 'private_key_jwt' }));
    const brought = { client_secret: 'brought-by-us-1234' };
    expect(await org.admin.post(secretsOf(id), { body: brought })).toMatchObject(invalidField('client_secret'));
    expect(await org.admin.post(secretsOf(id), { body: { status: 'INACTIVE' } })).toMatchObject(invalidField(MAXIMUM));
    expect((await org.admin.get(secretsOf(id))).body).toEqual([]);
  });
});

describe('the only active secret', () => {
  test('stays, also when two go at once', async () => {
    const { appId, secretId } = await appOf(org);
    const alone = await org.admin.post(`${secretsOf(appId)}/${secretId}/lifecycle/deactivate`);
    expect(alone).toMatchObject(invalidField(MAXIMUM));
    const { id } = (await org.admin.post(secretsOf(appId))).body;
    const both = await Promise.all(
      [secretId, id].map((one) => org.admin.post(`${secretsOf(appId)}/${one}/lifecycle/deactivate`)),
    );
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
  });
});

describe('who may not', () => {
  const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
  const changes = (appId: string, secretId: string) =>
    [
      ['POST', secretsOf(appId)],
      ['POST', `${secretsOf(appId)}/${secretId}/lifecycle/activate`],
      ['POST', `${secretsOf(appId)}/${secretId}/lifecycle/deactivate`],
      ['DELETE', `${secretsOf(appId)}/${secretId}`],
    ] as const;
  const valuesSeenBy = async (client: TestClient, appId: string, secretId: string) => {
    const list = await client.get(secretsOf(appId));
    const single = await client.get(`${secretsOf(appId)}/${secretId}`);
    expect([list.status, single.status]).toEqual([200, 200]);
    return [...list.body, single.body].map((secret) => secret.client_secret);
  };

  test('READ_ONLY_ADMIN sees that there is one, not its value, and leaves no event', async () => {
    const own = await service.newOrg();
    const { appId, secretId } = await appOf(own);
    const reader = await own.withRoles('READ_ONLY_ADMIN');
    const logged = (await eventTypesOf(own)).length;
    expect(await valuesSeenBy(reader, appId, secretId)).toEqual([undefined, undefined]);
    expect(await eventTypesOf(own)).toHaveLength(logged);
    for (const [method, path] of changes(appId, secretId)) {
      expect(await reader.send(method, path)).toMatchObject(forbidden);
    }
    expect(await (await own.withRoles('HELP_DESK_ADMIN')).get(secretsOf(appId))).toMatchObject(forbidden);
  });

  test('APP_ADMIN sees the value, and each reading is an event that names the secrets', async () => {
    const own = await service.newOrg();
    const { appId, secretId, value } = await appOf(own);
    const logged = (await own.systemLog('eventType eq "app.oauth2.client.read_client_secret"')).length;
    const reader = await own.withRoles('APP_ADMIN');
    expect(await valuesSeenBy(reader, appId, secretId)).toEqual([value, value]);
    const events = (await own.systemLog('eventType eq "app.oauth2.client.read_client_secret"')).slice(logged);
    const target = [
      { id: appId, type: 'AppInstance' },
      { id: secretId, type: 'ClientSecret' },
    ];
    expect(events).toMatchObject([
      { actor: { id: reader.userId }, target },
      { actor: { id: reader.userId }, target },
    ]);
  });

  test.each(['ORG_ADMIN', 'APP_ADMIN'])('%s neither sees nor changes that of a super administrator', async (role) => {
    const own = await service.newOrg();
    const { appId, secretId } = await appOf(own);
    await own.admin.post(`/oauth2/v1/clients/${appId}/roles`, { body: { type: 'SUPER_ADMIN' } });
    const client = await own.withRoles(role);
    expect(await valuesSeenBy(client, appId, secretId)).toEqual([undefined, undefined]);
    for (const [method, path] of changes(appId, secretId)) {
      expect(await client.send(method, path)).toMatchObject(forbidden);
    }
    expect((await own.admin.get(secretsOf(appId))).body).toHaveLength(1);
  });

  test('nobody reaches what is not there, or in another org', async () => {
    const other = await service.newOrg();
    const theirs = await appOf(other);
    const ours = await appOf(org);
    const unknown = { status: 404, body: { errorCode: 'E0000007' } };
    for (const [method, path] of [
      ...changes(theirs.appId, theirs.secretId),
      ...changes(ours.appId, theirs.secretId).slice(1),
      ['GET', secretsOf(theirs.appId)] as const,
      ['GET', `${secretsOf(ours.appId)}/${theirs.secretId}`] as const,
    ]) {
      expect(await org.admin.send(method, path)).toMatchObject(unknown);
    }
    expect((await other.admin.get(secretsOf(theirs.appId))).body).toMatchObject([{ client_secret: theirs.value }]);
  });
});
