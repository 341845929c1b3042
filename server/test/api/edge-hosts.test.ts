import { describe, expect, test } from 'vitest';
import { giveDomain } from '../support/org-settings.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const metadata = '/.well-known/svc-organization';

/** These tests cover attack 11 (docs/security-rows.md). */
describe('the org is that of the Host header', () => {
  test('an unknown host is 404, whatever the credential', async () => {
    for (const hostname of [
      'nobody.localhost',
      'example.com',
      `${org.subdomain}.example.com`,
      '10.0.0.1',
      `a.${org.hostname}`,
    ]) {
      const client = org.client({ authorization: `SSWS ${org.adminToken}`, host: hostname });
      expect(await client.get('/api/v1/org')).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
  });

  test("another org's host is another org: the token does not hold there", async () => {
    const other = await service.newOrg();
    const client = org.client({ authorization: `SSWS ${org.adminToken}`, host: `${other.hostname}:${service.port}` });
    expect(await client.get('/api/v1/org')).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
  });

  test.each([
    'x-forwarded-host',
    'x-host',
    'x-original-host',
    'forwarded',
    'x-forwarded-server',
    'x-original-url',
    'x-rewrite-url',
  ])('%s is ignored', async (name) => {
    const other = await service.newOrg();
    const value = name === 'forwarded' ? `host=${other.hostname}` : name.endsWith('url') ? '/nowhere' : other.hostname;
    const { status, body } = await org
      .client({ authorization: `SSWS ${org.adminToken}`, [name]: value })
      .get('/api/v1/users/me');
    expect(status).toBe(200);
    expect(body._links.self.href).toContain(org.baseUrl);
  });

  test('case, a final dot and the port do not matter; links name the public port', async () => {
    for (const host of [org.hostname.toUpperCase(), `${org.hostname}.`, `${org.hostname}:1`, org.hostname]) {
      const { status, body } = await org.client({ host }).get(metadata);
      expect([host, status, body.id]).toEqual([host, 200, org.id]);
      expect(body._links.organization.href).toBe(org.baseUrl);
    }
  });

  test('links bear the address that the client came by', async () => {
    const own = await service.newOrg();
    const domain = `id.${own.subdomain}.example`;
    await giveDomain(service, own, domain);
    const client = own.client({ authorization: `SSWS ${own.adminToken}`, host: domain });
    const { body, headers } = await client.get('/api/v1/users?limit=1');
    expect(body[0]._links.self.href).toMatch(new RegExp(`^https://${domain}:${service.port}/api/v1/users/`));
    expect(String(headers['link'])).toContain(`<https://${domain}:${service.port}/api/v1/users?limit=1>; rel="self"`);
  });

  test('loopback is the first org', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', `localhost:${service.port}`]) {
      expect((await org.client({ host }).get(metadata)).body.id).toBe(org.id);
    }
  });
});

/** This test covers section 9.7 of the specification. */
test('{sub}-admin is 404 with an error that names the right address', async () => {
  const { status, body } = await org.client({ host: `${org.subdomain}-admin.localhost` }).get('/api/v1/users');
  expect(status).toBe(404);
  expect(body.errorCode).toBe('E0000007');
  expect(body.errorCauses[0].errorSummary).toContain(`https://${org.subdomain}.localhost:${service.port}`);
});

/** These tests cover contract section 1. */
describe('the namespace word', () => {
  const { service: renamed } = useService({ namespace: 'okta' });

  test('is in the request id of every answer, parser faults and preflights included', async () => {
    for (const path of ['/api/v1/users', '/nowhere', '/api/v1/users/%zz']) {
      const { headers } = await renamed.org.admin.get(path);
      expect(headers['x-okta-request-id']).toMatch(/^req/);
      expect(headers['x-svc-request-id']).toBeUndefined();
    }
  });

  test('is in the path of the org metadata', async () => {
    expect(await renamed.org.anonymous.get('/.well-known/okta-organization')).toMatchObject({ status: 200 });
    expect(await renamed.org.anonymous.get(metadata)).toMatchObject({ status: 404 });
  });

  test('is in the provider of a user, and in its answers to shorter reads', async () => {
    const { body } = await renamed.org.admin.post('/api/v1/users', { body: { profile: newProfile() } });
    expect(body.credentials.provider).toEqual({ type: 'OKTA', name: 'OKTA' });
    const headers = { 'content-type': 'application/json; okta-response=omitCredentials' };
    expect((await renamed.org.admin.get(`/api/v1/users/${body.id}`, { headers })).body.credentials).toBeUndefined();
    const provider = { type: 'OKTA', name: 'OKTA' };
    expect(
      await renamed.org.admin.post('/api/v1/users', { body: { profile: newProfile(), credentials: { provider } } }),
    ).toMatchObject({ status: 200 });
  });

  test('is in the headers that CORS exposes and allows', async () => {
    const origin = 'https://app.example.com';
    await renamed.org.admin.post('/api/v1/trustedOrigins', { body: { name: 'a', origin, scopes: [{ type: 'CORS' }] } });
    const { headers } = await renamed.org.admin.get('/api/v1/users', { headers: { origin } });
    expect(headers['access-control-expose-headers']).toContain('X-Okta-Request-Id');
    const preflight = await renamed.org.anonymous.send('OPTIONS', '/api/v1/users', {
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('X-Okta-User-Agent-Extended');
    expect(preflight.headers['x-okta-request-id']).toMatch(/^req/);
  });

  test('is in no answer of a service that has another', async () => {
    for (const path of [
      '/api/v1/users',
      '/api/v1/org',
      '/api/v1/logs',
      metadata,
      '/api/v1/meta/schemas/user/default',
    ]) {
      const { text, headers } = await org.admin.get(path);
      expect(`${text}${JSON.stringify(headers)}`).not.toMatch(/okta/i);
    }
  });
});
