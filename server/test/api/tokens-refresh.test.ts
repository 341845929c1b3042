import { describe, expect, test } from 'vitest';
import { newBrowser } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { type ConsentWorld, newConsentWorld } from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { seedRefreshToken, storedTokens } from '../support/refresh-tokens.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests the routes that show and revoke refresh tokens by app, by user and client, and by server and client
 * (contract section 7).
 */
const { service, org } = useService({ isShared: false });
const world = beforeTests(() => newConsentWorld(service, org));

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

interface Family {
  readonly name: string;
  readonly path: (of: ConsentWorld) => string;
  readonly reader: string;
  readonly manager: string;
}
const FAMILIES: readonly Family[] = [
  {
    name: 'an app',
    path: ({ app }) => `/api/v1/apps/${app.id}/tokens`,
    reader: 'MOBILE_ADMIN',
    manager: 'APP_ADMIN',
  },
  {
    name: 'a user and client',
    path: ({ app, browser }) => `/api/v1/users/${browser.userId}/clients/${app.id}/tokens`,
    reader: 'HELP_DESK_ADMIN',
    manager: 'USER_ADMIN',
  },
  {
    name: 'a server and client',
    path: ({ app, server }) => `${server.path}/clients/${app.id}/tokens`,
    reader: 'READ_ONLY_ADMIN',
    manager: 'API_ACCESS_MANAGEMENT_ADMIN',
  },
];
const each = FAMILIES.map((family) => [family.name, family] as const);

const seed = (of: ConsentWorld, more = {}): Promise<string> =>
  seedRefreshToken(service, org, {
    userId: of.browser.userId,
    clientId: of.app.id,
    serverId: of.server.id,
    scopes: ['openid', 'orders.read', 'offline_access'],
    ...more,
  });
const idsOf = (tokens: readonly { id: string }[]): readonly string[] => tokens.map(({ id }) => id);

describe.each(each)('refresh tokens of %s', (_, { manager, path: pathOf, reader }) => {
  test('have the shape of the contract, in the list, alone, and with their scopes', async () => {
    const { app, browser, server } = world;
    const id = await seed(world);
    const path = pathOf(world);
    const shown = await good(org.admin.get(`${path}/${id}`));
    const address = `${org.baseUrl}${path}/${id}`;
    expect(shown).toEqual({
      id,
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      lastUpdated: shown.created,
      expiresAt: new Date(Date.parse(shown.created) + 3_600_000).toISOString(),
      issuer: server.issuer,
      clientId: app.id,
      userId: browser.userId,
      scopes: ['openid', 'orders.read', 'offline_access'],
      _links: {
        app: { href: `${org.baseUrl}/api/v1/apps/${app.id}`, title: app.label },
        self: { href: address },
        revoke: { href: address, hints: { allow: ['DELETE'] } },
        client: { href: `${org.baseUrl}/oauth2/v1/clients/${app.id}`, title: app.label },
        user: { href: `${org.baseUrl}/api/v1/users/${browser.userId}`, title: 'Ada Lovelace' },
        authorizationServer: { href: `${org.baseUrl}${server.path}`, title: expect.any(String) },
      },
    });
    expect(await good(org.admin.get(path))).toContainEqual(shown);
    const { _embedded, ...rest } = await good(org.admin.get(`${path}/${id}?expand=scope`));
    expect(rest).toEqual(shown);
    expect(_embedded.scopes.map((scope: { name: string }) => scope.name)).toEqual(shown.scopes);
    expect(await good(org.admin.get(`${path}?expand=scope`))).toContainEqual({ ...shown, _embedded });
    expect(await good(org.admin.get(`${path}?expand=user`))).toContainEqual(shown);
  });

  test('are paged, and those that are over are not shown', async () => {
    const own = await newConsentWorld(service, org);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await seed(own));
    const short = await seed(own, { idleMinutes: 1 });
    service.clock.advance(61_000);
    const first = await org.admin.get(`${pathOf(own)}?limit=3`);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? '';
    const second = await org.admin.get(next.slice(org.baseUrl.length));
    expect([...idsOf(first.body), ...idsOf(second.body)]).toEqual(ids.toSorted());
    expect(String(second.headers['link'])).not.toContain('rel="next"');
    expect(await org.admin.get(`${pathOf(own)}/${short}`)).toMatchObject(NOT_FOUND);
  });

  test('are ended one by one and all at once, with an event', async () => {
    const own = await newConsentWorld(service, org);
    const other = await newConsentWorld(service, org);
    const [one, two, three, foreign] = [await seed(own), await seed(own), await seed(own), await seed(other)];
    const path = pathOf(own);
    expect(await org.admin.del(`${path}/${foreign}`)).toMatchObject(NOT_FOUND);
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.del(`${path}/${one}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
    expect(await org.admin.get(`${path}/${one}`)).toMatchObject(NOT_FOUND);
    expect(idsOf(await good(org.admin.get(path)))).toEqual([two, three].toSorted());
    for (const turn of [1, 2]) expect([turn, (await org.admin.del(path)).status]).toEqual([turn, 204]);
    const left = await storedTokens(service, org);
    expect([two, three, foreign].map((id) => left.includes(id))).toEqual([false, false, true]);
    const events = await org.systemLog(`target.id eq "${own.app.id}" and eventType co "token.revoke"`);
    expect(events).toMatchObject([
      {
        eventType: 'app.oauth2.as.token.revoke',
        target: [
          { id: own.app.id },
          { id: one, type: 'refresh_token' },
          { id: own.browser.userId },
          { id: own.server.id },
        ],
      },
      {
        eventType: 'app.oauth2.token.revoke.implicit.client',
        debugContext: { debugData: { revokedTokens: '2' } },
      },
    ]);
  });

  test('are for those whose role it is', async () => {
    const own = await newConsentWorld(service, org);
    const id = await seed(own);
    const path = pathOf(own);
    const [nobody, seeing, managing] = [
      await org.withRoles(),
      await org.withRoles(reader),
      await org.withRoles(manager),
    ];
    for (const client of [nobody, seeing]) {
      expect(await client.del(`${path}/${id}`)).toMatchObject(FORBIDDEN);
      expect(await client.del(path)).toMatchObject(FORBIDDEN);
    }
    expect(await nobody.get(path)).toMatchObject(FORBIDDEN);
    expect(idsOf(await good(seeing.get(path)))).toEqual([id]);
    expect((await managing.del(`${path}/${id}`)).status).toBe(204);
  });

  test('are a 404 for another org, and where something is unknown', async () => {
    const other = await service.newOrg();
    const id = await seed(world);
    const path = pathOf(world);
    for (const method of ['GET', 'DELETE']) {
      expect(await other.admin.send(method, path)).toMatchObject(NOT_FOUND);
      expect(await other.admin.send(method, `${path}/${id}`)).toMatchObject(NOT_FOUND);
      expect(await org.admin.send(method, `${path}/oar00000000000000000`)).toMatchObject(NOT_FOUND);
      const unknown = path.replace(world.app.id, '0oa00000000000000000');
      expect(await org.admin.send(method, unknown)).toMatchObject(NOT_FOUND);
    }
    expect(await storedTokens(service, org)).toContain(id);
  });
});

describe('refresh tokens', () => {
  test('of the own server have its issuer, no link to it, and scopes by name', async () => {
    const own = await newConsentWorld(service, org);
    const id = await seed(own, { serverId: '', scopes: ['openid', 'offline_access'] });
    const path = `/api/v1/apps/${own.app.id}/tokens/${id}`;
    const shown = await good(org.admin.get(`${path}?expand=scope`));
    expect(shown.issuer).toBe(org.baseUrl);
    expect(shown._links.authorizationServer).toBeUndefined();
    expect(shown._embedded.scopes.map((scope: { id: string }) => scope.id)).toEqual(['openid', 'offline_access']);
    expect(await org.admin.get(`${own.server.path}/clients/${own.app.id}/tokens/${id}`)).toMatchObject(NOT_FOUND);
    expect((await org.admin.del(path)).status).toBe(204);
    const events = await org.systemLog(`target.id eq "${id}"`);
    expect(events.map(({ eventType }) => eventType)).toEqual(['app.oauth2.token.revoke']);
  });

  test('name the clients of a server, and those of a user', async () => {
    const own = await newConsentWorld(service, org);
    const clients = `${own.server.path}/clients`;
    expect(await good(org.admin.get(clients))).toEqual([]);
    await seed(own);
    const tokens = `${org.baseUrl}${clients}/${own.app.id}/tokens`;
    expect(await good(org.admin.get(clients))).toEqual([
      {
        client_id: own.app.id,
        client_name: own.app.label,
        client_uri: null,
        logo_uri: null,
        _links: {
          client: { href: `${org.baseUrl}/oauth2/v1/clients/${own.app.id}`, title: own.app.label },
          tokens: { href: tokens, hints: { allow: ['GET', 'DELETE'] } },
        },
      },
    ]);
    const listed = await good(org.admin.get(`/api/v1/users/${own.browser.userId}/clients`));
    expect(listed.map((client: { client_id: string }) => client.client_id)).toEqual([own.app.id]);
    const second = await newBrowser(service, org, own.app);
    expect(await good(org.admin.get(`/api/v1/users/${second.userId}/clients`))).toEqual([]);
  });

  test.each([
    ['user', ({ browser }: ConsentWorld) => `/api/v1/users/${browser.userId}/lifecycle`],
    ['app', ({ app }: ConsentWorld) => `/api/v1/apps/${app.id}/lifecycle`],
    ['server', ({ server }: ConsentWorld) => `${server.path}/lifecycle`],
  ])('are not shown when the %s was deactivated, nor when it is active again', async (_, lifecycleOf) => {
    const own = await newConsentWorld(service, org);
    await seed(own);
    const path = `/api/v1/apps/${own.app.id}/tokens`;
    expect(await good(org.admin.get(path))).toHaveLength(1);
    for (const action of ['deactivate', 'activate']) {
      await good(org.admin.post(`${lifecycleOf(own)}/${action}`));
      expect(await good(org.admin.get(path))).toEqual([]);
    }
  });
});
