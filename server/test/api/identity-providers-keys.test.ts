import { createHash, generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newProviderKey } from '../support/identity-providers.ts';
import { invalidWith, nextPage } from '../support/policies.ts';
import {
  certificateOf,
  createProvider,
  createProviderKey,
  newSamlProvider,
  PROVIDER_KEYS,
  PROVIDERS,
} from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const rsa = (modulusLength = 2_048) => generateKeyPairSync('rsa', { modulusLength }).publicKey;
const [certificate = ''] = newProviderKey()['x5c'] as string[];
const create = (x5c: unknown) => org.admin.post(PROVIDER_KEYS, { body: { x5c } });

describe('create', () => {
  test('reads the key, its thumbprint and its end from the certificate', async () => {
    const own = await service.newOrg();
    const { body, status } = await own.admin.post(PROVIDER_KEYS, { body: newProviderKey() });
    const parsed = new X509Certificate(Buffer.from(certificate, 'base64'));
    const { e, n } = parsed.publicKey.export({ format: 'jwk' });
    expect(status).toBe(200);
    expect(body).toEqual({
      kty: 'RSA',
      created: expect.stringMatching(/\.000Z$/),
      lastUpdated: body.created,
      expiresAt: new Date(parsed.validTo).toISOString(),
      alg: 'RSA',
      kid: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      use: 'sig',
      x5c: [certificate],
      'x5t#S256': createHash('sha256').update(parsed.raw).digest('base64url'),
      e,
      n,
    });
    expect((await own.admin.get(`${PROVIDER_KEYS}/${body.kid}`)).body).toEqual(body);
    expect(await own.systemLog('eventType sw "system.idp"')).toMatchObject([
      { eventType: 'system.idp.key.create', target: [{ id: body.kid, alternateId: body['x5t#S256'] }] },
    ]);
  });

  test('takes line breaks inside, chains, and keys on curves', async () => {
    const broken = certificate.replaceAll(/(.{64})/g, '$1\n');
    const chain = await create([broken, certificateOf(rsa())]);
    expect(chain).toMatchObject({ status: 200, body: { kty: 'RSA', x5c: [broken, expect.any(String)] } });
    for (const namedCurve of ['P-256', 'P-384', 'P-521']) {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve });
      expect(await create([certificateOf(publicKey)])).toMatchObject({
        status: 200,
        body: { kty: 'EC', alg: 'EC', crv: namedCurve, x: expect.any(String), y: expect.any(String) },
      });
    }
  });

  test.each([
    ['nothing', undefined],
    ['an empty list', []],
    ['no list', certificate],
    ['something else', ['bm8gY2VydGlmaWNhdGU=']],
    ['a blank', ['']],
    ['PEM', [`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`]],
    ['a cut one', [certificate.slice(0, 400)]],
    ['one with more behind it', [Buffer.concat([Buffer.from(certificate, 'base64'), Buffer.of(1)]).toString('base64')]],
    ['foreign characters', [`${certificate.slice(0, 100)}!${certificate.slice(100)}`]],
    ['a chain that ends in something else', [certificate, 'AAAA']],
    ['eleven of them', Array.from({ length: 11 }, () => certificate)],
    ['a key of 1024 bits', [certificateOf(rsa(1_024))]],
    ['a key of another kind', [certificateOf(generateKeyPairSync('ed25519').publicKey)]],
    ['another curve', [certificateOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)]],
  ])('refuses %s', async (_, x5c) => {
    expect(await create(x5c)).toMatchObject(invalidWith('x5c'));
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newProviderKey(), headers: { 'idempotency-key': 'create-key-1' } };
    const [first, second] = [
      await org.admin.post(PROVIDER_KEYS, options),
      await org.admin.post(PROVIDER_KEYS, options),
    ];
    expect(second).toMatchObject({ status: 200, body: first.body });
  });
});

test('a key that SAML is verified by stays RSA, whoever else uses it', async () => {
  const own = await service.newOrg();
  const kid = await createProviderKey(own);
  const trust = { issuer: 'https://idp.example', kid };
  const cards = { type: 'MTLS', credentials: { trust }, endpoints: { sso: { url: 'https://idp.example/sso' } } };
  const x509 = () => createProvider(own, { type: 'X509', name: `cards ${randomUUID()}`, protocol: cards });
  const saml = await createProvider(own, newSamlProvider(kid));
  await x509();
  // After this change, the X509 provider comes first in order of id.
  await service.database.pool.query(
    `update identity_providers set id = '0oa00000000000000000' where org_id = $1 and type = 'X509'`,
    [own.id],
  );
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const put = () => own.admin.put(`${PROVIDER_KEYS}/${kid}`, { body: { x5c: [certificateOf(publicKey)] } });
  expect(await put()).toMatchObject(invalidWith(saml.name));
  expect((await own.admin.del(`${PROVIDERS}/${saml.id}`)).status).toBe(204);
  expect(await put()).toMatchObject({ status: 200, body: { kty: 'EC' } });
});

describe('list, replace, delete', () => {
  test('the list is paged', async () => {
    const own = await service.newOrg();
    const kids = [];
    for (let count = 0; count < 3; count += 1) kids.push(await createProviderKey(own));
    const first = await own.admin.get(`${PROVIDER_KEYS}?limit=2`);
    const rest = await own.admin.get(nextPage(first) ?? '');
    const listed = [...first.body, ...rest.body].map(({ kid }: { kid: string }) => kid);
    expect(listed).toEqual(kids.toSorted());
    expect(nextPage(rest)).toBeNull();
  });

  test('another certificate under the same kid, which providers keep', async () => {
    const own = await service.newOrg();
    const kid = await createProviderKey(own);
    await createProvider(own, newSamlProvider(kid));
    const path = `${PROVIDER_KEYS}/${kid}`;
    const x5c = [certificateOf(rsa())];
    const { body: before } = await own.admin.get(path);
    const replaced = await own.admin.put(path, { body: { ...before, x5c } });
    expect(replaced).toMatchObject({ status: 200, body: { kid, x5c, created: before.created } });
    expect(replaced.body.n).not.toBe(before.n);
    expect((await own.admin.get(path)).body).toEqual(replaced.body);
    const [event] = await own.systemLog('eventType eq "system.idp.key.update"');
    expect(event.target[0].changeDetails).toMatchObject({
      from: { 'x5t#S256': before['x5t#S256'] },
      to: { 'x5t#S256': replaced.body['x5t#S256'] },
    });
    expect(await own.admin.put(path, { body: { x5c, kid: 'another' } })).toMatchObject(invalidWith('kid'));
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(await own.admin.put(path, { body: { x5c: [certificateOf(publicKey)] } })).toMatchObject(
      invalidWith('must be an RSA key'),
    );
    const unused = `${PROVIDER_KEYS}/${await createProviderKey(own)}`;
    expect(await own.admin.put(unused, { body: { x5c: [certificateOf(publicKey)] } })).toMatchObject({ status: 200 });
  });

  test('one that a provider names, active or not, is not deleted', async () => {
    const own = await service.newOrg();
    const [kid, second] = [await createProviderKey(own), await createProviderKey(own)];
    const trust = { issuer: 'urn:idp', kid, additionalKids: [second] };
    const { id, name } = await createProvider(own, newSamlProvider(kid, {}, { credentials: { trust } }));
    await own.admin.post(`${PROVIDERS}/${id}/lifecycle/deactivate`);
    for (const used of [kid, second]) {
      expect(await own.admin.del(`${PROVIDER_KEYS}/${used}`)).toMatchObject(invalidWith(name));
    }
    await own.admin.put(`${PROVIDERS}/${id}`, { body: newSamlProvider(kid) });
    expect(await own.admin.del(`${PROVIDER_KEYS}/${second}`)).toMatchObject({ status: 204 });
    await own.admin.del(`${PROVIDERS}/${id}`);
    expect(await own.admin.del(`${PROVIDER_KEYS}/${kid}`)).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: newProviderKey() } : {};
      expect(await own.admin.send(method, `${PROVIDER_KEYS}/${kid}`, body)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007' },
      });
    }
  });

  test('named and deleted at once: never a provider without its key', async () => {
    const own = await service.newOrg();
    for (let round = 0; round < 5; round += 1) {
      const kid = await createProviderKey(own);
      const [made, gone] = await Promise.all([
        own.admin.post(PROVIDERS, { body: newSamlProvider(kid) }),
        own.admin.del(`${PROVIDER_KEYS}/${kid}`),
      ]);
      expect([
        [200, 400],
        [400, 204],
      ]).toContainEqual([made.status, gone.status]);
    }
  });
});

describe('who may', () => {
  test('readers change nothing, and another org knows no key of this one', async () => {
    const kid = await createProviderKey(org);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const refused = { status: 403, body: { errorCode: 'E0000006' } };
    expect(await reader.get(`${PROVIDER_KEYS}/${kid}`)).toMatchObject({ status: 200 });
    expect(await reader.post(PROVIDER_KEYS, { body: newProviderKey() })).toMatchObject(refused);
    expect(await reader.put(`${PROVIDER_KEYS}/${kid}`, { body: newProviderKey() })).toMatchObject(refused);
    expect(await reader.del(`${PROVIDER_KEYS}/${kid}`)).toMatchObject(refused);
    const other = await service.newOrg();
    expect(await other.admin.get(`${PROVIDER_KEYS}/${kid}`)).toMatchObject({ status: 404 });
    expect((await other.admin.get(PROVIDER_KEYS)).body).toEqual([]);
  });
});
