import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiToken } from '../../src/management/api-tokens/index.ts';
import type { TestClient } from '../support/client.ts';
import { operatorContext } from '../support/org-settings.ts';
import { exchange, requestText } from '../support/raw-connection.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** This file tests authentication by API tokens (specification 5.1; attack 98 in docs/security-rows.md). */
const { service, org } = useService({ isShared: false });

const DAY_MILLISECONDS = 86_400_000;

async function newToken(of: TestOrg, at = service): Promise<{ id: string; value: string; client: TestClient }> {
  const input = { userId: of.adminUserId, name: 'auth' };
  const { id, value } = await createApiToken(at.application, operatorContext(at, of), input);
  return { id, value, client: of.client({ authorization: `SSWS ${value}` }) };
}

const REFUSED = { status: 401, body: { errorCode: 'E0000011', errorSummary: 'Invalid token provided' } };

describe('time', () => {
  let aging: TestService;
  beforeEach(async () => {
    aging = await startTestService();
  });
  afterEach(() => aging.close());

  /**
   * Connects before the test advances the service's clock. The service dates its certificate by that clock when the
   * first client connects, but the client checks it against the system's clock.
   */
  async function connectedToken(): Promise<{ id: string; client: TestClient }> {
    const { client, id } = await newToken(aging.org, aging);
    expect((await client.get('/.well-known/svc-organization')).status).toBe(200);
    return { client, id };
  }

  test('a token that nobody uses has expired after 30 days, and is not to be seen then', async () => {
    const { client, id } = await connectedToken();
    aging.clock.advance(30 * DAY_MILLISECONDS + 1_000);
    expect(await client.get('/api/v1/org')).toMatchObject(REFUSED);
    const fresh = { headers: { authorization: `SSWS ${(await newToken(aging.org, aging)).value}` } };
    expect(await client.get(`/api/v1/api-tokens/${id}`, fresh)).toMatchObject({ status: 404 });
    const { body } = await client.get('/api/v1/api-tokens', fresh);
    expect(body.map((token: { id: string }) => token.id)).not.toContain(id);
  });

  test('used on day 20 it holds until day 50', async () => {
    const { client } = await connectedToken();
    aging.clock.advance(20 * DAY_MILLISECONDS);
    expect((await client.get('/api/v1/org')).status).toBe(200);
    aging.clock.advance(29 * DAY_MILLISECONDS);
    expect((await client.get('/api/v1/org')).status).toBe(200);
    aging.clock.advance(31 * DAY_MILLISECONDS);
    expect(await client.get('/api/v1/org')).toMatchObject(REFUSED);
  });

  test('a use that was refused does not make it live longer', async () => {
    const { client } = await connectedToken();
    aging.clock.advance(31 * DAY_MILLISECONDS);
    for (let tries = 0; tries < 3; tries += 1) expect((await client.get('/api/v1/org')).status).toBe(401);
  });
});

describe('the owner', () => {
  const after = async (change: Promise<{ status: number }>): Promise<void> => {
    expect((await change).status).toBeLessThan(300);
    service.clock.advance(1_000);
  };

  test('who is suspended or deactivated has no tokens that hold, within a second', async () => {
    for (const action of ['suspend', 'deactivate']) {
      const own = await service.newOrg();
      const client = await own.withRoles('ORG_ADMIN');
      expect((await client.get('/api/v1/org')).status).toBe(200);
      await after(own.admin.post(`/api/v1/users/${client.userId}/lifecycle/${action}`));
      expect(await client.get('/api/v1/org')).toMatchObject(REFUSED);
    }
  });

  test('who loses a role loses its rights, and the token goes on with what is left', async () => {
    const own = await service.newOrg();
    const client = await own.withRoles('ORG_ADMIN', 'HELP_DESK_ADMIN');
    expect((await client.get('/api/v1/org')).status).toBe(200);
    const roles = `/api/v1/users/${client.userId}/roles`;
    const { body } = await own.admin.get(roles);
    const { id } = body.find(({ type }: { type: string }) => type === 'ORG_ADMIN');
    await after(own.admin.del(`${roles}/${id}`));
    expect(await client.get('/api/v1/org')).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect((await client.get('/api/v1/users')).status).toBe(200);
  });

  test('who is deleted takes the tokens along', async () => {
    const own = await service.newOrg();
    const client = await own.withRoles('ORG_ADMIN');
    await own.admin.del(`/api/v1/users/${client.userId}`);
    await after(own.admin.del(`/api/v1/users/${client.userId}`));
    expect(await client.get('/api/v1/org')).toMatchObject(REFUSED);
  });

  test('another process follows within the second too', async () => {
    const second = await startTestService({ database: service.database });
    try {
      const own = await service.newOrg();
      second.clock.advance(service.clock.now().getTime() - second.clock.now().getTime());
      const { value, id } = await newToken(own);
      const there = second.org.client({ authorization: `SSWS ${value}` }, own.hostname);
      expect((await there.get('/api/v1/org')).status).toBe(200);
      expect((await own.admin.del(`/api/v1/api-tokens/${id}`)).status).toBe(204);
      second.clock.advance(1_000);
      expect(await there.get('/api/v1/org')).toMatchObject(REFUSED);
    } finally {
      await second.close();
    }
  });
});

describe('what is no credential', () => {
  test('a revoked token, at once', async () => {
    const { client, id } = await newToken(org);
    expect((await client.get('/api/v1/org')).status).toBe(200);
    await org.admin.del(`/api/v1/api-tokens/${id}`);
    expect(await client.get('/api/v1/org')).toMatchObject(REFUSED);
  });

  test("another org's token, answered as one that never was", async () => {
    const other = await service.newOrg();
    const foreign = await org.client({ authorization: `SSWS ${other.adminToken}` }).get('/api/v1/org');
    const unknown = await org.client({ authorization: `SSWS 00${'x'.repeat(40)}` }).get('/api/v1/org');
    expect(foreign).toMatchObject(REFUSED);
    expect({ ...foreign.body, errorId: '' }).toEqual({ ...unknown.body, errorId: '' });
    expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
  });

  test.each(['token', 'access_token', 'SSWS', 'authorization', 'apiToken'])(
    'a token in the query as %s',
    async (name) => {
      const path = `/api/v1/org?${name}=${encodeURIComponent(`SSWS ${org.adminToken}`)}`;
      expect(await org.anonymous.get(path)).toMatchObject({ status: 401, body: { errorCode: 'E0000004' } });
      expect(await org.anonymous.get(`/api/v1/org?${name}=${org.adminToken}`)).toMatchObject({ status: 401 });
    },
  );

  test('a token in a body, a cookie or another header', async () => {
    const headers = {
      cookie: `sid=${org.adminToken}; SSWS=${org.adminToken}`,
      'x-api-key': org.adminToken,
      'proxy-authorization': `SSWS ${org.adminToken}`,
      'x-authorization': `SSWS ${org.adminToken}`,
    };
    const body = { authorization: `SSWS ${org.adminToken}`, companyName: 'Mine now' };
    expect(await org.client(headers).post('/api/v1/org', { body })).toMatchObject({ status: 401 });
  });

  test.each(['ssws', 'Ssws', 'sSwS'])('but %s is the scheme, in any case', async (scheme) => {
    expect((await org.client({ authorization: `${scheme} ${org.adminToken}` }).get('/api/v1/org')).status).toBe(200);
  });

  test.each<[string, (token: string) => string]>([
    ['nothing', () => ''],
    ['the scheme alone', () => 'SSWS'],
    ['no scheme', (token) => token],
    ['a comma', (token) => `SSWS,${token}`],
    ['Bearer', (token) => `Bearer ${token}`],
    ['Basic', (token) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`],
    ['DPoP', (token) => `DPoP ${token}`],
    ['two tokens', (token) => `SSWS ${token} ${token}`],
    ['a list', (token) => `SSWS ${token}, SSWS ${token}`],
    ['quotes', (token) => `SSWS "${token}"`],
    ['a longer one', (token) => `SSWS ${token}a`],
    ['a shorter one', (token) => `SSWS ${token.slice(0, -1)}`],
    ['another case', (token) => `SSWS ${token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase()}`],
    ['its hash', (token) => `SSWS ${createHash('sha256').update(token).digest('hex')}`],
    ['a wildcard', () => 'SSWS 00%'],
    ['SQL', () => "SSWS 00' or '1'='1"],
    ['10,000 characters', () => `SSWS 00${'a'.repeat(10_000)}`],
    ['null', () => 'SSWS null'],
    ['undefined', () => 'Bearer undefined'],
  ])('%s is 401 with the error object and a challenge', async (_name, make) => {
    const response = await org.client({ authorization: make(org.adminToken) }).get('/api/v1/org');
    expect(response).toMatchObject({ status: 401, body: { errorCode: expect.stringMatching(/^E00000(04|11)$/) } });
    const tried = /^(Bearer|DPoP)/.exec(make(org.adminToken))?.[1] ?? 'SSWS';
    expect(response.headers['www-authenticate']).toMatch(new RegExp(`^${tried} `));
  });

  test('of two Authorization headers the second never wins', async () => {
    const lines = [
      `Authorization: SSWS 00${'x'.repeat(40)}`,
      `Authorization: SSWS ${org.adminToken}`,
      'Connection: close',
    ];
    const [answer] = await exchange(service, org, requestText(org, 'GET /api/v1/org', lines));
    expect(answer?.status).toBe(401);
  });

  test('refusals become one event a minute for each client, without the credential', async () => {
    const own = await service.newOrg();
    const secret = `00${'q'.repeat(40)}`;
    for (let tries = 0; tries < 5; tries += 1) await own.client({ authorization: `SSWS ${secret}` }).get('/api/v1/org');
    await service.application.edgeEvents.flush(true);
    const events = await own.systemLog('eventType eq "security.credential.refuse"');
    const counts = events.map(({ debugContext }) => Number(debugContext.debugData.count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(counts.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(events)).not.toContain('qqqq');
  });
});

test('a token is looked up by its hash, within its org, and stored nowhere', async () => {
  const { value, id } = await newToken(org);
  const hash = createHash('sha256').update(value).digest();
  const { rows } = await service.database.pool.query(
    'select id from api_tokens where org_id = $1 and token_hash = $2',
    [org.id, hash],
  );
  expect(rows).toEqual([{ id }]);
  const { rows: tables } = await service.database.pool.query<{ found: boolean }>(
    `select exists (select 1 from api_tokens t where t::text like '%' || $1 || '%')
       or exists (select 1 from log_unsealed e where e::text like '%' || $1 || '%')
       or exists (select 1 from log_inputs i where i::text like '%' || $1 || '%')
       or exists (select 1 from log_outbox o where o::text like '%' || $1 || '%') as found`,
    [value],
  );
  expect(tables).toEqual([{ found: false }]);
});
