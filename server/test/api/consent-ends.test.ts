import { describe, expect, test } from 'vitest';
import { newBrowser } from '../support/authorization.ts';
import {
  allowAll,
  askedForConsent,
  begin,
  CONSENT,
  type ConsentWorld,
  locationOf,
  newConsentWorld,
  ORDERS,
  submit,
} from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { seedRefreshToken, storedTokens } from '../support/refresh-tokens.ts';
import { useService } from '../support/use-service.ts';

/** This file tests which changes end a consent (specification 3 "Consent"; attack 82 in docs/security-rows.md). */
const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));

const adminThere = () => second.org.client({ authorization: `SSWS ${org.adminToken}` }, org.hostname);
const grantsThere = ({ browser }: ConsentWorld) => good(adminThere().get(`/api/v1/users/${browser.userId}/grants`));
const grantsOf = async ({ browser }: ConsentWorld) => good(org.admin.get(`/api/v1/users/${browser.userId}/grants`));

/** Tells whether a new request asks for consent again, in a browser where the user has just signed in. */
async function asksAgain(world: ConsentWorld): Promise<boolean> {
  const browser = await newBrowser(service, org, null, { userId: world.browser.userId });
  const { response } = await begin(org, { ...world, browser }, { scope: 'openid orders.read' });
  return locationOf(response).startsWith(CONSENT);
}

const lifecycle =
  (path: string, ...actions: readonly string[]) =>
  async (): Promise<void> => {
    for (const action of actions) await good(org.admin.post(`${path}/lifecycle/${action}`));
  };
const lifecycleOfUser = (world: ConsentWorld, ...actions: readonly string[]) =>
  lifecycle(`/api/v1/users/${world.browser.userId}`, ...actions)();
const lifecycleOfApp = ({ app }: ConsentWorld, ...actions: readonly string[]) =>
  lifecycle(`/api/v1/apps/${app.id}`, ...actions)();

async function scopeOf({ server }: ConsentWorld, name: string) {
  const found = await good(org.admin.get(`${server.path}/scopes?q=${name}`));
  return found[0];
}
const assignAgain = ({ app, browser }: ConsentWorld) =>
  good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: browser.userId, scope: 'USER' } }));

/** `left` is the number of grants that remain. */
type Ends = readonly [name: string, left: number, end: (world: ConsentWorld) => Promise<unknown>];
const ENDS: readonly Ends[] = [
  [
    'its user is deactivated, also when he is active again',
    0,
    async (world) => {
      await lifecycleOfUser(world, 'deactivate', 'activate?sendEmail=false');
      await service.database.pool.query(`update users set status = 'ACTIVE' where org_id = $1 and id = $2`, [
        org.id,
        world.browser.userId,
      ]);
      await assignAgain(world);
    },
  ],
  [
    'its app is deactivated, also when it is active again',
    0,
    (world) => lifecycleOfApp(world, 'deactivate', 'activate'),
  ],
  [
    'its server is deactivated, also when it is active again',
    0,
    ({ server }) => lifecycle(server.path, 'deactivate', 'activate')(),
  ],
  [
    'its scope is deleted, also when there is one of its name again',
    1,
    async (world) => {
      const { id } = await scopeOf(world, 'orders.read');
      await good(org.admin.del(`${world.server.path}/scopes/${id}`));
      await good(
        org.admin.post(`${world.server.path}/scopes`, { body: { name: 'orders.read', ...ORDERS['orders.read'] } }),
      );
    },
  ],
  [
    'its scope gets another name, also when it has its own again',
    1,
    async (world) => {
      const scope = await scopeOf(world, 'orders.read');
      for (const name of ['orders.other', 'orders.read']) {
        await good(org.admin.put(`${world.server.path}/scopes/${scope.id}`, { body: { ...scope, name } }));
      }
    },
  ],
  ['it is taken back', 0, ({ browser }) => good(org.admin.del(`/api/v1/users/${browser.userId}/grants`))],
];

describe('a consent ends when', () => {
  test.each(ENDS)('%s', async (_, left, end) => {
    const world = await newConsentWorld(service, org);
    await allowAll(org, world);
    expect(await asksAgain(world)).toBe(false);
    await end(world);
    expect(await grantsOf(world)).toHaveLength(left);
    expect(await asksAgain(world)).toBe(true);
    const browser = await newBrowser(service, org, null, { userId: world.browser.userId });
    expect(await allowAll(org, { ...world, browser })).toHaveProperty('code');
    expect(await grantsOf(world)).toHaveLength(2);
  });

  test.each([
    ['user', ({ browser }: ConsentWorld) => [`/api/v1/users/${browser.userId}`, `/api/v1/users/${browser.userId}`]],
    ['app', ({ app }: ConsentWorld) => [`/api/v1/apps/${app.id}/lifecycle/deactivate`, `/api/v1/apps/${app.id}`]],
    ['server', ({ server }: ConsentWorld) => [`${server.path}/lifecycle/deactivate`, server.path]],
  ] as const)('its %s is deleted: nothing of it is left', async (kind, pathsOf) => {
    const world = await newConsentWorld(service, org);
    await allowAll(org, world);
    const [first = '', last = ''] = pathsOf(world);
    await good(kind === 'user' ? org.admin.del(first) : org.admin.post(first));
    await good(org.admin.del(last));
    const { rows } = await service.database.pool.query(
      'select 1 from user_consents where org_id = $1 and user_id = $2',
      [org.id, world.browser.userId],
    );
    expect(rows).toEqual([]);
  });
});

const KEEPS: readonly (readonly [string, (world: ConsentWorld) => Promise<unknown>])[] = [
  [
    'the user gets another password',
    ({ browser }) =>
      good(
        org.admin.post(`/api/v1/users/${browser.userId}`, {
          body: { credentials: { password: { value: 'Other-9-Word!' } } },
        }),
      ),
  ],
  ['the user is suspended for a while', (world) => lifecycleOfUser(world, 'suspend', 'unsuspend')],
  [
    'all sessions and tokens of the user are voided',
    ({ browser }) => good(org.admin.del(`/api/v1/users/${browser.userId}/sessions?oauthTokens=true`)),
  ],
  [
    'a scope of the API is taken from the app',
    async ({ app }) => {
      const body = { issuer: org.baseUrl, scopeId: 'svc.users.read' };
      const { id } = await good(org.admin.post(`/api/v1/apps/${app.id}/grants`, { body }));
      await good(org.admin.del(`/api/v1/apps/${app.id}/grants/${id}`));
    },
  ],
  [
    'the scope is described otherwise',
    async (world) => {
      const scope = await scopeOf(world, 'orders.read');
      const body = { ...scope, displayName: 'Orders', description: 'Yours' };
      await good(org.admin.put(`${world.server.path}/scopes/${scope.id}`, { body }));
    },
  ],
];

describe('a consent stays when', () => {
  test.each(KEEPS)('%s', async (_, change) => {
    const world = await newConsentWorld(service, org);
    await allowAll(org, world);
    const before = await grantsOf(world);
    await change(world);
    expect((await grantsOf(world)).map(({ id }: { id: string }) => id)).toEqual(
      before.map(({ id }: { id: string }) => id),
    );
    expect(await asksAgain(world)).toBe(false);
  });
});

describe('two processes', () => {
  test('agree at once on what is allowed and what is not any more', async () => {
    const world = await newConsentWorld(service, org);
    const theirs = {
      ...world,
      browser: { ...world.browser, client: second.org.client({ cookie: world.browser.cookie }, org.hostname) },
    };
    const isAsked = async (of: ConsentWorld) =>
      locationOf((await begin(org, of, { scope: 'openid orders.read' })).response).startsWith(CONSENT);
    expect(await isAsked(theirs)).toBe(true);
    await allowAll(org, world);
    expect(await isAsked(theirs)).toBe(false);
    await good(org.admin.del(`/api/v1/users/${world.browser.userId}/grants`));
    expect(await isAsked(theirs)).toBe(true);
    expect(await grantsThere(world)).toEqual([]);
  });

  test.each(ENDS)('one learns within a second from the other that %s', async (_, left, end) => {
    const world = await newConsentWorld(service, org);
    await allowAll(org, world);
    await end(world);
    expect(await grantsThere(world)).toHaveLength(left);
  });
});

describe('at once with a form that is being sent', () => {
  test.each([
    ['a deactivation of the app', (world: ConsentWorld) => lifecycleOfApp(world, 'deactivate', 'activate')],
    ['a deactivation of the server', ({ server }: ConsentWorld) => lifecycle(server.path, 'deactivate', 'activate')()],
  ])('%s leaves a consent that was given behind it, or none', async (_, end) => {
    for (let turn = 0; turn < 3; turn += 1) {
      const world = await newConsentWorld(service, org);
      const { client, fields } = await askedForConsent(org, world);
      const [sent] = await Promise.all([submit(client, { ...fields, decision: 'allow' }), end(world)]);
      expect(sent.status).toBe(303);
      // The list of grants and the next request must agree.
      expect(await asksAgain(world)).toBe((await grantsOf(world)).length === 0);
    }
  });

  test('a revocation leaves no code and no refresh token behind', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const world = await newConsentWorld(service, org);
      await allowAll(org, world);
      const { userId } = world.browser;
      const token = await seedRefreshToken(service, org, {
        userId,
        clientId: world.app.id,
        serverId: world.server.id,
        scopes: ['openid', 'orders.read'],
      });
      const path = `/api/v1/users/${userId}/grants`;
      await Promise.all([good(org.admin.del(path)), begin(org, world), begin(org, world), good(org.admin.del(path))]);
      const { rows } = await service.database.pool.query(
        `select 1 from authorization_codes
         where org_id = $1 and user_id = $2 and scopes ? 'orders.read' and used_at is null`,
        [org.id, userId],
      );
      expect(rows).toEqual([]);
      expect(await storedTokens(service, org)).not.toContain(token);
    }
  });
});
