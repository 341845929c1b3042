import { describe, expect, test } from 'vitest';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { createApiToken, revokeTokensNamed } from '../../src/management/api-tokens/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const url = '/api/v1/api-tokens';
const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;

const contextOf = (of: TestOrg) =>
  systemContext({ orgId: of.id, namespace: namespaceOf('svc'), name: 'test', now: service.clock.now() });

const newToken = (of: TestOrg, userId = of.adminUserId, name = 'Reporting') =>
  createApiToken(service.application, contextOf(of), { userId, name });

const bearing = (of: TestOrg, value: string) => of.client({ authorization: `SSWS ${value}` });

const storedUse = async (tokenId: string): Promise<Date | undefined> => {
  const { rows } = await service.application.pool.query<{ used: Date }>(
    'select last_used_at as used from api_tokens where id = $1',
    [tokenId],
  );
  return rows[0]?.used;
};

describe('create', () => {
  test('shows the value once and stores its hash alone', async () => {
    const { id, value } = await newToken(org);
    expect(value).toMatch(/^00[A-Za-z0-9_-]{40}$/);
    const { rows } = await service.application.pool.query<{ row: string }>(
      'select t::text as row from api_tokens t where id = $1',
      [id],
    );
    expect(rows[0]?.row).not.toContain(value);
    expect((await org.admin.get(`${url}/${id}`)).text).not.toContain(value);
  });

  test('is in the log', async () => {
    const own = await service.newOrg();
    const { id } = await newToken(own);
    expect(await own.systemLog('eventType eq "system.api_token.create"')).toMatchObject([
      {},
      { target: [{ id, type: 'Token', displayName: 'Reporting' }] },
    ]);
  });

  test('refuses an unknown user, a blank name and a user who could not use it', async () => {
    await expect(newToken(org, '00unobody')).rejects.toMatchObject({ code: 'E0000007' });
    await expect(newToken(org, org.adminUserId, ' ')).rejects.toMatchObject({ code: 'E0000001' });
    const user = await org.createUser({ query: '?activate=false' });
    await expect(newToken(org, user.id)).rejects.toMatchObject({ code: 'E0000001' });
  });

  test('there is no operation for it', async () => {
    expect(await org.admin.post(url, { body: { name: 'x' } })).toMatchObject({ status: 405 });
  });
});

describe('read and update', () => {
  test('shows what the contract shows', async () => {
    const { id } = await newToken(org);
    const { body, status } = await org.admin.get(`${url}/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      name: 'Reporting',
      userId: org.adminUserId,
      clientName: 'Svc API',
      tokenWindow: 'P30D',
      network: { connection: 'ANYWHERE' },
      _links: { self: { href: `${org.baseUrl}${url}/${id}` } },
    });
    expect(Date.parse(body.expiresAt) - Date.parse(body.created)).toBe(30 * DAY_MILLISECONDS);
  });

  test('lists by id, in pages', async () => {
    const own = await service.newOrg();
    for (const name of ['one', 'two', 'three']) await newToken(own, own.adminUserId, name);
    const first = await own.admin.get(`${url}?limit=2`);
    const next = /<([^>]+)>; rel="next"/.exec([first.headers['link']].flat().join(', '))?.[1] ?? '';
    const second = await own.admin.get(next.slice(own.baseUrl.length));
    const ids: string[] = [...first.body, ...second.body].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(4);
    expect([second.headers['link']].flat().join()).not.toContain('rel="next"');
  });

  test('PUT changes the name, and nothing else of it', async () => {
    const own = await service.newOrg();
    const { id } = await newToken(own);
    const body = { name: 'Renamed', userId: '00uother', clientName: 'x', network: { connection: 'ANYWHERE' } };
    expect(await own.admin.put(`${url}/${id}`, { body })).toMatchObject({
      status: 200,
      body: { id, name: 'Renamed', userId: own.adminUserId, clientName: 'Svc API' },
    });
    expect(await own.admin.put(`${url}/${id}`, { body })).toMatchObject({ status: 200 });
    expect(await own.systemLog('eventType eq "system.api_token.update"')).toHaveLength(1);
  });

  test.each([
    { name: '' },
    { network: { connection: 'ZONE', include: ['nzo1'] } },
    { network: { connection: 'ANYWHERE', exclude: ['nzo1'] } },
  ])('PUT refuses %j', async (body) => {
    const { id } = await newToken(org);
    expect(await org.admin.put(`${url}/${id}`, { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test("another org's answers as an unknown one", async () => {
    const { id } = await newToken(await service.newOrg());
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const options = method === 'PUT' ? { body: { name: 'x' } } : {};
      expect(await org.admin.send(method, `${url}/${id}`, options)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007' },
      });
    }
  });
});

describe('revoke', () => {
  test('a revoked token is refused at once, and the log says so', async () => {
    const own = await service.newOrg();
    const { id, value } = await newToken(own);
    const client = bearing(own, value);
    expect(await client.get('/api/v1/org')).toMatchObject({ status: 200 });
    expect(await own.admin.del(`${url}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await client.get('/api/v1/org')).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    expect(await own.admin.del(`${url}/${id}`)).toMatchObject({ status: 404 });
    expect(await own.systemLog('eventType eq "system.api_token.revoke"')).toMatchObject([{ target: [{ id }] }]);
  });

  test('everyone may revoke the current token, without any role', async () => {
    const client = await org.withRoles();
    expect(await client.del(`${url}/current`)).toMatchObject({ status: 204 });
    expect(await client.del(`${url}/current`)).toMatchObject({ status: 401 });
  });

  test('nobody revokes or renames the token of one who holds more', async () => {
    const { id } = await newToken(org);
    const client = await org.withRoles('ORG_ADMIN');
    expect(await client.del(`${url}/${id}`)).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect(await client.put(`${url}/${id}`, { body: { name: 'x' } })).toMatchObject({ status: 403 });
    expect(await org.admin.get(`${url}/${id}`)).toMatchObject({ status: 200, body: { name: 'Reporting' } });
  });

  test('who only reads revokes nothing', async () => {
    const { id } = await newToken(org);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(`${url}/${id}`)).toMatchObject({ status: 200 });
    expect(await reader.del(`${url}/${id}`)).toMatchObject({ status: 403 });
  });

  test('those of a name are revoked together', async () => {
    const own = await service.newOrg();
    const tokens = [await newToken(own, own.adminUserId, 'twin'), await newToken(own, own.adminUserId, 'twin')];
    await revokeTokensNamed(service.application, contextOf(own), 'twin');
    for (const { id } of tokens) expect(await own.admin.get(`${url}/${id}`)).toMatchObject({ status: 404 });
    expect(await own.admin.get(url)).toMatchObject({ status: 200, body: [{ name: 'test' }] });
  });
});

describe('authentication', () => {
  test('a token holds in its own org only', async () => {
    const other = await service.newOrg();
    expect(await bearing(other, org.adminToken).get('/api/v1/org')).toMatchObject({ status: 401 });
  });

  test('the scheme is read in any case; a token in the query never is', async () => {
    expect(await org.client({ authorization: `ssws ${org.adminToken}` }).get('/api/v1/org')).toMatchObject({
      status: 200,
    });
    const { adminToken } = org;
    for (const query of [`token=${adminToken}`, `access_token=${adminToken}`, `SSWS=${adminToken}`]) {
      expect(await org.anonymous.get(`/api/v1/org?${query}`)).toMatchObject({ status: 401 });
    }
  });

  test('has the roles of its owner now, a second later at most', async () => {
    const own = await service.newOrg();
    const client = await own.withRoles('READ_ONLY_ADMIN');
    expect(await client.get(url)).toMatchObject({ status: 200 });
    const roles = `/api/v1/users/${client.userId}/roles`;
    const [{ id }] = (await own.admin.get(roles)).body;
    await own.admin.del(`${roles}/${id}`);
    service.clock.advance(1_000);
    expect(await client.get(url)).toMatchObject({ status: 403 });
    await own.admin.post(roles, { body: { type: 'ORG_ADMIN' } });
    service.clock.advance(1_000);
    expect(await client.get(url)).toMatchObject({ status: 200 });
  });

  test('falls silent with a suspended owner and comes back; with a deactivated one it is gone for good', async () => {
    const own = await service.newOrg();
    const client = await own.withRoles('READ_ONLY_ADMIN');
    const lifecycle = `/api/v1/users/${client.userId}/lifecycle`;
    const after = async (action: string) => {
      expect(await own.admin.post(`${lifecycle}/${action}`)).toMatchObject({ status: 200 });
      service.clock.advance(1_000);
      return (await client.get(url)).status;
    };
    expect(await after('suspend')).toBe(401);
    expect(await after('unsuspend')).toBe(200);
    expect(await after('deactivate')).toBe(401);
    expect(await after('activate?sendEmail=false')).toBe(401);
    expect(await own.systemLog('eventType eq "system.api_token.revoke"')).toMatchObject([
      { target: [{ alternateId: client.userId }] },
    ]);
  });

  test('the window slides with use, and is written at most once in ten minutes', async () => {
    const own = await service.newOrg();
    const { id, value } = await newToken(own);
    const client = bearing(own, value);
    const made = await storedUse(id);
    const use = async (pastMilliseconds: number) => {
      service.clock.advance(pastMilliseconds);
      const { status } = await client.get('/api/v1/org');
      await service.application.housekeeping.stop();
      return status;
    };
    expect(await use(60_000)).toBe(200);
    expect(await storedUse(id)).toEqual(made);
    expect(await use(29 * DAY_MILLISECONDS)).toBe(200);
    const used = await storedUse(id);
    expect(used?.getTime()).toBeGreaterThan(made?.getTime() ?? 0);
    expect(await use(29 * DAY_MILLISECONDS)).toBe(200);
    expect(await use(30 * DAY_MILLISECONDS)).toBe(401);
  });
});
