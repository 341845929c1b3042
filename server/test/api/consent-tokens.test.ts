import { describe, expect, test } from 'vitest';
import { writeConsents } from '../../src/oauth/consents/consent-store.ts';
import { CALLBACK } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { LOCK_WAITS } from '../support/citus.ts';
import type { TestClient } from '../support/client.ts';
import {
  ALL_SCOPES,
  answerWith,
  askedForConsent,
  begin,
  type ConsentWorld,
  locationOf,
  newConsentWorld,
} from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { operatorContext } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';
import { requestTokens } from '../support/user-tokens.ts';

/**
 * This file tests attack 82 (docs/security-rows.md): the end of a consent ends codes and refresh tokens that depend on
 * it, and access tokens lose its scope.
 */
const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
const elsewhere = beforeTests(() => second.org.client({}, org.hostname));

const SCOPE = `${ALL_SCOPES} offline_access`;
const INVALID = { status: 400, body: { error: 'invalid_grant' } };

const pathOf = ({ server }: ConsentWorld, endpoint: string): string => `${server.oauth}/v1/${endpoint}`;
const newWorld = () => newConsentWorld(service, org);

const redeem = (world: ConsentWorld, code = '') =>
  requestTokens(
    org,
    world.app,
    { grant_type: 'authorization_code', code, redirect_uri: CALLBACK },
    { path: pathOf(world, 'token') },
  );
const refresh = (world: ConsentWorld, token: string, client: TestClient = org.anonymous) =>
  requestTokens(
    org,
    world.app,
    { grant_type: 'refresh_token', refresh_token: token },
    { path: pathOf(world, 'token'), client },
  );
async function isActive(world: ConsentWorld, token: string, client: TestClient = org.anonymous): Promise<boolean> {
  return (await good(requestTokens(org, world.app, { token }, { path: pathOf(world, 'introspect'), client }))).active;
}
const scopesOf = async (world: ConsentWorld, token: string): Promise<string> =>
  (await good(requestTokens(org, world.app, { token }, { path: pathOf(world, 'introspect') }))).scope;

async function newCode(world: ConsentWorld): Promise<string> {
  const { response } = await begin(org, world, { scope: SCOPE });
  const location = locationOf(response);
  if (location.startsWith(CALLBACK)) return new URL(location).searchParams.get('code') ?? '';
  return (await answerWith(await askedForConsent(org, world, { scope: SCOPE }), 'allow'))['code'] ?? '';
}
const newTokens = async (world: ConsentWorld) => good(redeem(world, await newCode(world)));

const takeBack = async ({ browser }: ConsentWorld, scope?: string): Promise<void> => {
  const path = `/api/v1/users/${browser.userId}/grants`;
  if (scope === undefined) return good(org.admin.del(path));
  const grants = await good(org.admin.get(`${path}?expand=scope`));
  const grant = grants.find((one: { _embedded: { scope: { name: string } } }) => one._embedded.scope.name === scope);
  await good(org.admin.del(`${path}/${grant.id}`));
};
const aSecondLater = () => service.clock.advance(1_100);

test('a scope that is left out while tokens are issued ends with them, because its end is after the wait', async () => {
  const world = await newWorld();
  await newTokens(world);
  const { application, clock, database } = service;
  const parties = { userId: world.browser.userId, clientId: world.app.id, serverId: world.server.id };
  const values = [org.id, parties.userId];
  const scope = `select scope_id as "scopeId" from user_consents where org_id = $1 and user_id = $2 limit 1`;
  const { scopeId } = (await database.pool.query<{ scopeId: string }>(scope, values)).rows[0] ?? { scopeId: '' };
  const issuing = await database.pool.connect();
  let issuedAt: string | undefined;
  let leaving: Promise<unknown> = Promise.resolve();
  try {
    await issuing.query('begin');
    await issuing.query('select 1 from user_consents where org_id = $1 and user_id = $2 for share', values);
    const answer = [{ id: 'oag00000000000000001', scopeId, isGranted: false }];
    leaving = application.work(operatorContext(service, org), (tx) =>
      writeConsents(tx, org.id, parties, answer, clock.now()),
    );
    const countOfWaiting = async () => (await database.pool.query<{ waiting: number }>(LOCK_WAITS)).rows[0]?.waiting;
    await expect.poll(countOfWaiting).toBe(1);
    // Texts keep the microseconds.
    issuedAt = (await issuing.query<{ at: string }>('select clock_timestamp()::text as at')).rows[0]?.at;
    await issuing.query('commit');
  } finally {
    issuing.release(issuedAt === undefined);
  }
  await leaving;
  const isAfter =
    'select valid_after > $3::timestamptz as "isAfter" from user_consents where org_id = $1 and scope_id = $2';
  expect((await database.pool.query(isAfter, [org.id, scopeId, issuedAt])).rows).toEqual([{ isAfter: true }]);
});

describe('a consent that is taken back', () => {
  test('ends refresh token, code and scope of the access token, on both nodes, for good', async () => {
    const world = await newWorld();
    const { access_token: access, refresh_token: token } = await newTokens(world);
    const code = await newCode(world);
    expect(await scopesOf(world, access)).toBe(SCOPE);
    await isActive(world, access, elsewhere);
    await takeBack(world, 'orders.read');
    aSecondLater();
    second.clock.advance(1_100);
    expect(await refresh(world, token)).toMatchObject(INVALID);
    expect(await refresh(world, token, elsewhere)).toMatchObject(INVALID);
    expect(await redeem(world, code)).toMatchObject(INVALID);
    expect(await scopesOf(world, access)).toBe(SCOPE.replace('orders.read ', ''));
    const again = await newTokens(world);
    aSecondLater();
    expect(await scopesOf(world, again.access_token)).toBe(SCOPE);
    expect(await scopesOf(world, access)).toBe(SCOPE.replace('orders.read ', ''));
    expect(await refresh(world, token)).toMatchObject(INVALID);
  });

  test('leaves tokens without its scope', async () => {
    const world = await newWorld();
    await newTokens(world);
    const { response } = await begin(org, world, { scope: 'openid orders.write offline_access' });
    const kept = await good(redeem(world, new URL(locationOf(response)).searchParams.get('code') ?? ''));
    await takeBack(world, 'orders.read');
    aSecondLater();
    expect(await isActive(world, kept.access_token)).toBe(true);
    expect((await refresh(world, kept.refresh_token)).status).toBe(200);
  });

  test('by leaving it out under prompt=consent does the same', async () => {
    const world = await newWorld();
    const { access_token: access, refresh_token: token } = await newTokens(world);
    const shown = await askedForConsent(org, world, { scope: SCOPE, prompt: 'consent' });
    await answerWith(shown, 'allow', shown.boxes);
    aSecondLater();
    expect(await refresh(world, token)).toMatchObject(INVALID);
    expect(await scopesOf(world, access)).toBe(SCOPE.replace('orders.write ', ''));
  });

  test('at once with refreshes leaves none of their tokens with its scope', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const world = await newWorld();
      const { refresh_token: token } = await newTokens(world);
      const [refreshed] = await Promise.all([refresh(world, token), takeBack(world)]);
      aSecondLater();
      if (refreshed.status === 200) {
        expect(await refresh(world, refreshed.body.refresh_token)).toMatchObject(INVALID);
        expect(await scopesOf(world, refreshed.body.access_token)).not.toContain('orders.read');
      } else {
        expect(refreshed).toMatchObject(INVALID);
      }
    }
  });

  test('at once with a code that is redeemed leaves none of its tokens with its scope', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const world = await newWorld();
      const code = await newCode(world);
      const [redeemed] = await Promise.all([redeem(world, code), takeBack(world)]);
      aSecondLater();
      if (redeemed.status === 200) {
        expect(await refresh(world, redeemed.body.refresh_token)).toMatchObject(INVALID);
        expect(await scopesOf(world, redeemed.body.access_token)).not.toContain('orders.read');
      } else {
        expect(redeemed).toMatchObject(INVALID);
      }
    }
  });
});
