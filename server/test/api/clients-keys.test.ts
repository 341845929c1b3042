import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { APPS, createApp, invalidField, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' });
const keysOf = (appId: string): string => `${APPS}/${appId}/credentials/jwks`;
const byMethod = { token_endpoint_auth_method: 'private_key_jwt' };

async function appWith(of: TestOrg, ...kids: readonly string[]): Promise<{ appId: string; keyIds: string[] }> {
  const keys = kids.map(newPublicJwk);
  const { id } = await createApp(of, serviceApp(keys.length === 0 ? {} : { jwks: { keys } }, byMethod));
  const listed = (await of.admin.get(keysOf(id))).body as { id: string; kid: string }[];
  return { appId: id, keyIds: kids.map((kid) => listed.find((key) => key.kid === kid)?.id ?? '') };
}

const eventsOf = (of: TestOrg) => of.systemLog('eventType sw "app.oauth2.credentials"');

describe('a key', () => {
  test('is added, listed, read, and logged', async () => {
    const own = await service.newOrg();
    const { appId } = await appWith(own);
    const jwk = { ...newPublicJwk('one'), alg: 'ES256' };
    const added = await own.admin.post(keysOf(appId), { body: { ...jwk, x5c: ['MII'], x5u: 'https://a.example' } });
    const address = `${own.baseUrl}${keysOf(appId)}/${added.body.id}`;
    expect(added).toMatchObject({ status: 201, body: { ...jwk, status: 'ACTIVE' } });
    expect(added.body.id).toMatch(/^pks[0-9A-Za-z]{17}$/);
    expect(added.body.created).toMatch(/\.000Z$/);
    expect(added.body).not.toHaveProperty('x5c');
    expect(added.body).not.toHaveProperty('x5u');
    expect(added.body._links).toEqual({
      deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
    });
    expect(await own.admin.get(keysOf(appId))).toMatchObject({ status: 200, body: [added.body] });
    expect((await own.admin.get(`${keysOf(appId)}/${added.body.id}`)).body).toEqual(added.body);
    expect((await own.admin.get(`${APPS}/${appId}`)).body.settings.oauthClient.jwks.keys).toMatchObject([jwk]);
    expect(await eventsOf(own)).toMatchObject([
      {
        eventType: 'app.oauth2.credentials.lifecycle.create',
        target: [
          { id: appId, type: 'AppInstance' },
          { id: added.body.id, type: 'JsonWebKey', alternateId: 'one' },
        ],
      },
    ]);
  });

  test('is deactivated, activated, and deleted only when inactive', async () => {
    const own = await service.newOrg();
    const { appId, keyIds } = await appWith(own, 'one', 'two');
    const address = `${keysOf(appId)}/${keyIds[0]}`;
    expect(await own.admin.del(address)).toMatchObject(invalidField('JsonWebKey'));
    const stopped = await own.admin.post(`${address}/lifecycle/deactivate`);
    expect(stopped).toMatchObject({ status: 200, body: { id: keyIds[0], status: 'INACTIVE' } });
    expect(stopped.body._links).toEqual({
      activate: { href: `${own.baseUrl}${address}/lifecycle/activate`, hints: { allow: ['POST'] } },
      delete: { href: `${own.baseUrl}${address}`, hints: { allow: ['DELETE'] } },
    });
    expect(await own.admin.post(`${address}/lifecycle/activate`)).toMatchObject({ body: { status: 'ACTIVE' } });
    await own.admin.post(`${address}/lifecycle/deactivate`);
    expect(await own.admin.del(address)).toMatchObject({ status: 204 });
    expect(await own.admin.get(address)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await own.admin.del(address)).toMatchObject({ status: 404 });
    expect((await eventsOf(own)).map(({ eventType }) => eventType.split('.').at(-1))).toEqual([
      'deactivate',
      'activate',
      'deactivate',
      'delete',
    ]);
  });

  test.each([
    ['activate', 'ACTIVE'],
    ['deactivate', 'INACTIVE'],
  ])('that is so already: %s changes nothing and logs nothing', async (action, status) => {
    const own = await service.newOrg();
    const { appId, keyIds } = await appWith(own, 'one', 'two');
    const address = `${keysOf(appId)}/${keyIds[0]}`;
    if (status === 'INACTIVE') await own.admin.post(`${address}/lifecycle/deactivate`);
    const before = (await own.admin.get(address)).body;
    const logged = (await eventsOf(own)).length;
    service.clock.advance(5_000);
    expect(await own.admin.post(`${address}/lifecycle/${action}`)).toMatchObject({ status: 200, body: before });
    expect(await eventsOf(own)).toHaveLength(logged);
  });

  test('that is the only one of a client which needs it stays, also when two go at once', async () => {
    const { appId, keyIds } = await appWith(org, 'one', 'two');
    const both = await Promise.all(keyIds.map((id) => org.admin.post(`${keysOf(appId)}/${id}/lifecycle/deactivate`)));
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)).toMatchObject(invalidField('JsonWebKey'));
  });

  test('may go where another proof is asked for, or the keys are elsewhere', async () => {
    const keys = [newPublicJwk('one')];
    const apps = [
      await createApp(org, webApp({ jwks: { keys } })),
      await createApp(org, serviceApp({ jwks: { keys }, jwks_uri: 'https://app.example.com/keys' }, byMethod)),
    ];
    for (const { id } of apps) {
      const [key] = (await org.admin.get(keysOf(id))).body;
      expect(await org.admin.post(`${keysOf(id)}/${key.id}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    }
  });

  test('for encryption gives way only to another one', async () => {
    const { appId } = await appWith(org, 'one');
    const post = (given: object) => org.admin.post(keysOf(appId), { body: { ...RSA, use: 'enc', ...given } });
    const first = await post({ kid: 'enc-1', alg: 'RSA-OAEP' });
    expect(first).toMatchObject({ status: 201, body: { use: 'enc', status: 'ACTIVE', _links: {} } });
    expect(await post({ kid: 'enc-2' })).toMatchObject(invalidField('JsonWebKey'));
    const second = await post({ kid: 'enc-2', status: 'INACTIVE' });
    expect(second).toMatchObject({ status: 201, body: { status: 'INACTIVE' } });
    const stop = await org.admin.post(`${keysOf(appId)}/${first.body.id}/lifecycle/deactivate`);
    expect(stop).toMatchObject(invalidField('JsonWebKey'));
    await org.admin.post(`${keysOf(appId)}/${second.body.id}/lifecycle/activate`);
    const listed = (await org.admin.get(keysOf(appId))).body as { kid: string; status: string }[];
    expect(Object.fromEntries(listed.map(({ kid, status }) => [kid, status]))).toEqual({
      one: 'ACTIVE',
      'enc-1': 'INACTIVE',
      'enc-2': 'ACTIVE',
    });
  });
});

describe('no key is added', () => {
  test.each([
    ['kty', { kid: 'a' }],
    ['kty', { kty: 'oct', kid: 'a' }],
    ['d', { ...newPublicJwk('a'), d: 'x' }],
    ['n', { ...RSA, n: 'AQAB' }],
    ['e', { ...RSA, e: 'Aw' }],
    ['crv', { ...newPublicJwk('a'), crv: 'secp256k1' }],
    ['x', { ...newPublicJwk('a'), x: newPublicJwk('b').x }],
    ['alg', { ...newPublicJwk('a'), alg: 'HS256' }],
    ['use', { ...newPublicJwk('a'), use: 'both' }],
    ['kid', { ...newPublicJwk('a'), kid: '' }],
    ['status', { ...newPublicJwk('a'), status: 'GONE' }],
    ['body', [newPublicJwk('a')]],
  ])('%s: %j', async (field, body) => {
    const { appId } = await appWith(org, 'one');
    const refused = await org.admin.post(keysOf(appId), { body });
    expect(refused).toMatchObject(invalidField(field));
    expect((await org.admin.get(keysOf(appId))).body).toHaveLength(1);
  });

  test('under a kid that is there, without one beside others, nor beside one without', async () => {
    const { appId } = await appWith(org, 'one');
    const { kid: _kid, ...unnamed } = newPublicJwk('x');
    expect(await org.admin.post(keysOf(appId), { body: newPublicJwk('one') })).toMatchObject(
      invalidField('JsonWebKey'),
    );
    expect(await org.admin.post(keysOf(appId), { body: unnamed })).toMatchObject(invalidField('JsonWebKey'));
    const { appId: other } = await appWith(org);
    expect(await org.admin.post(keysOf(other), { body: unnamed })).toMatchObject({ status: 201 });
    expect(await org.admin.post(keysOf(other), { body: newPublicJwk('y') })).toMatchObject(invalidField('JsonWebKey'));
  });

  test('twice at once under one kid', async () => {
    const own = await service.newOrg();
    const { appId } = await appWith(own);
    const answers = await Promise.all(
      [1, 2, 3].map(() => own.admin.post(keysOf(appId), { body: newPublicJwk('one') })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 400, 400]);
    expect(await eventsOf(own)).toHaveLength(1);
  });

  test('beyond 50', async () => {
    const { appId } = await appWith(org, ...Array.from({ length: 50 }, (_, index) => `k${index}`));
    expect(await org.admin.post(keysOf(appId), { body: newPublicJwk('more') })).toMatchObject(
      invalidField('JsonWebKey'),
    );
  });
});

describe('a replacement of the app that sends its keys back', () => {
  const put = (of: TestOrg, appId: string, keys: readonly object[]) =>
    of.admin.put(`${APPS}/${appId}`, { body: serviceApp({ jwks: { keys } }, byMethod) });

  test('keeps their ids, and does not revive one that was deactivated', async () => {
    const { appId, keyIds } = await appWith(org, 'one', 'two');
    await org.admin.post(`${keysOf(appId)}/${keyIds[0]}/lifecycle/deactivate`);
    const before = (await org.admin.get(keysOf(appId))).body as Record<string, unknown>[];
    const bare = before.map(({ status: _status, id: _id, _links, created: _created, ...jwk }) => jwk);
    service.clock.advance(5_000);
    for (const keys of [before, bare]) {
      expect(await put(org, appId, keys)).toMatchObject({ status: 200 });
      expect((await org.admin.get(keysOf(appId))).body).toEqual(before);
    }
  });

  test('takes the status that it gives, and another key under a kid as new', async () => {
    const { appId, keyIds } = await appWith(org, 'one', 'two');
    const listed = (await org.admin.get(keysOf(appId))).body as { kid: string }[];
    const one = listed.find(({ kid }) => kid === 'one');
    await put(org, appId, [{ ...one, status: 'INACTIVE' }, newPublicJwk('two')]);
    const after = (await org.admin.get(keysOf(appId))).body as { kid: string; id: string; status: string }[];
    expect(after).toHaveLength(2);
    expect(after.find(({ kid }) => kid === 'one')).toMatchObject({ id: keyIds[0], status: 'INACTIVE' });
    expect(after.find(({ kid }) => kid === 'two')?.id).not.toBe(keyIds[1]);
  });
});

describe('who may not', () => {
  const attempts = (appId: string, keyId: string) =>
    [
      ['POST', keysOf(appId), newPublicJwk('mine')],
      ['POST', `${keysOf(appId)}/${keyId}/lifecycle/activate`, undefined],
      ['POST', `${keysOf(appId)}/${keyId}/lifecycle/deactivate`, undefined],
      ['DELETE', `${keysOf(appId)}/${keyId}`, undefined],
    ] as const;

  test.each(['ORG_ADMIN', 'APP_ADMIN'])('%s adds and changes no key of a super administrator', async (role) => {
    const own = await service.newOrg();
    const { appId, keyIds } = await appWith(own, 'one', 'two');
    await own.admin.post(`/oauth2/v1/clients/${appId}/roles`, { body: { type: 'SUPER_ADMIN' } });
    const client = await own.withRoles(role);
    const before = (await own.admin.get(keysOf(appId))).body;
    for (const [method, path, body] of attempts(appId, keyIds[0] ?? '')) {
      const response = await client.send(method, path, body === undefined ? {} : { body });
      expect(response).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
    expect((await own.admin.get(keysOf(appId))).body).toEqual(before);
    expect(await eventsOf(own)).toEqual([]);
    expect(await own.admin.post(keysOf(appId), { body: newPublicJwk('mine') })).toMatchObject({ status: 201 });
  });

  test('an administrator adds keys to a client that holds no more', async () => {
    const { appId } = await appWith(org, 'one');
    await org.admin.post(`/oauth2/v1/clients/${appId}/roles`, { body: { type: 'APP_ADMIN' } });
    const client = await org.withRoles('APP_ADMIN');
    expect(await client.post(keysOf(appId), { body: newPublicJwk('mine') })).toMatchObject({ status: 201 });
  });

  test('who only reads reads, and who does not even that is refused', async () => {
    const { appId, keyIds } = await appWith(org, 'one', 'two');
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const nobody = await org.withRoles('HELP_DESK_ADMIN');
    expect((await reader.get(keysOf(appId))).body).toHaveLength(2);
    expect(await nobody.get(keysOf(appId))).toMatchObject({ status: 403 });
    for (const [method, path, body] of attempts(appId, keyIds[0] ?? '')) {
      const response = await reader.send(method, path, body === undefined ? {} : { body });
      expect(response).toMatchObject({ status: 403 });
    }
  });

  test('nobody reaches what is not there, or in another org', async () => {
    const other = await service.newOrg();
    const theirs = await appWith(other, 'one', 'two');
    const ours = await appWith(org, 'one', 'two');
    const unknown = { status: 404, body: { errorCode: 'E0000007' } };
    for (const [method, path, body] of [
      ...attempts(theirs.appId, theirs.keyIds[0] ?? ''),
      ...attempts(ours.appId, theirs.keyIds[0] ?? '').slice(1),
      ['GET', keysOf(theirs.appId), undefined] as const,
      ['GET', `${keysOf(ours.appId)}/${theirs.keyIds[0]}`, undefined] as const,
    ]) {
      expect(await org.admin.send(method, path, body === undefined ? {} : { body })).toMatchObject(unknown);
    }
    expect((await other.admin.get(keysOf(theirs.appId))).body).toHaveLength(2);
  });
});
