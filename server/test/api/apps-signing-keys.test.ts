import { X509Certificate } from 'node:crypto';
import samlify from 'samlify';
import { describe, expect, test } from 'vitest';
import { rotateSigningKey } from '../../src/oauth/keys/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { kindNamed, NAMED_KINDS, newAppOf, newSamlApp, OTHER_KINDS } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { newProviderKey } from '../support/identity-providers.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { operatorContext } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const keysOf = ({ id }: { id: string }): string => `${APPS}/${id}/credentials/keys`;
const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const generate = async (app: { id: string }, years = 2) =>
  (await org.admin.post(`${keysOf(app)}/generate?validityYears=${years}`)).body;

const orgKeys = async (of: TestOrg) => (await of.anonymous.get('/oauth2/v1/keys')).body.keys;

describe('an app that signs nothing itself', () => {
  test('shows the key of the org, the public part only', async () => {
    const own = await service.newOrg();
    // OAuth clients come last, so that the other kinds are tested before a client could have created the org's key.
    const kinds = NAMED_KINDS.filter(([, kind]) => !kind.signs).toReversed();
    for (const [title, kind] of kinds) {
      const app = await createApp(own, newAppOf(kind));
      const { body } = await own.admin.get(keysOf(app));
      const [{ e, kid, n }] = await orgKeys(own);
      const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      const key = { kty: 'RSA', created: instant, lastUpdated: instant, kid, use: 'sig', e, n };
      expect(body, title).toEqual([key]);
      expect((await own.admin.get(`${keysOf(app)}/${kid}`)).body).toEqual(body[0]);
      expect(app.credentials.signing).toEqual(kind.mode === 'OPENID_CONNECT' ? { kid } : {});
    }
  });

  test("the key is no app's to clone, of no other org, and nothing to those who may not read apps", async () => {
    const [app, saml] = [await createApp(org), await createApp(org, newSamlApp())];
    const { kid } = app.credentials.signing;
    const clone = (from: { id: string }) => org.admin.post(`${keysOf(from)}/${kid}/clone?targetAid=${saml.id}`);
    expect(await clone(app)).toMatchObject(invalidField('cloneKey'));
    expect(await clone(saml)).toMatchObject(NOT_FOUND);
    expect((await org.admin.get(keysOf(saml))).body).toHaveLength(1);
    const other = await service.newOrg();
    expect((await createApp(other)).credentials.signing.kid).not.toBe(kid);
    const helper = await org.withRoles('HELP_DESK_ADMIN');
    expect(await helper.get(`${keysOf(app)}/${kid}`)).toMatchObject({ status: 403 });
  });

  test('follows the rotation; a client is found by it, and may be sent back with the former key', async () => {
    const own = await service.newOrg();
    const app = await createApp(own);
    const former = app.credentials.signing.kid;
    const found = async (kid: string) => {
      const filter = encodeURIComponent(`credentials.signing.kid eq "${kid}"`);
      return (await own.admin.get(`${APPS}?filter=${filter}`)).body.map(({ id }: { id: string }) => id);
    };
    expect(await found(former)).toEqual([app.id]);
    const ports = {
      work: service.application.work,
      makeKeyPair: makeTestKeyPair,
      masterKey: masterKeyOf(Buffer.alloc(32, 7)),
    };
    const { kid } = await rotateSigningKey(ports, operatorContext(service, own), { atOnce: true });
    service.clock.advance(3_000);
    const address = `${APPS}/${app.id}`;
    expect((await own.admin.get(address)).body.credentials.signing).toEqual({ kid });
    expect((await own.admin.get(APPS)).body[0].credentials.signing).toEqual({ kid });
    expect((await own.admin.get(keysOf(app))).body.map((key: { kid: string }) => key.kid)).toEqual([kid]);
    expect([await found(former), await found(kid)]).toEqual([[], [app.id]]);
    expect((await own.admin.put(address, { body: app })).body.credentials.signing).toEqual({ kid });
    const wrong = { ...app, credentials: { ...app.credentials, signing: { kid: 'nobody' } } };
    expect(await own.admin.put(address, { body: wrong })).toMatchObject(invalidField('credentials.signing.kid'));
  });
});

describe('keys', () => {
  test('an app that signs assertions is made with one, for ten years', async () => {
    for (const [, kind] of OTHER_KINDS) {
      const app = await createApp(org, newAppOf(kind));
      const keys = (await org.admin.get(keysOf(app))).body;
      expect(keys).toHaveLength(1);
      if (!kind.signs) continue;
      expect(app.credentials.signing).toEqual({ kid: keys[0].kid });
      const years = new Date(keys[0].expiresAt).getUTCFullYear() - new Date(keys[0].created).getUTCFullYear();
      expect(years).toBe(10);
    }
  });

  test('a new one has a certificate of itself, signs nothing yet, and shows no private half', async () => {
    const app = await createApp(org, newSamlApp());
    const response = await org.admin.post(`${keysOf(app)}/generate?validityYears=5`);
    expect(response.status).toBe(201);
    const { body: key } = response;
    const certificate = new X509Certificate(Buffer.from(key.x5c[0], 'base64'));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.export({ format: 'jwk' })).toEqual({ kty: 'RSA', e: key.e, n: key.n });
    expect(new Date(certificate.validTo).toISOString()).toBe(key.expiresAt);
    expect(Buffer.from(key['x5t#S256'], 'base64url').toString('hex')).toBe(
      certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    );
    expect(Object.keys(key).toSorted()).toEqual(
      ['kty', 'created', 'lastUpdated', 'expiresAt', 'kid', 'use', 'x5c', 'x5t#S256', 'e', 'n'].toSorted(),
    );
    expect((await org.admin.get(`${keysOf(app)}/${key.kid}`)).body).toEqual(key);
    const kids = (await org.admin.get(keysOf(app))).body.map(({ kid }: { kid: string }) => kid);
    expect(kids.toSorted()).toEqual([app.credentials.signing.kid, key.kid].toSorted());
    expect((await org.admin.get(`${APPS}/${app.id}`)).body.credentials).toEqual(app.credentials);
    const [event] = (await org.systemLog('eventType eq "app.keys.generate"')).slice(-1);
    expect(event.target).toMatchObject([{ id: app.id }, { id: key.kid, type: 'SigningKey' }]);
    expect(service.logged()).not.toContain('PRIVATE KEY');
  });

  test.each([
    ['?validityYears=1', 'E0000001'],
    ['?validityYears=11', 'E0000001'],
    ['?validityYears=-3', 'E0000001'],
    ['?validityYears=many', 'E0000037'],
    ['?validityYears=2.5', 'E0000037'],
    ['', 'E0000028'],
  ])('generate%s is refused with %s', async (query, errorCode) => {
    const app = await createApp(org, newSamlApp());
    expect(await org.admin.post(`${keysOf(app)}/generate${query}`)).toMatchObject({ status: 400, body: { errorCode } });
    expect((await org.admin.get(keysOf(app))).body).toHaveLength(1);
  });

  test('another one signs from when the app names it; both kids stand in the event', async () => {
    const app = await createApp(org, newSamlApp());
    const key = await generate(app);
    const signing = { kid: key.kid };
    const put = await org.admin.put(`${APPS}/${app.id}`, { body: newSamlApp({}, { credentials: { signing } }) });
    expect(put.body.credentials.signing).toEqual(signing);
    const without = await org.admin.put(`${APPS}/${app.id}`, { body: newSamlApp() });
    expect(without.body.credentials.signing).toEqual(signing);
    const events = await org.systemLog(`eventType eq "app.keys.rotate" and target.id eq "${app.id}"`);
    expect(events).toMatchObject([
      {
        target: [
          { id: app.id },
          {
            id: key.kid,
            changeDetails: { from: { kid: app.credentials.signing.kid }, to: { kid: key.kid } },
          },
        ],
      },
    ]);
    const found = await org.admin.get(
      `${APPS}?filter=${encodeURIComponent(`credentials.signing.kid eq "${key.kid}"`)}`,
    );
    expect(found.body.map(({ id }: { id: string }) => id)).toEqual([app.id]);
  });

  test('a kid that the app does not have, and one of an app that signs nothing, are refused', async () => {
    const [app, other] = [await createApp(org, newSamlApp()), await createApp(org, newSamlApp())];
    const { kid } = other.credentials.signing;
    for (const wrong of [kid, 'nobody']) {
      const body = newSamlApp({}, { credentials: { signing: { kid: wrong } } });
      expect(await org.admin.put(`${APPS}/${app.id}`, { body })).toMatchObject(invalidField('credentials.signing.kid'));
    }
    const kind = kindNamed('BOOKMARK bookmark');
    const bookmark = await createApp(org, newAppOf(kind));
    const own = await generate(bookmark);
    const body = newAppOf(kind, { credentials: { signing: { kid: own.kid } } });
    expect(await org.admin.put(`${APPS}/${bookmark.id}`, { body })).toMatchObject(
      invalidField('credentials.signing.kid'),
    );
  });

  test('they go with their app', async () => {
    const app = await createApp(org, newSamlApp());
    await org.admin.post(`${APPS}/${app.id}/lifecycle/deactivate`);
    await org.admin.del(`${APPS}/${app.id}`);
    expect(await org.admin.get(keysOf(app))).toMatchObject(NOT_FOUND);
    const { rows } = await service.database.pool.query('select 1 from app_signing_keys where app_id = $1', [app.id]);
    expect(rows).toEqual([]);
  });
});

describe('clone', () => {
  test('gives a key to another app, once, and works there', async () => {
    const [source, target] = [await createApp(org, newSamlApp()), await createApp(org, newSamlApp())];
    const key = await generate(source);
    const path = `${keysOf(source)}/${key.kid}/clone?targetAid=${target.id}`;
    const cloned = await org.admin.post(path);
    expect(cloned).toMatchObject({ status: 201, body: { kid: key.kid, x5c: key.x5c, expiresAt: key.expiresAt } });
    expect(await org.admin.post(path)).toMatchObject(invalidField('cloneKey'));
    const signing = { kid: key.kid };
    const put = await org.admin.put(`${APPS}/${target.id}`, { body: newSamlApp({}, { credentials: { signing } }) });
    expect(put.status).toBe(200);
    expect(await org.systemLog('eventType eq "app.keys.clone"')).toMatchObject([
      { target: [{ id: source.id }, { id: target.id }, { id: key.kid }] },
    ]);
  });

  test('two apps that give each other keys at once do not wait for ever', async () => {
    const [one, other] = [await createApp(org, newSamlApp()), await createApp(org, newSamlApp())];
    const clone = (from: typeof one, to: typeof one) =>
      org.admin.post(`${keysOf(from)}/${from.credentials.signing.kid}/clone?targetAid=${to.id}`);
    const answers = await Promise.all([clone(one, other), clone(other, one), clone(one, other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400]);
    expect((await org.admin.get(keysOf(one))).body).toHaveLength(2);
  });

  test('needs an app of this org on both sides, and a key', async () => {
    const source = await createApp(org, newSamlApp());
    const foreign = await createApp(await service.newOrg(), newSamlApp());
    const path = `${keysOf(source)}/${source.credentials.signing.kid}/clone`;
    expect(await org.admin.post(path)).toMatchObject({ status: 400, body: { errorCode: 'E0000028' } });
    for (const targetAid of [foreign.id, '0oanobody']) {
      expect(await org.admin.post(`${path}?targetAid=${targetAid}`)).toMatchObject(NOT_FOUND);
    }
    expect(await org.admin.post(`${keysOf(source)}/nobody/clone?targetAid=${source.id}`)).toMatchObject(NOT_FOUND);
    expect(await org.admin.get(keysOf(foreign))).toMatchObject(NOT_FOUND);
  });
});

describe('SAML metadata', () => {
  const metadata = async (app: { id: string }, query = '') =>
    org.admin.get(`${APPS}/${app.id}/sso/saml/metadata${query}`, { headers: { accept: 'application/xml' } });

  test('loads in samlify, with the certificate that signs', async () => {
    const app = await createApp(org, newSamlApp());
    const response = await metadata(app);
    expect(response.headers['content-type']).toBe('text/xml; charset=utf-8');
    const meta = samlify.IdentityProvider({ metadata: response.text }).entityMeta;
    const externalKey = `exk${app.id.slice(3)}`;
    expect(meta.getEntityID()).toBe(`${org.baseUrl}/${externalKey}`);
    expect(meta.isWantAuthnRequestsSigned()).toBe(false);
    const address = `${org.baseUrl}/app/${app.name}/${externalKey}/sso/saml`;
    expect([meta.getSingleSignOnService('post'), meta.getSingleSignOnService('redirect')]).toEqual([address, address]);
    const [key] = (await org.admin.get(keysOf(app))).body;
    expect(meta.getX509Certificate('signing')).toBe(key.x5c[0]);
  });

  test('tells the format of names that the app asks for, and the unspecified one', async () => {
    const format = (name: string) => `urn:oasis:names:tc:SAML:1.1:nameid-format:${name}`;
    const app = await createApp(org, newSamlApp({ subjectNameIdFormat: format('emailAddress') }));
    const formats = [...(await metadata(app)).text.matchAll(/<md:NameIDFormat>([^<]+)</g)].map(([, found]) => found);
    expect(formats).toEqual([format('emailAddress'), format('unspecified')]);
  });

  test('of another of its keys, with logging out, and with an issuer of the administrator', async () => {
    const slo = { enabled: true, issuer: 'urn:sp', logoutUrl: 'https://sp.example/out' };
    const spCertificate = newProviderKey();
    const idpIssuer = 'urn:a&b<c>"d\'${org.externalKey}';
    const app = await createApp(org, newSamlApp({ slo, spCertificate, idpIssuer, samlSignedRequestEnabled: true }));
    const key = await generate(app);
    const { text } = await metadata(app, `?kid=${key.kid}`);
    const meta = samlify.IdentityProvider({ metadata: text }).entityMeta;
    expect(meta.getX509Certificate('signing')).toBe(key.x5c[0]);
    expect(meta.getEntityID()).toBe(`urn:a&b<c>"d'exk${app.id.slice(3)}`);
    expect(meta.isWantAuthnRequestsSigned()).toBe(true);
    expect(meta.getSingleLogoutService('post')).toMatch(/\/slo\/saml$/);
    const found = await org.admin.get(`${APPS}?filter=${encodeURIComponent('settings.slo.enabled eq true')}`);
    expect(found.body.map(({ id }: { id: string }) => id)).toEqual([app.id]);
  });

  test('there is none of an unknown key, of other kinds and of strangers', async () => {
    const app = await createApp(org, newSamlApp());
    const bookmark = await createApp(org, newAppOf(kindNamed('BOOKMARK bookmark')));
    const foreign = await createApp(await service.newOrg(), newSamlApp());
    expect(await metadata(app, '?kid=nobody')).toMatchObject(NOT_FOUND);
    expect(await metadata(bookmark)).toMatchObject(NOT_FOUND);
    expect(await metadata(foreign)).toMatchObject(NOT_FOUND);
    expect((await org.anonymous.get(`${APPS}/${app.id}/sso/saml/metadata`)).status).toBe(401);
  });

  test('settings that hold no certificate where one belongs are refused', async () => {
    const spCertificate = { x5c: ['AAAA'] };
    expect(await org.admin.post(APPS, { body: newSamlApp({ spCertificate }) })).toMatchObject(
      invalidField('settings.signOn.spCertificate.x5c'),
    );
  });
});
