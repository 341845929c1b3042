import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CALLBACK } from '../support/authorization.ts';
import {
  ALL_SCOPES,
  allowAll,
  answerWith,
  askedForConsent,
  begin,
  CONSENT,
  type ConsentWorld,
  locationOf,
  newConsentWorld,
} from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';

/** This file tests when a request needs consent (specification 2.9 and section 3 "Consent"; contract section 7). */
const { service, org } = useService();

const grantsOf = async ({ browser }: ConsentWorld) => good(org.admin.get(`/api/v1/users/${browser.userId}/grants`));

async function scopesOf({ code = '' }: Record<string, string>): Promise<readonly string[]> {
  const hash = createHash('sha256').update(code).digest();
  const { rows } = await service.database.pool.query<{ scopes: string[] }>(
    'select scopes from authorization_codes where org_id = $1 and code_hash = $2',
    [org.id, hash],
  );
  return rows[0]?.scopes ?? [];
}

const isAsked = async (world: ConsentWorld, changes = {}): Promise<boolean> =>
  locationOf((await begin(org, world, changes)).response).startsWith(CONSENT);

describe('consent', () => {
  test('is asked for scope by scope, given, and not asked for again', async () => {
    const world = await newConsentWorld(service, org);
    const shown = await askedForConsent(org, world);
    expect(shown.page).toContain('See your orders');
    expect(shown.page).toContain('All of them, old ones too');
    expect(shown.page).not.toContain('orders.list');
    expect(shown.page).not.toContain('Sign you in');
    expect(shown.boxes).toHaveLength(1);
    const parameters = await answerWith(shown, 'allow');
    expect(await scopesOf(parameters)).toEqual(ALL_SCOPES.split(' '));
    expect(await grantsOf(world)).toHaveLength(2);
    const again = await begin(org, world);
    expect(locationOf(again.response).startsWith(CALLBACK)).toBe(true);
    expect(await scopesOf(Object.fromEntries(new URL(locationOf(again.response)).searchParams))).toEqual(
      ALL_SCOPES.split(' '),
    );
  });

  test('is logged once, with who allowed whom what on which session', async () => {
    const world = await newConsentWorld(service, org);
    const { app, browser, server } = world;
    await allowAll(org, world);
    await begin(org, world);
    const events = await org.systemLog(
      `eventType eq "app.oauth2.as.consent.grant" and actor.id eq "${browser.userId}"`,
    );
    expect(events).toMatchObject([
      {
        actor: { id: browser.userId, type: 'User', alternateId: browser.login },
        authenticationContext: { externalSessionId: browser.externalSessionId },
        outcome: { result: 'SUCCESS' },
        target: [
          { id: app.id, type: 'PublicClientApp' },
          { id: browser.userId, type: 'User' },
          { id: server.id, type: 'AuthorizationServer' },
          { type: 'Scope', displayName: 'orders.read' },
          { type: 'Scope', displayName: 'orders.write' },
        ],
      },
    ]);
  });

  test('that is refused ends in access_denied, and nothing is kept', async () => {
    const world = await newConsentWorld(service, org);
    const parameters = await answerWith(await askedForConsent(org, world), 'deny');
    expect(parameters).toMatchObject({ error: 'access_denied', state: 'xyz' });
    expect(parameters['code']).toBeUndefined();
    expect(await grantsOf(world)).toEqual([]);
    expect(await isAsked(world)).toBe(true);
  });

  test('to an optional scope may be left out, and is not asked for until it is required', async () => {
    const world = await newConsentWorld(service, org);
    const shown = await askedForConsent(org, world);
    const left = await answerWith(shown, 'allow', shown.boxes);
    expect(await scopesOf(left)).toEqual(['openid', 'orders.read', 'orders.list']);
    expect(await grantsOf(world)).toHaveLength(1);
    expect(await isAsked(world)).toBe(false);
    const { path } = world.server;
    const scopes = await good(org.admin.get(`${path}/scopes?q=orders.write`));
    await good(org.admin.put(`${path}/scopes/${scopes[0].id}`, { body: { ...scopes[0], optional: false } }));
    const asked = await askedForConsent(org, world);
    expect(asked.boxes).toEqual([]);
    expect(asked.page).toContain('orders.write');
    expect(asked.page).not.toContain('See your orders');
    expect(await scopesOf(await answerWith(asked, 'allow'))).toEqual(ALL_SCOPES.split(' '));
  });

  test('is asked for anew under prompt=consent, and what is left out then is taken back', async () => {
    const world = await newConsentWorld(service, org);
    await allowAll(org, world);
    const before = await grantsOf(world);
    expect(await isAsked(world, { prompt: 'none' })).toBe(false);
    const shown = await askedForConsent(org, world, { prompt: 'consent' });
    expect(await scopesOf(await answerWith(shown, 'allow', shown.boxes))).toEqual([
      'openid',
      'orders.read',
      'orders.list',
    ]);
    const grants = await grantsOf(world);
    expect(grants).toHaveLength(1);
    expect(before).toContainEqual(grants[0]);
    const [revoked] = await org.systemLog(
      `eventType eq "app.oauth2.as.consent.revoke" and actor.id eq "${world.browser.userId}"`,
    );
    expect(revoked.target.at(-1)).toMatchObject({ type: 'Scope', displayName: 'orders.write' });
  });

  test('with prompt=none is an error when it is due', async () => {
    const world = await newConsentWorld(service, org);
    const { response } = await begin(org, world, { prompt: 'none' });
    expect(locationOf(response)).toMatch(/^https:\/\/app\.example\/callback\?/);
    expect(Object.fromEntries(new URL(locationOf(response)).searchParams)).toMatchObject({
      error: 'consent_required',
      state: 'xyz',
    });
  });
});

describe('the table of the contract', () => {
  test.each([
    ['consent', 'TRUSTED', 'REQUIRED', true],
    ['consent', 'REQUIRED', 'REQUIRED', true],
    ['consent', 'TRUSTED', 'FLEXIBLE', true],
    ['consent', 'REQUIRED', 'FLEXIBLE', true],
    ['consent', 'TRUSTED', 'IMPLICIT', false],
    ['consent', 'REQUIRED', 'IMPLICIT', false],
    [undefined, 'TRUSTED', 'REQUIRED', false],
    [undefined, 'TRUSTED', 'FLEXIBLE', false],
    [undefined, 'TRUSTED', 'IMPLICIT', false],
    [undefined, 'REQUIRED', 'REQUIRED', true],
    [undefined, 'REQUIRED', 'FLEXIBLE', true],
    [undefined, 'REQUIRED', 'IMPLICIT', false],
  ])('prompt %s, app %s, scope %s', async (prompt, consentMethod, consent, asks) => {
    const world = await newConsentWorld(service, org, {
      settings: { consent_method: consentMethod },
      scopes: { 'orders.read': { consent } },
    });
    const changes = { prompt, scope: 'openid orders.read' };
    expect(await isAsked(world, changes)).toBe(asks);
    if (!asks) return;
    expect(await answerWith(await askedForConsent(org, world, changes), 'allow')).toHaveProperty('code');
    expect(await isAsked(world, changes)).toBe(prompt === 'consent');
  });
});
