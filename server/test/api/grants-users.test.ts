import { beforeAll, describe, expect, test } from 'vitest';
import { newBrowser } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { allowAll, type ConsentWorld, newConsentWorld, newServer } from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { seedConsent, seedRefreshToken, storedTokens } from '../support/refresh-tokens.ts';
import { useService } from '../support/use-service.ts';

/** This file tests the routes for a user's grants, and for a user's grants to one client (contract section 7). */
const { service, org } = useService();
const world = beforeTests(() => newConsentWorld(service, org));

beforeAll(async () => {
  await allowAll(org, world);
});

const USERS = '/api/v1/users';
const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const grantsOf = (userId: string): string => `${USERS}/${userId}/grants`;

async function scopeOf({ server }: Pick<ConsentWorld, 'server'>, name: string) {
  const found = await good(org.admin.get(`${server.path}/scopes?q=${name}`));
  return found[0];
}

describe('a grant of a user', () => {
  test('has the shape of the contract, in the list, alone, and with its scope', async () => {
    const { app, browser, server } = world;
    const scope = await scopeOf(world, 'orders.read');
    const list = await good(org.admin.get(`${grantsOf(browser.userId)}?expand=scope`));
    const { _embedded, ...shown } = list.find((one: { scopeId: string }) => one.scopeId === scope.id);
    const address = `${org.baseUrl}${grantsOf(browser.userId)}/${shown.id}`;
    const scopeLink = { href: `${org.baseUrl}${server.path}/scopes/${scope.id}`, title: 'See your orders' };
    expect(shown).toEqual({
      id: expect.stringMatching(/^oag[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      createdBy: { id: browser.userId, type: 'User' },
      lastUpdated: shown.created,
      issuer: server.issuer,
      clientId: app.id,
      userId: browser.userId,
      scopeId: scope.id,
      source: 'END_USER',
      _links: {
        app: { href: `${org.baseUrl}/api/v1/apps/${app.id}`, title: app.label },
        scope: scopeLink,
        self: { href: address, hints: { allow: ['GET', 'DELETE'] } },
        client: { href: `${org.baseUrl}/oauth2/v1/clients/${app.id}`, title: app.label },
        user: { href: `${org.baseUrl}${USERS}/${browser.userId}`, title: 'Ada Lovelace' },
        authorizationServer: { href: `${org.baseUrl}${server.path}`, title: expect.stringMatching(/^Server \d+$/) },
      },
    });
    expect(_embedded).toEqual({
      scope: {
        id: scope.id,
        name: 'orders.read',
        displayName: 'See your orders',
        description: 'All of them, old ones too',
        _links: { scope: scopeLink },
      },
    });
    const single = `${grantsOf(browser.userId)}/${shown.id}`;
    expect(await good(org.admin.get(single))).toEqual(shown);
    expect(await good(org.admin.get(`${single}?expand=scope`))).toEqual({ ...shown, _embedded });
    const byClient = await good(org.admin.get(`${USERS}/${browser.userId}/clients/${app.id}/grants?expand=scope`));
    expect(byClient).toEqual(list);
  });

  test('is found by scope and by client, by login too', async () => {
    const { app, browser } = world;
    const scope = await scopeOf(world, 'orders.write');
    const found = await good(org.admin.get(`${grantsOf(browser.login)}?scopeId=${scope.id}`));
    expect(found.map((one: { scopeId: string }) => one.scopeId)).toEqual([scope.id]);
    expect(await good(org.admin.get(`${grantsOf(browser.userId)}?scopeId=scpunknown`))).toEqual([]);
    const other = await newConsentWorld(service, org);
    const none = `${USERS}/${browser.userId}/clients/${other.app.id}/grants`;
    expect(await good(org.admin.get(none))).toEqual([]);
    expect(await good(org.admin.get(`${USERS}/${browser.userId}/clients`))).toEqual([
      {
        client_id: app.id,
        client_name: app.label,
        client_uri: null,
        logo_uri: null,
        _links: {
          grants: { href: `${org.baseUrl}${USERS}/${browser.userId}/clients/${app.id}/grants` },
          tokens: { href: `${org.baseUrl}${USERS}/${browser.userId}/clients/${app.id}/tokens` },
        },
      },
    ]);
  });

  test('is paged', async () => {
    const own = await newConsentWorld(service, org);
    const { userId } = own.browser;
    const names = Array.from({ length: 7 }, (_, index) => `orders.${index}`);
    const server = await newServer(org, Object.fromEntries(names.map((name) => [name, { consent: 'REQUIRED' }])));
    for (const name of names) {
      const scope = await scopeOf({ server }, name);
      await seedConsent(service, org, { userId, clientId: own.app.id, serverId: server.id, scopeId: scope.id });
    }
    const all = (await good(org.admin.get(grantsOf(userId)))).map(({ id }: { id: string }) => id);
    expect(all).toHaveLength(7);
    const seen: string[] = [];
    for (let path: string | undefined = `${grantsOf(userId)}?limit=3`; path !== undefined; ) {
      const { body, headers } = await org.admin.get(path);
      seen.push(...body.map(({ id }: { id: string }) => id));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
      path = next?.slice(org.baseUrl.length);
    }
    expect(seen).toEqual(all);
    for (const limit of ['0', '-1', 'x']) {
      expect((await org.admin.get(`${grantsOf(userId)}?limit=${limit}`)).status).toBe(400);
    }
  });

  test('is a 404 for whoever and whatever is unknown or of another org', async () => {
    const other = await service.newOrg();
    const { app, browser } = world;
    const [{ id }] = await good(org.admin.get(grantsOf(browser.userId)));
    const second = await newBrowser(service, org, app);
    for (const path of [
      grantsOf('00u00000000000000000'),
      `${grantsOf(second.userId)}/${id}`,
      `${grantsOf(browser.userId)}/oag00000000000000000`,
      `${USERS}/${browser.userId}/clients/0oa00000000000000000/grants`,
    ]) {
      expect(await org.admin.get(path)).toMatchObject(NOT_FOUND);
      expect(await org.admin.del(path)).toMatchObject(NOT_FOUND);
    }
    for (const path of [grantsOf(browser.userId), `${grantsOf(browser.userId)}/${id}`]) {
      expect(await other.admin.get(path)).toMatchObject(NOT_FOUND);
      expect(await other.admin.del(path)).toMatchObject(NOT_FOUND);
    }
    expect(await good(org.admin.get(grantsOf(browser.userId)))).toHaveLength(2);
  });
});

describe('who may', () => {
  test('see them: the user, and who reads users', async () => {
    const { browser } = world;
    const session = org.client({ cookie: browser.cookie });
    expect(await good(session.get(grantsOf('me')))).toHaveLength(2);
    for (const role of ['READ_ONLY_ADMIN', 'HELP_DESK_ADMIN', 'USER_ADMIN']) {
      const reader = await org.withRoles(role);
      expect(await good(reader.get(grantsOf(browser.userId)))).toHaveLength(2);
    }
    expect(await (await org.withRoles()).get(grantsOf(browser.userId))).toMatchObject(FORBIDDEN);
  });

  test('take them back: who manages users, but nobody from a greater administrator', async () => {
    for (const role of ['READ_ONLY_ADMIN', 'HELP_DESK_ADMIN', 'API_ACCESS_MANAGEMENT_ADMIN']) {
      expect(await (await org.withRoles(role)).del(grantsOf(world.browser.userId))).toMatchObject(FORBIDDEN);
    }
    const manager = await org.withRoles('USER_ADMIN');
    expect(await manager.del(grantsOf(org.adminUserId))).toMatchObject(FORBIDDEN);
    expect((await manager.del(grantsOf((await org.withRoles()).userId))).status).toBe(204);
  });
});

describe('a grant that is taken back', () => {
  test('is gone with its refresh tokens, and nobody else loses anything', async () => {
    const own = await newConsentWorld(service, org);
    const { app, browser, server } = own;
    await allowAll(org, own);
    const { userId } = browser;
    const token = (scopes: readonly string[], more = {}) =>
      seedRefreshToken(service, org, { userId, clientId: app.id, serverId: server.id, scopes, ...more });
    const ended = await token(['openid', 'orders.read', 'offline_access']);
    const second = await newBrowser(service, org, app);
    const kept = [
      await token(['openid', 'orders.write', 'offline_access']),
      await token(['openid', 'orders.read', 'offline_access'], { serverId: '' }),
      await token(['openid', 'orders.read', 'offline_access'], { userId: second.userId }),
    ];
    const scope = await scopeOf(own, 'orders.read');
    const grants = await good(org.admin.get(grantsOf(userId)));
    const { id } = grants.find((one: { scopeId: string }) => one.scopeId === scope.id);
    expect((await org.admin.del(`${grantsOf(userId)}/${id}`)).status).toBe(204);
    const left = await storedTokens(service, org);
    expect([left.includes(ended), kept.every((one) => left.includes(one))]).toEqual([false, true]);
    expect(await good(org.admin.get(grantsOf(userId)))).toHaveLength(1);
    for (const method of ['GET', 'DELETE']) {
      expect(await org.admin.send(method, `${grantsOf(userId)}/${id}`)).toMatchObject(NOT_FOUND);
    }
    const events = await org.systemLog(
      `target.id eq "${userId}" and eventType sw "app.oauth2.as" and actor.type eq "User"
      and actor.id eq "${org.adminUserId}"`.replaceAll(/\s+/g, ' '),
    );
    expect(events).toMatchObject([
      {
        eventType: 'app.oauth2.as.consent.revoke',
        target: [
          { id: app.id },
          { id: userId },
          { id: server.id, type: 'AuthorizationServer' },
          { id: scope.id, type: 'Scope', displayName: 'orders.read' },
        ],
      },
      {
        eventType: 'app.oauth2.as.token.revoke',
        target: [{ id: app.id }, { id: ended, type: 'refresh_token' }, { id: userId }, { id: server.id }],
      },
    ]);
  });

  test.each([
    ['all of a user', (userId: string) => grantsOf(userId)],
    ['all of a client', (userId: string, clientId: string) => `${USERS}/${userId}/clients/${clientId}/grants`],
  ])('%s, at once, and once more without an event', async (_, pathOf) => {
    const own = await newConsentWorld(service, org);
    await allowAll(org, own);
    const { userId } = own.browser;
    const path = pathOf(userId, own.app.id);
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.del(path)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await good(org.admin.get(grantsOf(userId)))).toEqual([]);
    const filter = `eventType eq "app.oauth2.as.consent.revoke" and target.id eq "${userId}"`;
    expect(await org.systemLog(filter)).toHaveLength(1);
  });

  test('only as it was seen, where the client says so', async () => {
    const own = await newConsentWorld(service, org);
    await allowAll(org, own);
    const [{ id }] = await good(org.admin.get(grantsOf(own.browser.userId)));
    const path = `${grantsOf(own.browser.userId)}/${id}`;
    const stale = { headers: { 'if-match': `W/"${'0'.repeat(64)}"` } };
    expect(await org.admin.del(path, stale)).toMatchObject({ status: 412, body: { errorCode: 'E0000231' } });
    const { headers } = await org.admin.get(path);
    expect((await org.admin.del(path, { headers: { 'if-match': String(headers['etag']) } })).status).toBe(204);
  });
});
