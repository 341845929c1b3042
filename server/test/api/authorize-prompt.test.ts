import { beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../src/platform/crypto/index.ts';
import {
  ageSignIns,
  answered,
  ask,
  type Browser,
  CALLBACK,
  type Changes,
  cookieOf,
  newBrowser,
  newOidcApp,
  post,
  withCookies,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests `prompt` and `max_age` (OpenID Connect Core 3.1.2.1; specification 4.7; contract section 7;
 * attacks 46 and 70 in docs/security-rows.md).
 */
const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newOidcApp(org));
const browser = beforeTests(() => newBrowser(service, org, app));

const SECONDS = 1_000;

const again = async (): Promise<string> => {
  service.clock.advance(SECONDS);
  return (await newBrowser(service, org, null, { userId: browser.userId })).cookie;
};

/** `resume` continues the request with the given cookies. */
async function begin(changes: Changes, cookie: string | undefined, path?: string) {
  const response = await ask(withCookies(org, cookie), app, changes, path);
  const { parameters, to } = answered(response);
  const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
  const resume = async (...cookies: (string | undefined)[]) =>
    answered(await withCookies(org, flow, ...cookies).get(parameters['fromURI'] ?? ''));
  return { to, parameters, flow, resume };
}

describe('prompt=none', () => {
  const error = async (changes: Changes, client = browser.client) =>
    answered(await ask(client, app, { prompt: 'none', ...changes }));

  test('gives a code to whom is signed in', async () => {
    expect((await error({})).parameters).toHaveProperty('code');
  });

  test('asks nobody to sign in', async () => {
    const { parameters, to } = await error({}, org.anonymous);
    expect(to).toBe(CALLBACK);
    expect(parameters).toEqual({
      error: 'login_required',
      error_description: 'The client specified not to prompt, but the user is not logged in.',
      state: 'xyz',
      iss: org.baseUrl,
    });
  });

  test('has an error for a sign-in that is too old (specification 4.7)', async () => {
    expect((await error({ max_age: '3600' })).parameters).toHaveProperty('code');
    await ageSignIns(service, org, browser.userId, 61);
    expect((await error({ max_age: '60' })).parameters).toMatchObject({
      error: 'login_required',
      error_description: expect.stringContaining('re-authentication'),
    });
    expect((await error({ max_age: '0' })).parameters).toMatchObject({ error: 'invalid_request' });
  });

  test('and a redirect URI that is not proved is told nothing', async () => {
    const response = await ask(org.anonymous, app, { prompt: 'none', redirect_uri: 'https://evil.example/cb' });
    expect(response.status).toBe(400);
    expect(response.headers['location']).toBeUndefined();
  });
});

test('a session by the bare cookie of scripts is none of a browser', async () => {
  const cookie = browser.cookie.replace('__Host-sid', 'sid');
  expect((await begin({}, cookie)).to).toBe('/signin');
  expect(answered(await ask(withCookies(org, cookie), app, { prompt: 'none' })).parameters['error']).toBe(
    'login_required',
  );
});

describe('prompt=login', () => {
  test('asks whoever is signed in, and goes on when that was done', async () => {
    const { parameters, resume, to } = await begin({ prompt: 'login' }, browser.cookie);
    expect(to).toBe('/signin');
    expect(parameters['reauthenticate']).toBe('true');
    const unchanged = await resume(browser.cookie);
    expect(unchanged).toMatchObject({ to: '/signin', parameters: { fromURI: parameters['fromURI'] } });
    expect(await resume(await again())).toMatchObject({ to: CALLBACK, parameters: { code: expect.any(String) } });
  });

  test('a session that was opened before the request does not do', async () => {
    const cookie = await again();
    service.clock.advance(SECONDS);
    const { resume } = await begin({ prompt: 'login' }, undefined);
    expect((await resume(cookie)).to).toBe('/signin');
  });
});

describe('prompt=select_account', () => {
  test('asks whoever is signed in, and goes on with whom the sign-in was for', async () => {
    const { parameters, resume, to } = await begin({ prompt: 'select_account' }, browser.cookie);
    expect([to, parameters['reauthenticate']]).toEqual(['/signin', 'true']);
    expect((await resume(browser.cookie)).to).toBe('/signin');
    const other = await newBrowser(service, org, app);
    expect((await resume(other.cookie)).parameters).toHaveProperty('code');
  });

  test('beside none is an error', async () => {
    const { parameters } = answered(await ask(browser.client, app, { prompt: 'none select_account' }));
    expect(parameters['error']).toBe('invalid_request');
  });
});

describe('what is kept of requests', () => {
  const rowsOf = async (flow: string): Promise<number> => {
    const text = 'select 1 from authorization_requests where org_id = $1 and browser_hash = $2';
    const hash = hashSecret(flow.replace('__Host-flow=', ''));
    return (await service.database.pool.query(text, [org.id, hash])).rows.length;
  };

  test('is of the last twenty of a browser', async () => {
    const { flow, parameters } = await begin({}, undefined);
    for (let tabs = 1; tabs <= 20; tabs += 1) {
      service.clock.advance(1);
      await begin({}, flow);
    }
    expect(await rowsOf(flow)).toBe(20);
    const first = hashSecret((parameters['fromURI'] ?? '').replace(/^.*request=/, ''));
    const text = 'select 1 from authorization_requests where org_id = $1 and request_hash = $2';
    expect((await service.database.pool.query(text, [org.id, first])).rows).toEqual([]);
  });

  test('has an end: more than eight kilobytes are refused', async () => {
    const long = { state: 's'.repeat(4_000), nonce: 'n'.repeat(2_000), login_hint: 'l'.repeat(500) };
    expect((await begin(long, undefined)).to).toBe('/signin');
    const { parameters, to } = answered(await post(org.anonymous, app, { ...long, acr_values: 'a'.repeat(2_000) }));
    expect([to, parameters['error']]).toEqual([CALLBACK, 'invalid_request']);
  });
});

describe('max_age', () => {
  test('asks again when the sign-in is older', async () => {
    const cookie = await again();
    await ageSignIns(service, org, browser.userId, 30);
    expect(answered(await ask(withCookies(org, cookie), app, { max_age: '31' })).to).toBe(CALLBACK);
    const { resume, to } = await begin({ max_age: '29' }, cookie);
    expect(to).toBe('/signin');
    expect((await resume(await again())).parameters).toHaveProperty('code');
  });

  test('holds for whoever has signed in for the request too', async () => {
    const { resume } = await begin({ max_age: '29' }, undefined);
    const cookie = await again();
    await ageSignIns(service, org, browser.userId, 30);
    expect((await resume(cookie)).to).toBe('/signin');
    expect((await resume(await again())).parameters).toHaveProperty('code');
  });

  test('of 0 is a sign-in for this very request', async () => {
    const { parameters, resume, to } = await begin({ max_age: '0' }, await again());
    expect([to, parameters['reauthenticate']]).toEqual(['/signin', 'true']);
    expect((await resume(await again())).parameters).toHaveProperty('code');
  });
});

describe('a session that does not hold', () => {
  const shut = async (change: (userId: string) => Promise<unknown>) => {
    const other = await newBrowser(service, org, app);
    await change(other.userId);
    return answered(await ask(other.client, app, { prompt: 'none' })).parameters;
  };
  const lifecycle = (operation: string) => (userId: string) =>
    org.admin.post(`/api/v1/users/${userId}/lifecycle/${operation}`);

  test.each(['suspend', 'deactivate'])('after %s', async (operation) => {
    expect(await shut(lifecycle(operation))).toMatchObject({ error: 'login_required' });
  });

  test('when its user is locked out, or the password is over: access_denied', async () => {
    for (const status of ['LOCKED_OUT', 'PASSWORD_EXPIRED', 'RECOVERY']) {
      const parameters = await shut((userId) =>
        service.database.pool.query('update users set status = $3 where org_id = $1 and id = $2', [
          org.id,
          userId,
          status,
        ]),
      );
      expect(parameters).toMatchObject({ error: 'access_denied', error_description: 'User status is invalid.' });
    }
  });

  test('when all sessions of the user were ended', async () => {
    expect(await shut((userId) => org.admin.del(`/api/v1/users/${userId}/sessions`))).toMatchObject({
      error: 'login_required',
    });
  });
});

describe('consent', () => {
  const asking = beforeTests(() => newOidcApp(org, { settings: { consent_method: 'REQUIRED' } }));
  const server = beforeTests(() =>
    newCustomServer(org, {
      grantTypes: ['authorization_code'],
      scopes: { 'orders.read': {}, 'orders.write': { consent: 'REQUIRED' } },
    }),
  );
  let path: string;
  let person: Browser;

  beforeAll(async () => {
    path = `${server.oauth}/v1/authorize`;
    person = await newBrowser(service, org, asking);
  });

  const due = { scope: 'openid orders.write' };

  test('that is due sends the browser to be asked', async () => {
    const response = await ask(person.client, asking, due, path);
    expect(answered(response)).toMatchObject({ to: '/consent', parameters: { request: expect.any(String) } });
    expect(cookieOf(response, '__Host-flow')).toBeDefined();
  });

  test('that is due has an error with prompt=none (contract section 7)', async () => {
    const { parameters } = answered(await ask(person.client, asking, { ...due, prompt: 'none' }, path));
    expect(parameters).toMatchObject({
      error: 'consent_required',
      error_description: 'The following scopes require user consent: [orders.write].',
      iss: server.issuer,
    });
  });

  test('is not asked for what needs none, nor of apps that are trusted', async () => {
    const implied = await ask(person.client, asking, { scope: 'openid orders.read' }, path);
    expect(answered(implied).parameters).toHaveProperty('code');
    const trusted = await newOidcApp(org);
    const theirs = await newBrowser(service, org, trusted);
    expect(answered(await ask(theirs.client, trusted, due, path)).parameters).toHaveProperty('code');
    expect(answered(await ask(theirs.client, trusted, { ...due, prompt: 'consent' }, path)).to).toBe('/consent');
  });

  test('that is declined is an error, and the request is over', async () => {
    const response = await ask(person.client, asking, due, path);
    const { request = '' } = answered(response).parameters;
    const decision = { userId: person.userId, decision: 'DECLINED', scopes: [] };
    await service.database.pool.query(
      'update authorization_requests set consent = $3 where org_id = $1 and request_hash = $2',
      [org.id, hashSecret(request), decision],
    );
    const client = withCookies(org, `__Host-flow=${cookieOf(response, '__Host-flow')}`, person.cookie);
    const resume = `/oauth2/v1/authorize/resume?request=${request}`;
    expect(answered(await client.get(resume)).parameters).toMatchObject({ error: 'access_denied', iss: server.issuer });
    expect((await client.get(resume)).status).toBe(400);
  });

  test('of somebody else does not count', async () => {
    const response = await ask(person.client, asking, due, path);
    const { request = '' } = answered(response).parameters;
    const other = await newBrowser(service, org, asking);
    const decision = { userId: person.userId, decision: 'DECLINED', scopes: [] };
    await service.database.pool.query(
      'update authorization_requests set consent = $3 where org_id = $1 and request_hash = $2',
      [org.id, hashSecret(request), decision],
    );
    const client = withCookies(org, `__Host-flow=${cookieOf(response, '__Host-flow')}`, other.cookie);
    expect(answered(await client.get(`/oauth2/v1/authorize/resume?request=${request}`)).to).toBe('/consent');
  });
});
