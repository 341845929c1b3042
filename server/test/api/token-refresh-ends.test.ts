import { describe, expect, test } from 'vitest';
import { dropOldAuthorizationCodes, dropOldRefreshTokens } from '../../src/oauth/index.ts';
import { type CustomServer, newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, redeem, refresh, tokensOf, type UserApp } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });

const MINUTE = 60_000;

const newServer = () => newCustomServer(org, { grantTypes: ['authorization_code'] });

/** `use` redeems the current refresh token and returns the status. */
async function newFamily(server: CustomServer, own?: UserApp) {
  const app = own ?? (await newUserApp(org));
  const place = { path: `${server.oauth}/v1/token` };
  const scopes = ['openid', 'offline_access', 'orders.read'];
  const code = await newCode(service, org, app, { serverId: server.id, scopes });
  let { refresh_token: token } = (await redeem(org, app, code, {}, place)).body;
  const use = async (changes: Readonly<Record<string, string>> = {}): Promise<number> => {
    const { body, status } = await refresh(org, app, token, changes, place);
    token = body.refresh_token ?? token;
    return status;
  };
  return { app, use };
}

async function changeRule({ path, policyId, ruleId }: CustomServer, change: (rule: Record<string, never>) => object) {
  const at = `${path}/policies/${policyId}/rules/${ruleId}`;
  const { body } = await org.admin.get(at);
  const { status, text } = await org.admin.put(at, { body: change(body) });
  if (status !== 200) throw new Error(text);
}

const withTokens =
  (token: object) =>
  ({ actions, ...rule }: Record<string, never>) => ({ ...rule, actions: { ...Object(actions), token } });

describe('at a custom server a refresh token ends', () => {
  test('when it is not used for as long as the rule says, and when its lifetime is over', async () => {
    const server = await newServer();
    await changeRule(
      server,
      withTokens({
        accessTokenLifetimeMinutes: 10,
        refreshTokenWindowMinutes: 10,
        refreshTokenLifetimeMinutes: 25,
      }),
    );
    service.clock.advance(1_100);
    const used = await newFamily(server);
    const idle = await newFamily(server);
    for (let times = 0; times < 2; times += 1) {
      service.clock.advance(9 * MINUTE);
      expect(await used.use()).toBe(200);
    }
    expect(await idle.use()).toBe(400);
    service.clock.advance(8 * MINUTE);
    expect(await used.use()).toBe(400);
  });

  test('when its rule was shortened to less than its age, for good', async () => {
    const server = await newServer();
    const { use } = await newFamily(server);
    const lifetimes = { accessTokenLifetimeMinutes: 10, refreshTokenWindowMinutes: 60 };
    await changeRule(server, withTokens({ ...lifetimes, refreshTokenLifetimeMinutes: 25 }));
    service.clock.advance(26 * MINUTE);
    expect(await use()).toBe(400);
    await changeRule(server, withTokens({ ...lifetimes, refreshTokenLifetimeMinutes: 0 }));
    service.clock.advance(1_100);
    expect(await use()).toBe(400);
  });

  test('when the rule is not for its grant any more, and goes on when it is again', async () => {
    const server = await newServer();
    const { use } = await newFamily(server);
    const only = (grantType: string) =>
      changeRule(server, ({ conditions, ...rule }) => ({
        ...rule,
        conditions: { ...Object(conditions), grantTypes: { include: [grantType] } },
      }));
    await only('client_credentials');
    service.clock.advance(1_100);
    expect(await use()).toBe(401);
    await only('authorization_code');
    service.clock.advance(1_100);
    expect(await use()).toBe(200);
  });

  test.each<[string, (server: CustomServer, app: UserApp) => Promise<unknown>]>([
    ['its user is suspended', (_, { userId }) => org.admin.post(`/api/v1/users/${userId}/lifecycle/suspend`)],
    [
      'its user has to change the password',
      (_, { userId }) => org.admin.post(`/api/v1/users/${userId}/lifecycle/expire_password`),
    ],
    ['its user has lost the app', (_, { id, userId }) => org.admin.del(`/api/v1/apps/${id}/users/${userId}`)],
    [
      'its user’s tokens are cleared',
      (_, { userId }) => org.admin.del(`/api/v1/users/${userId}/sessions?oauthTokens=true`),
    ],
    ['its app is deactivated', (_, { id }) => org.admin.post(`/api/v1/apps/${id}/lifecycle/deactivate`)],
    ['its server is deactivated', ({ path }) => org.admin.post(`${path}/lifecycle/deactivate`)],
    [
      'its server was deactivated and is active again',
      async ({ path }) => {
        for (const operation of ['deactivate', 'activate']) await org.admin.post(`${path}/lifecycle/${operation}`);
      },
    ],
    [
      'a scope of it was deleted and made anew',
      async ({ path }) => {
        const { body } = await org.admin.get(`${path}/scopes`);
        const scope = body.find(({ name }: { name: string }) => name === 'orders.read');
        await org.admin.del(`${path}/scopes/${scope.id}`);
        await org.admin.post(`${path}/scopes`, { body: { name: 'orders.read' } });
      },
    ],
  ])('at once, when %s', async (_, change) => {
    const server = await newServer();
    const { app, use } = await newFamily(server);
    expect(await use()).toBe(200);
    await change(server, app);
    expect(await use()).toBeGreaterThanOrEqual(400);
  });

  test('as far as a scope is gone: the others can still be asked for', async () => {
    const server = await newServer();
    const { use } = await newFamily(server);
    const { body } = await org.admin.get(`${server.path}/scopes`);
    const scope = body.find(({ name }: { name: string }) => name === 'orders.read');
    await org.admin.del(`${server.path}/scopes/${scope.id}`);
    expect(await use()).toBe(400);
    expect(await use({ scope: 'openid offline_access' })).toBe(200);
  });
});

test('what is over is swept away, and a used code only an hour later', async () => {
  const app = await newUserApp(org);
  const code = await newCode(service, org, app);
  await redeem(org, app, code);
  const counts = async () => {
    const { rows } = await service.database.pool.query<{ codes: number; tokens: number }>(
      `select (select count(*)::int from authorization_codes where org_id = $1 and client_id = $2) as codes,
         (select count(*)::int from refresh_tokens where org_id = $1 and client_id = $2) as tokens`,
      [org.id, app.id],
    );
    return rows[0];
  };
  const { sweep } = service.application.housekeeping;
  service.clock.advance(30 * MINUTE);
  await sweep();
  expect(await counts()).toEqual({ codes: 1, tokens: 1 });
  service.clock.advance(32 * MINUTE);
  await sweep();
  expect(await counts()).toEqual({ codes: 0, tokens: 1 });
  service.clock.advance(8 * 24 * 60 * MINUTE);
  await sweep();
  expect(await counts()).toEqual({ codes: 0, tokens: 0 });
});

test('what is over is swept away in batches, until there is no more', async () => {
  const app = await newUserApp(org);
  for (let times = 0; times < 3; times += 1) await redeem(org, app, await newCode(service, org, app));
  service.clock.advance(8 * 24 * 60 * MINUTE);
  const { db } = service.application;
  for (const drop of [dropOldAuthorizationCodes, dropOldRefreshTokens]) {
    expect(await drop(db, service.clock.now(), 2)).toBe(true);
    while (await drop(db, service.clock.now(), 2));
    expect(await drop(db, service.clock.now(), 1)).toBe(false);
  }
});

test('a code and a refresh token carry more scopes than a parameter holds', async () => {
  const server = await newServer();
  const names = Array.from({ length: 12 }, (_, index) => `${'a-scope-with-a-long-name.'.repeat(4)}${index}`);
  for (const name of names) {
    const { status, text } = await org.admin.post(`${server.path}/scopes`, { body: { name } });
    expect(status, text).toBe(201);
  }
  service.clock.advance(1_100);
  const scopes = ['openid', 'offline_access', 'orders.read', ...names];
  expect(scopes.join(' ').length).toBeGreaterThan(1_024);
  const app = await newUserApp(org);
  const place = { path: `${server.oauth}/v1/token` };
  const code = await newCode(service, org, app, { serverId: server.id, scopes });
  const first = await redeem(org, app, code, {}, place);
  expect(first, first.text).toMatchObject({ status: 200, body: { scope: scopes.join(' ') } });
  const next = await refresh(org, app, first.body.refresh_token, {}, place);
  expect(next, next.text).toMatchObject({ status: 200, body: { scope: scopes.join(' ') } });
});

test('of one user, client and server the 100 youngest are kept', async () => {
  const app = await newUserApp(org);
  const other = await newUserApp(org);
  const [first, second, ofOther] = [
    await tokensOf(service, org, app),
    await tokensOf(service, org, app),
    await tokensOf(service, org, other),
  ];
  await service.database.pool.query(
    `insert into refresh_tokens (org_id, id, server_id, client_id, user_id, scopes, grant_type, auth_time, amr, details,
       created_at, last_updated_at, idle_expires_at)
     select t.org_id, 'oarMade' || i, t.server_id, t.client_id, t.user_id, t.scopes, t.grant_type, t.auth_time, t.amr,
       t.details, t.created_at, t.last_updated_at, t.idle_expires_at
     from (select * from refresh_tokens where org_id = $1 and client_id = $2 limit 1) t, generate_series(1, 98) i`,
    [org.id, app.id],
  );
  const count = async (): Promise<number> => {
    const text = 'select 1 from refresh_tokens where org_id = $1 and client_id = $2';
    return (await service.database.pool.query(text, [org.id, app.id])).rows.length;
  };
  expect(await count()).toBe(100);
  const last = await tokensOf(service, org, app);
  expect(await count()).toBe(100);
  const text = 'eventType eq "app.oauth2.token.revoke" and debugContext.debugData.reason eq "REFRESH_TOKEN_LIMIT"';
  expect(await org.systemLog(`${text} and target.id eq "${app.id}"`)).toMatchObject([
    { target: [{ id: app.id }, { type: 'refresh_token' }, { id: app.userId, type: 'User' }] },
  ]);
  expect((await refresh(org, app, first.refresh_token)).status).toBe(400);
  expect((await refresh(org, app, second.refresh_token)).status).toBe(200);
  expect((await refresh(org, app, last.refresh_token)).status).toBe(200);
  expect((await refresh(org, other, ofOther.refresh_token)).status).toBe(200);
});
