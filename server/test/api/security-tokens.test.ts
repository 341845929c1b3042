import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { AUTHN, handOut, newUser, signIn, step } from '../support/authn.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import {
  type Claims,
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  requestToken,
  type ServiceApp,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { exchange, ME, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { userIn } from '../support/users.ts';

/** This file tests parts of attacks 62, 75, 82 and 83 (docs/security-rows.md). */
const { service, org } = useService();
const app = beforeTests(() => newServiceApp(org, { roles: ['READ_ONLY_ADMIN'] }));

const ENDPOINTS = ['token', 'introspect', 'revoke'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

const now = () => service.clock.now();
const seconds = () => Math.floor(now().getTime() / 1_000);
const pathOf = (endpoint: Endpoint): string => `/oauth2/v1/${endpoint}`;
const claimsFor = (endpoint: Endpoint, of = app, changes: Claims = {}): Claims =>
  claimsOf(org, of.id, now(), { aud: `${org.baseUrl}${pathOf(endpoint)}`, ...changes });

const formOf = (endpoint: Endpoint, assertion: string): string =>
  endpoint === 'token' ? tokenForm(assertion) : tokenForm(assertion, { token: 'none', grant_type: undefined });

const send = async (endpoint: Endpoint, assertion: string, query = ''): Promise<TestResponse> =>
  postForm(org.anonymous, pathOf(endpoint) + query, formOf(endpoint, assertion));

describe.each(ENDPOINTS)('row 62: parameters at %s', (endpoint) => {
  const good = () => signAssertion(app.key, claimsFor(endpoint));
  const refusal = { status: 400, body: { error: 'invalid_request' } };

  test('what is sent twice is refused, whatever it is', async () => {
    for (const more of ['scope=x', 'client_assertion=x', 'token=x', 'client_id=x', 'state=x', 'a[]=x']) {
      const name = more.split('=')[0] ?? '';
      const form = `${formOf(endpoint, await good())}&${more}&${name}=y`;
      expect(await postForm(org.anonymous, pathOf(endpoint), form)).toMatchObject(refusal);
    }
  });

  test('nothing is read from the address', async () => {
    const own = endpoint === 'token' ? 'grant_type' : 'token';
    expect(await send(endpoint, await good(), `?${own}=x`)).toMatchObject(refusal);
    expect(await send(endpoint, await good(), '?scope=svc.users.read')).toMatchObject(refusal);
    const query = new URLSearchParams(formOf(endpoint, await good())).toString();
    expect(await postForm(org.anonymous, `${pathOf(endpoint)}?${query}`, '')).toMatchObject(refusal);
    expect((await org.anonymous.get(`${pathOf(endpoint)}?${query}`)).status).toBe(405);
  });

  test('without any it is refused', async () => {
    const { body, status } = await postForm(org.anonymous, pathOf(endpoint), '');
    expect([400, 401]).toContain(status);
    expect(['invalid_request', 'invalid_client']).toContain(body.error);
  });

  test('and with the right ones it is answered', async () => {
    expect((await send(endpoint, await good())).status).toBe(200);
  });
});

describe('row 75: a credential counts in its own place alone, in its own org', () => {
  const PLACES: Readonly<Record<string, (of: TestOrg, credential: string) => Promise<boolean>>> = {
    apiToken: async (of, value) => isTaken(of.client({ authorization: `SSWS ${value}` }).get('/api/v1/users/me')),
    accessToken: async (of, value) => isTaken(of.client({ authorization: `Bearer ${value}` }).get('/api/v1/users')),
    sessionId: async (of, value) => isTaken(of.client({ cookie: `sid=${value}` }).get(ME)),
    sessionToken: async (of, value) => isTaken(exchange(of.anonymous, value)),
    stateToken: async (of, value) => isTaken(of.anonymous.post(AUTHN, { body: { stateToken: value } })),
    recoveryToken: async (of, value) => isTaken(step(of.anonymous, '/recovery/token', { recoveryToken: value })),
    assertion: async (of, value) => isTaken(postForm(of.anonymous, '/oauth2/v1/token', tokenForm(value))),
    introspected: async (of, value) => {
      const assertion = await signAssertion(app.key, claimsFor('introspect'));
      const form = tokenForm(assertion, { token: value, grant_type: undefined });
      return (await postForm(of.anonymous, '/oauth2/v1/introspect', form)).body.active === true;
    },
  };

  async function isTaken(answer: Promise<TestResponse>): Promise<boolean> {
    const { status, text } = await answer;
    expect(status, text).toBeLessThan(500);
    return status < 300;
  }

  const MADE: Readonly<Record<string, () => Promise<string>>> = {
    apiToken: async () => org.adminToken,
    accessToken: async () => (await requestToken(org, app, now())).body.access_token,
    sessionId: async () => {
      const { sessionToken } = await signedIn(service, org, (await newUser(org)).id);
      return (await exchange(org.anonymous, sessionToken)).body.id;
    },
    sessionToken: async () => (await signedIn(service, org, (await newUser(org)).id)).sessionToken,
    stateToken: async () => {
      const { login } = (await userIn(org, 'PASSWORD_EXPIRED')).profile;
      return (await signIn(org.anonymous, login)).body.stateToken;
    },
    recoveryToken: async () => handOut(org, 'password', await newUser(org)),
    assertion: () => signAssertion(app.key, claimsFor('token')),
  };
  /** Access tokens are also accepted for introspection. */
  const OWN: Readonly<Record<string, readonly string[]>> = { accessToken: ['accessToken', 'introspected'] };

  test.each(Object.keys(MADE))('%s', async (kind) => {
    const credential = (await MADE[kind]?.()) ?? '';
    const other = await service.newOrg();
    const own = OWN[kind] ?? [kind];
    const taken = [];
    for (const [place, present] of Object.entries(PLACES)) {
      if (await present(other, credential)) taken.push(`${place} of another org`);
      if (!own.includes(place) && (await present(org, credential))) taken.push(place);
    }
    expect(taken).toEqual([]);
    for (const place of own) expect([place, await PLACES[place]?.(org, credential)]).toEqual([place, true]);
  });

  test('an ID token that the org has signed is no access token', async () => {
    const { key, kid } = await service.application.oauth.signingKeys.signer(org.id);
    const claims = { iss: org.baseUrl, aud: app.id, sub: app.id, cid: app.id, scp: ['svc.users.read'], ver: 1 };
    const times = { iat: seconds(), exp: seconds() + 3_600 };
    for (const jti of [{ jti: `ID.${randomUUID()}` }, { jti: `AT.${'x'.repeat(43)}` }, {}]) {
      for (const aud of [app.id, org.baseUrl]) {
        const token = await new SignJWT({ ...claims, ...times, ...jti, aud })
          .setProtectedHeader({ alg: 'RS256', kid })
          .sign(key);
        expect(await PLACES['accessToken']?.(org, token)).toBe(false);
        expect(await PLACES['introspected']?.(org, token)).toBe(false);
      }
    }
  });
});

describe('rows 82 and 83: keys and secrets of a client', () => {
  const keysOf = (of: ServiceApp): string => `/api/v1/apps/${of.id}/credentials/jwks`;

  test('a new key and the old one hold side by side; the old one, deactivated, nowhere', async () => {
    const old = newTestKey();
    const next = newTestKey();
    const rotating = await newServiceApp(org, { key: old });
    const [{ id: oldId }] = (await org.admin.get(keysOf(rotating))).body;
    expect((await org.admin.post(keysOf(rotating), { body: next.jwk })).status).toBe(201);
    const tryAll = async (key: ServiceApp['key']): Promise<number[]> => {
      const answers = ENDPOINTS.map(async (endpoint) =>
        send(endpoint, await signAssertion(key, claimsFor(endpoint, rotating))),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect([await tryAll(old), await tryAll(next)]).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
    expect((await org.admin.post(`${keysOf(rotating)}/${oldId}/lifecycle/deactivate`)).status).toBe(200);
    expect([await tryAll(old), await tryAll(next)]).toEqual([
      [401, 401, 401],
      [200, 200, 200],
    ]);
    // Without a `kid`, all active keys are tried.
    const unnamed = await signAssertion(old, claimsFor('token', rotating), { kid: undefined });
    expect(await send('token', unnamed)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await org.admin.post(`${keysOf(rotating)}/${oldId}/lifecycle/activate`)).status).toBe(200);
    expect(await tryAll(old)).toEqual([200, 200, 200]);
  });

  test('a secret that is deactivated opens nothing, the other one goes on', async () => {
    const web = await newServiceApp(org, { applicationType: 'web', authMethod: 'client_secret_basic' });
    const secrets = `/api/v1/apps/${web.id}/credentials/secrets`;
    const [{ id: oldId }] = (await org.admin.get(secrets)).body;
    const next = (await org.admin.post(secrets)).body.client_secret;
    const tryAll = async (secret: string): Promise<number[]> => {
      const authorization = `Basic ${Buffer.from(`${web.id}:${secret}`).toString('base64')}`;
      const answers = (['introspect', 'revoke'] as const).map((endpoint) =>
        postForm(org.anonymous, pathOf(endpoint), 'token=none', { headers: { authorization } }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect([await tryAll(web.secret ?? ''), await tryAll(next)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect((await org.admin.post(`${secrets}/${oldId}/lifecycle/deactivate`)).status).toBe(200);
    expect([await tryAll(web.secret ?? ''), await tryAll(next)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  test('a key that the client brings along with its app is not one of the org', async () => {
    const { body } = await org.anonymous.get('/oauth2/v1/keys');
    const kids = body.keys.map(({ kid }: { kid: string }) => kid);
    expect(kids).not.toContain(app.key.kid);
    // An access token signed with a client's key is not accepted either.
    const claims = { iss: org.baseUrl, aud: org.baseUrl, sub: app.id, cid: app.id, scp: ['svc.users.read'] };
    const times = { iat: seconds(), exp: seconds() + 3_600 };
    for (const kid of [app.key.kid, ...kids]) {
      const token = await signAssertion({ ...app.key, kid }, { ...claims, ...times, jti: randomUUID() });
      const { status } = await org.client({ authorization: `Bearer ${token}` }).get('/api/v1/users');
      expect(status).toBe(401);
    }
  });
});
