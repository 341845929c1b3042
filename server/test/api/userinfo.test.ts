import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { newServiceApp, postForm, requestToken } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newProofKey, newUserApp, redeem, TOKEN, tokensOf, withProof } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newUserApp(org, { profile: PROFILE, scopes: ['svc.users.read'] }));
const server = beforeTests(() =>
  newCustomServer(org, {
    grantTypes: ['authorization_code'],
    claims: {
      hat: { value: '"red"', claimType: 'IDENTITY', alwaysIncludeInToken: false },
      order: { value: '"1"', claimType: 'IDENTITY', conditions: { scopes: ['orders.read'] } },
      tier: '"gold"',
    },
  }),
);

const USERINFO = '/oauth2/v1/userinfo';
const PROFILE = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  middleName: 'King',
  nickName: 'Countess',
  locale: 'en_GB',
  timezone: 'Europe/London',
  streetAddress: '12 St James’s Square',
  city: 'London',
  zipCode: 'SW1Y',
  countryCode: 'GB',
  primaryPhone: '+44 20 1234',
};

const tokenFor = async (scopes: readonly string[]) => (await tokensOf(service, org, app, { scopes })).access_token;

const ask = (authorization: string | undefined, path = USERINFO) =>
  org.client(authorization === undefined ? {} : { authorization }).get(path);

async function customToken(scopes: readonly string[]): Promise<string> {
  const code = await newCode(service, org, app, { serverId: server.id, scopes });
  return (await redeem(org, app, code, {}, { path: `${server.oauth}/v1/token` })).body.access_token;
}

describe('at the org’s own server', () => {
  test('tells what the scopes tell, and no more', async () => {
    const only = await ask(`Bearer ${await tokenFor(['openid'])}`);
    expect(only).toMatchObject({ status: 200, body: { sub: app.userId } });
    expect(Object.keys(only.body)).toEqual(['sub']);
    expect(only.headers['cache-control']).toContain('no-store');
    const all = await ask(`Bearer ${await tokenFor(['openid', 'profile', 'email', 'address', 'phone', 'groups'])}`);
    expect(all.body).toEqual({
      sub: app.userId,
      name: 'Ada Lovelace',
      family_name: 'Lovelace',
      given_name: 'Ada',
      middle_name: 'King',
      nickname: 'Countess',
      preferred_username: app.login,
      zoneinfo: 'Europe/London',
      locale: 'en_GB',
      updated_at: expect.any(Number),
      email: app.login,
      email_verified: true,
      address: {
        street_address: '12 St James’s Square',
        locality: 'London',
        postal_code: 'SW1Y',
        country: 'GB',
      },
      phone_number: '+44 20 1234',
      groups: ['Everyone'],
    });
  });

  test('answers a POST, with the token in the header or in the form', async () => {
    const token = await tokenFor(['openid', 'email']);
    const headed = await org.client({ authorization: `Bearer ${token}` }).post(USERINFO);
    expect(headed).toMatchObject({ status: 200, body: { sub: app.userId, email: app.login } });
    expect(await postForm(org.anonymous, USERINFO, { access_token: token })).toMatchObject({
      status: 200,
      body: { sub: app.userId },
    });
  });

  test('says what is wrong with a request, and how to come again', async () => {
    const token = await tokenFor(['openid']);
    const nothing = await ask(undefined);
    expect(nothing).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    const invalid = 'Bearer error="invalid_token", error_description="The access token is invalid."';
    for (const authorization of ['Bearer x', `Bearer ${token}x`, `Basic ${token}`, `DPoP ${token}`, 'Bearer']) {
      const { body, headers, status } = await ask(authorization);
      expect({ authorization, status, error: body.error }).toEqual({
        authorization,
        status: 401,
        error: 'invalid_token',
      });
      expect(headers['www-authenticate']).toMatch(/^(Bearer|DPoP) error="invalid_token"/);
    }
    expect((await ask('Bearer x')).headers['www-authenticate']).toBe(invalid);
    expect(await ask(undefined, `${USERINFO}?access_token=${token}`)).toMatchObject({ status: 400 });
    const twice = await postForm(org.client({ authorization: `Bearer ${token}` }), USERINFO, { access_token: token });
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('takes no token without openid, of a client’s own, of another kind or of another server', async () => {
    const without = await ask(`Bearer ${await tokenFor(['svc.users.read'])}`);
    expect(without).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    expect(without.headers['www-authenticate']).toContain('scope="openid"');
    const client = await newServiceApp(org);
    const own = (await requestToken(org, client, service.clock.now())).body.access_token;
    expect((await ask(`Bearer ${own}`)).status).toBe(403);
    const { id_token: idToken } = await tokensOf(service, org, app);
    expect((await ask(`Bearer ${idToken}`)).status).toBe(401);
    expect((await ask(`Bearer ${await customToken(['openid'])}`)).status).toBe(401);
  });

  test('tells nothing of a user who is suspended', async () => {
    const own = await newUserApp(org);
    const { access_token: token } = await tokensOf(service, org, own);
    await org.admin.post(`/api/v1/users/${own.userId}/lifecycle/suspend`);
    service.clock.advance(1_100);
    expect((await ask(`Bearer ${token}`)).status).toBe(401);
  });
});

describe('at a custom server', () => {
  const path = () => `${server.oauth}/v1/userinfo`;

  test('tells its identity claims by scopes', async () => {
    const told = await ask(`Bearer ${await customToken(['openid', 'email'])}`, path());
    expect(told.body).toEqual({ sub: app.userId, email: app.login, email_verified: true, hat: 'red' });
    const more = await ask(`Bearer ${await customToken(['openid', 'orders.read'])}`, path());
    expect(more.body).toEqual({ sub: app.userId, hat: 'red', order: '1' });
  });

  test('takes its own tokens only, as long as it is active', async () => {
    const token = await customToken(['openid']);
    expect((await ask(`Bearer ${await tokenFor(['openid'])}`, path())).status).toBe(401);
    expect((await ask(`Bearer ${token}`, '/oauth2/default/v1/userinfo')).status).toBe(401);
    expect((await ask(`Bearer ${token}`, path())).status).toBe(200);
    await org.admin.post(`${server.path}/lifecycle/deactivate`);
    expect(await ask(`Bearer ${token}`, path())).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    await org.admin.post(`${server.path}/lifecycle/activate`);
    expect((await ask(`Bearer ${token}`, path())).status).toBe(401);
  });
});

test('row 74: a token that is bound to a key comes with a proof of it, for this request, once', async () => {
  const bound = await newUserApp(org, { settings: { dpop_bound_access_tokens: true } });
  const key = await newProofKey(service);
  const code = await newCode(service, org, bound);
  const { body } = await withProof(org, key, TOKEN, (headers) => redeem(org, bound, code, {}, { headers }));
  const ath = createHash('sha256').update(body.access_token).digest('base64url');
  const proof = await key.proof({ htm: 'GET', htu: `${org.baseUrl}${USERINFO}`, ath });
  const send = (dpop: string) => org.client({ authorization: `DPoP ${body.access_token}`, dpop }).get(USERINFO);
  expect((await ask(`Bearer ${body.access_token}`)).status).toBe(401);
  expect((await send(await key.proof({ htm: 'GET', htu: `${org.baseUrl}${USERINFO}` }))).status).toBe(401);
  expect(await send(proof)).toMatchObject({ status: 200, body: { sub: bound.userId } });
  expect(await send(proof)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': expect.stringMatching(/^DPoP error/) },
  });
});
