import { beforeAll, describe, expect, test } from 'vitest';
import { type CustomServer, good, newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
let server: CustomServer;

beforeAll(async () => {
  const scopes = { shown: { metadataPublish: 'ALL_CLIENTS' }, hidden: { metadataPublish: 'NO_CLIENTS' } };
  server = await newCustomServer(org, { scopes });
});

const OPENID = (id: string) => `/oauth2/${id}/.well-known/openid-configuration`;
const OAUTH = (id: string) => `/oauth2/${id}/.well-known/oauth-authorization-server`;
/** In RFC 8414 3.1, the well-known part comes before the path of the issuer. */
const BY_PATH = (id: string) => `/.well-known/oauth-authorization-server/oauth2/${id}`;

describe.each([
  ['openid-configuration', OPENID],
  ['oauth-authorization-server', OAUTH],
  ['oauth-authorization-server before the path', BY_PATH],
])('%s', (_, pathOf) => {
  test('names what there is, below the issuer', async () => {
    const { body, headers, status } = await org.anonymous.get(pathOf(server.id));
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('public, max-age=60, must-revalidate');
    expect(body.issuer).toBe(server.issuer);
    const named = Object.entries(body).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri');
    const members = named.map(([name]) => name);
    for (const name of ['authorization', 'token', 'introspection', 'revocation', 'end_session', 'registration']) {
      expect(members).toContain(`${name}_endpoint`);
    }
    expect(members.includes('userinfo_endpoint')).toBe('id_token_signing_alg_values_supported' in body);
    for (const [name, address] of named) {
      const url = String(address);
      // Clients belong to the org, whichever server they use.
      const root = name === 'registration_endpoint' ? `${org.baseUrl}/oauth2` : server.issuer;
      expect(url.startsWith(`${root}/v1/`)).toBe(true);
      const method = name === 'jwks_uri' ? 'GET' : 'POST';
      const answer = await org.anonymous.send(method, url.slice(org.baseUrl.length));
      expect([name, answer.status === 404 || answer.status === 405]).toEqual([name, false]);
    }
  });

  test('lists the scopes that the server publishes, and no claim of its own', async () => {
    const { scopes_supported: scopes } = (await org.anonymous.get(pathOf(server.id))).body;
    const system = ['address', 'device_sso', 'email', 'offline_access', 'openid', 'phone', 'profile'];
    expect(scopes).toEqual([...system, 'shown']);
  });

  test('of the default server bears its name, by either', async () => {
    const { id } = await good(org.admin.get('/api/v1/authorizationServers/default'));
    const byName = (await org.anonymous.get(pathOf('default'))).body;
    expect(byName.issuer).toBe(`${org.baseUrl}/oauth2/default`);
    expect((await org.anonymous.get(pathOf(id))).body).toEqual(byName);
  });

  test('is not there of a server that is not active, not there, or of another org', async () => {
    const inactive = await newCustomServer(org);
    expect((await org.anonymous.get(pathOf(inactive.id))).status).toBe(200);
    await good(org.admin.post(`${inactive.path}/lifecycle/deactivate`));
    const foreign = await newCustomServer(await service.newOrg());
    for (const id of [inactive.id, foreign.id, 'ausnobody', 'v1']) {
      const { body, status } = await org.anonymous.get(pathOf(id));
      expect([status, body.errorCode]).toEqual([404, 'E0000007']);
      expect(body.errorSummary).toBe(`Not found: Resource not found: ${id} (AuthorizationServer)`);
    }
    expect((await org.anonymous.get(`/oauth2/${inactive.id}/v1/keys`)).status).toBe(404);
  });
});

test('a page in a browser of a trusted origin reads it', async () => {
  await org.admin.post('/api/v1/trustedOrigins', {
    body: { name: 'app', origin: 'https://app.example', scopes: [{ type: 'CORS' }] },
  });
  for (const path of [OPENID(server.id), OAUTH(server.id), `${server.oauth}/v1/keys`]) {
    const { headers } = await org.anonymous.get(path, { headers: { origin: 'https://app.example' } });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
  }
});
