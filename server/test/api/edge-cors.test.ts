import { beforeAll, describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { changeSettings } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';

/** This file tests section 4.1.12 of the specification, and attack 12 (docs/security-rows.md). */
const { service, org } = useService();
const trusted = 'https://app.example.com';
const withPort = 'https://ports.example.com:8443';

beforeAll(async () => {
  await trust(trusted);
  await trust(withPort);
});

async function trust(origin: string, scopes = [{ type: 'CORS' }]): Promise<string> {
  const { body } = await org.admin.post('/api/v1/trustedOrigins', { body: { name: origin, origin, scopes } });
  return body.id;
}

const preflight = (path: string, origin: string, method = 'GET', of = org): Promise<TestResponse> =>
  of.anonymous.send('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
  });

const accessControl = (response: TestResponse): string[] =>
  Object.keys(response.headers).filter((name) => name.startsWith('access-control-'));

describe('a trusted origin', () => {
  test('may read answers, with credentials, and the headers that clients go by', async () => {
    const { headers, status } = await org.admin.get('/api/v1/users', { headers: { origin: trusted } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': trusted,
      'access-control-allow-credentials': 'true',
      vary: expect.stringContaining('Origin'),
    });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    for (const name of [
      'X-Svc-Request-Id',
      'Link',
      'ETag',
      'X-Rate-Limit-Limit',
      'X-Rate-Limit-Remaining',
      'X-Rate-Limit-Reset',
    ]) {
      expect(exposed).toContain(name);
    }
  });

  test('may read refusals too', async () => {
    for (const [path, status] of [
      ['/api/v1/users', 401],
      ['/api/v1/users?q=%ff', 400],
    ] as const) {
      const refused = await org.anonymous.get(path, { headers: { origin: trusted } });
      expect(refused).toMatchObject({ status, headers: { 'access-control-allow-origin': trusted } });
    }
  });

  test('may read that it asked too often', async () => {
    const own = await service.newOrg();
    const body = { name: 'app', origin: trusted, scopes: [{ type: 'CORS' }] };
    await own.admin.post('/api/v1/trustedOrigins', { body });
    await changeSettings(service, own, { rateLimits: { users: 1 } });
    await own.admin.get('/api/v1/users');
    expect(await own.admin.get('/api/v1/users', { headers: { origin: trusted } })).toMatchObject({
      status: 429,
      headers: { 'access-control-allow-origin': trusted },
    });
  });

  test('is compared with its port', async () => {
    for (const [origin, allowed] of [
      [withPort, withPort],
      ['https://ports.example.com', undefined],
      ['https://ports.example.com:443', undefined],
      ['https://ports.example.com:8444', undefined],
      [`${trusted}:443`, undefined],
      [`${trusted}:8443`, undefined],
    ] as const) {
      const { headers } = await org.admin.get('/api/v1/users', { headers: { origin } });
      expect(headers['access-control-allow-origin']).toBe(allowed);
    }
  });
});

describe('a preflight', () => {
  test('of a trusted origin is answered without a credential, with request id and limits', async () => {
    const response = await preflight('/api/v1/users', trusted, 'POST');
    expect(response).toMatchObject({
      status: 204,
      text: '',
      headers: {
        'access-control-allow-origin': trusted,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'POST',
        'x-svc-request-id': expect.stringMatching(/^req/),
        vary: expect.stringContaining('Origin'),
        'x-rate-limit-limit': expect.any(String),
      },
    });
    const allowed = String(response.headers['access-control-allow-headers']).toLowerCase().split(', ');
    for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key', 'x-svc-user-agent-extended']) {
      expect(allowed).toContain(name);
    }
  });

  test.each(['https://evil.example', 'null'])('of %s is refused', async (origin) => {
    const response = await preflight('/api/v1/users', origin);
    expect(response.status).toBe(405);
    expect(accessControl(response)).toEqual([]);
  });

  test('follows what each route says of CORS', async () => {
    for (const route of service.application.routes) {
      const path = route.url.replaceAll(/:\w+/g, 'x');
      const response = await preflight(path, trusted, route.method);
      expect([route.operationId, response.status]).toEqual([route.operationId, route.cors ? 204 : 405]);
      expect([route.operationId, accessControl(response).length > 0]).toEqual([route.operationId, route.cors]);
    }
  });

  test('of a method or path that does not exist is refused', async () => {
    for (const [path, method] of [
      ['/api/v1/users', 'PATCH'],
      ['/nowhere', 'GET'],
    ] as const) {
      expect(accessControl(await preflight(path, trusted, method))).toEqual([]);
    }
  });
});

describe('no other origin', () => {
  test.each([
    'null',
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://evilapp.example.com',
    'https://sub.app.example.com',
    'https://example.com',
    'https://app-example.com',
    'http://app.example.com',
    'HTTPS://APP.EXAMPLE.COM',
    'https://app.example.com/',
    'https://app.example.com.',
    'https://app.example.com, https://evil.example',
    'https://app.example.com https://evil.example',
    'https://user@app.example.com',
    'https://*.example.com',
    '*',
    '',
    'file://',
  ])('%j gets anything', async (origin) => {
    const response = await org.admin.get('/api/v1/users', { headers: { origin } });
    expect(response.status).toBe(200);
    expect(accessControl(response)).toEqual([]);
    expect(response.headers['vary']).toContain('Origin');
    expect(accessControl(await preflight('/api/v1/users', origin))).toEqual([]);
  });

  test('nor the one that is trusted, where the route is not for browsers', async () => {
    expect(accessControl(await org.admin.get('/api/v1/org', { headers: { origin: trusted } }))).toEqual([]);
  });

  test('nor what another org trusts', async () => {
    const own = await service.newOrg();
    expect(accessControl(await own.admin.get('/api/v1/users', { headers: { origin: trusted } }))).toEqual([]);
    expect(accessControl(await preflight('/api/v1/users', trusted, 'GET', own))).toEqual([]);
  });

  test('nor one that is trusted with something else', async () => {
    await trust('https://redirects.example.com', [{ type: 'REDIRECT' }]);
    const headers = { origin: 'https://redirects.example.com' };
    expect(accessControl(await org.admin.get('/api/v1/users', { headers }))).toEqual([]);
  });

  test('nor one that is no longer active', async () => {
    const origin = 'https://gone.example.com';
    const id = await trust(origin);
    expect(accessControl(await preflight('/api/v1/users', origin))).not.toEqual([]);
    await org.admin.post(`/api/v1/trustedOrigins/${id}/lifecycle/deactivate`);
    expect(accessControl(await preflight('/api/v1/users', origin))).toEqual([]);
    expect(accessControl(await org.admin.get('/api/v1/users', { headers: { origin } }))).toEqual([]);
  });
});

test('Vary: Origin stands in answers to requests without an origin too', async () => {
  for (const path of ['/api/v1/users', '/nowhere', '/.well-known/svc-organization']) {
    expect((await org.admin.get(path)).headers['vary']).toContain('Origin');
  }
});
