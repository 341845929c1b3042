import { describe, expect, test } from 'vitest';
import { mailTo } from '../support/authn.ts';
import { createTestClient } from '../support/client.ts';
import { giveDomain } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS } from '../support/users.ts';

const BASE_DOMAIN = 'corp.example';
const LOOPBACK_HOSTS = ['127.9.9.9', 'localhost', '[::1]'];
const METADATA = '/.well-known/openid-configuration';
const NOWHERE = { status: 404, body: { errorCode: 'E0000007' } };

const { service: local } = useService({ isShared: false });
const { service: deployed } = useService(() => ({
  baseDomain: BASE_DOMAIN,
  database: local.database,
  publicPort: local.port,
}));
const { service: behindProxy } = useService({ tlsProxies: ['127.0.0.1'] });

const recover = (org: TestOrg, login: string, headers: Readonly<Record<string, string>>) =>
  org.client(headers).post('/api/v1/authn/recovery/password', { body: { username: login, factorType: 'EMAIL' } });

/** These tests cover host names that every machine resolves to itself (docs/review-findings.md, security 9). */
describe('loopback names in Host', () => {
  test.each(LOOPBACK_HOSTS)('%s is nobody where orgs have another base domain', async (host) => {
    const { org } = deployed;
    const user = await org.createUser({ credentials: CREDENTIALS });
    const { count } = await mailTo(deployed, org, user);
    expect(await recover(org, user.profile.login, { host })).toMatchObject(NOWHERE);
    expect(await mailTo(deployed, org, user)).toMatchObject({ count });
    expect(await org.client({ host }).get(METADATA)).toMatchObject(NOWHERE);
  });

  test.each(LOOPBACK_HOSTS)('%s is the default org below localhost, to whoever is on this machine', async (host) => {
    const { body, status } = await local.org.client({ host: `${host}:${local.port}` }).get(METADATA);
    expect([status, body.issuer]).toEqual([200, `https://${host}:${local.port}`]);
    for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }]) {
      expect(await local.org.client({ host, ...headers }).get(METADATA)).toMatchObject(NOWHERE);
    }
  });

  test.each([
    ['nobody', {}, 404],
    ['a client on this machine', { 'x-forwarded-for': '127.0.0.1' }, 200],
    ['a client elsewhere', { 'x-forwarded-for': '203.0.113.7' }, 404],
    ['a client elsewhere who names this machine', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, 404],
  ])('behind a listed proxy that forwards %s', async (_, headers, status) => {
    for (const host of LOOPBACK_HOSTS) {
      expect(await behindProxy.org.client({ host, ...headers }).get(METADATA)).toMatchObject({ status });
    }
    expect(await behindProxy.org.client(headers).get(METADATA)).toMatchObject({ status: 200 });
  });
});

describe('mails lead to the canonical address of the org', () => {
  test('which is that of the first start where it is at localhost', async () => {
    const user = await local.org.createUser({ credentials: CREDENTIALS });
    for (const host of ['127.9.9.9', local.org.hostname]) {
      expect(await recover(local.org, user.profile.login, { host })).toMatchObject({ status: 200 });
      const { text, url } = await mailTo(local, local.org, user);
      expect(url).toMatch(new RegExp(`^https://localhost:${local.port}/signin/reset-password/`));
      expect(text).not.toContain(host);
    }
  });

  test('and the subdomain of every other org, though it was asked for at a domain of its own', async () => {
    const own = await local.newOrg();
    const domain = `id.${own.subdomain}.example`;
    await giveDomain(local, own, domain);
    const user = await own.createUser({ credentials: CREDENTIALS });
    expect(await recover(own, user.profile.login, { host: domain })).toMatchObject({ status: 200 });
    expect((await mailTo(local, own, user)).url).toMatch(new RegExp(`^${own.baseUrl}/`));
  });

  test('while a link that is handed to the caller has the address of the caller', async () => {
    const user = await local.org.createUser({ credentials: CREDENTIALS });
    const { body } = await local.org.admin.post(`/api/v1/users/${user.id}/lifecycle/reset_password?sendEmail=false`);
    expect(body.resetPasswordUrl).toMatch(new RegExp(`^${local.org.baseUrl}/`));
  });
});

test('a token whose issuer is a loopback name stays good when orgs move to another base domain', async () => {
  const { org } = local;
  const client = await newServiceClient(local, org, { scopes: ['users.read'], roles: ['READ_ONLY_ADMIN'] });
  const assertion = await client.assertion('token', { aud: `https://localhost:${local.port}/oauth2/v1/token` });
  const answer = await org.client({ host: `localhost:${local.port}` }).post('/oauth2/v1/token', {
    raw: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'svc.users.read',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const { access_token: token } = answer.body;
  const [, claims = ''] = String(token).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).iss).toBe(`https://localhost:${local.port}`);
  const hostname = `${org.subdomain}.${BASE_DOMAIN}`;
  const there = createTestClient({ port: deployed.port, hostname, ca: deployed.ca });
  try {
    const headers = { authorization: `Bearer ${token}` };
    expect(await there.get('/api/v1/users?limit=1', { headers })).toMatchObject({ status: 200 });
    const another = createTestClient({ port: deployed.port, hostname: deployed.org.hostname, ca: deployed.ca });
    expect(await another.get('/api/v1/users?limit=1', { headers })).toMatchObject({ status: 401 });
    another.close();
  } finally {
    there.close();
  }
});
