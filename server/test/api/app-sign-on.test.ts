import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assertUser, JWT_BEARER, newAsserter } from '../support/assertion-grant.ts';
import {
  answered,
  ask,
  assign,
  CALLBACK,
  cookieOf,
  newBrowser,
  newOidcApp,
  type OidcApp,
  withCookies,
} from '../support/authorization.ts';
import { askUser, newBackchannelApp } from '../support/backchannel.ts';
import type { TestClient } from '../support/client.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import { answerAt, enterCode, newDeviceApp, newDeviceUser, poll, startDevice } from '../support/devices.ts';
import { trustProxy } from '../support/org-settings.ts';
import { createPolicy, createRule, defaultPolicyPath, POLICIES } from '../support/policies.ts';
import { signedIn } from '../support/session-tokens.ts';
import { exchangeToken, newExchanger } from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, refresh, requestTokens, tokensOf } from '../support/user-tokens.ts';
import { CREDENTIALS, PASSWORD } from '../support/users.ts';

/** This file tests the decisions of apps' sign-on policies (ADR 0053). */
const { service, org } = useService({ isShared: false });

beforeAll(async () => {
  await trustProxy(service, org, '127.0.0.0/8');
});
beforeEach(() => service.clock.advance(1_100));

type Json = Readonly<Record<string, unknown>>;

const DENY: Json = { access: 'DENY' };
const LET_IN: Json = { access: 'ALLOW', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } };
const ACCESS_DENIED = { status: 401, body: { error: 'access_denied' } };
const INSIDE = { 'x-forwarded-for': '203.0.113.9' };
const OUTSIDE = { 'x-forwarded-for': '198.51.100.9' };

let names = 0;
const named = (word: string): string => {
  names += 1;
  return `${word} ${names}`;
};

interface Given {
  readonly conditions?: Json;
  readonly appSignOn: Json;
}

/** `otherwise` replaces the actions of the catch-all rule. */
async function putUnder(app: { readonly id: string }, { appSignOn, conditions = {} }: Given, otherwise?: Json) {
  const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: named('Policy') });
  const path = `${POLICIES}/${policy.id}`;
  const given = { type: 'ACCESS_POLICY', name: named('Rule'), conditions, actions: { appSignOn } };
  const rule = await createRule(org, path, given);
  if (otherwise !== undefined) {
    const [catchAll] = (await org.admin.get(`${path}/rules`)).body.filter(({ system }: { system: boolean }) => system);
    const body = { name: catchAll.name, actions: { appSignOn: otherwise } };
    await good(org.admin.put(`${path}/rules/${catchAll.id}`, { body }));
  }
  await org.admin.put(`/api/v1/apps/${app.id}/policies/${policy.id}`);
  service.clock.advance(1_100);
  return { policy, rule, rulePath: `${path}/rules/${rule.id}` };
}

async function newZone(): Promise<Json> {
  const gateways = [{ type: 'CIDR', value: '203.0.113.0/24' }];
  const body = { type: 'IP', name: named('Zone'), status: 'ACTIVE', gateways, proxies: null };
  const { id } = await good(org.admin.post('/api/v1/zones', { body }));
  return { network: { connection: 'ZONE', include: [id] } };
}

const lettingIn = async (): Promise<Given> => ({ conditions: await newZone(), appSignOn: LET_IN });

const answerFor = async (
  client: TestClient,
  app: OidcApp,
  path?: string,
  more: Readonly<Record<string, string>> = {},
) => answered(await ask(client, app, { prompt: 'none', ...more }, path)).parameters;

describe('a rule that denies, first in order', () => {
  test('gives no code to the bearer of a session token, and the log says which rule it was', async () => {
    const app = await newOidcApp(org);
    const other = await newOidcApp(org);
    const { id } = await org.createUser({ credentials: CREDENTIALS });
    for (const one of [app, other]) await assign(org, one, id);
    const { policy, rule } = await putUnder(app, { appSignOn: DENY });
    const { sessionToken } = await signedIn(service, org, id);
    const refused = await ask(org.anonymous, app, { sessionToken });
    expect(answered(refused)).toEqual({
      to: CALLBACK,
      parameters: {
        error: 'access_denied',
        error_description: 'Policy evaluation failed for this request, please check the policy configurations.',
        state: 'xyz',
        iss: org.baseUrl,
      },
    });
    const events = await org.systemLog(`transaction.id eq "${String(refused.headers['x-svc-request-id'])}"`);
    const told = events.filter(({ eventType }) => eventType !== 'user.session.start');
    expect(told).toMatchObject([
      {
        eventType: 'policy.evaluate_sign_on',
        actor: { id },
        outcome: { result: 'DENY', reason: 'DENIED_BY_RULE' },
        target: [{ id }, { id: app.id, type: 'AppInstance' }, { id: policy.id }, { id: rule.id }],
      },
      {
        eventType: 'app.oauth2.authorize_failure',
        actor: { id },
        outcome: { result: 'FAILURE', reason: 'no_matching_policy' },
        target: [{ id: app.id }],
      },
    ]);
    const browser = await newBrowser(service, org, null, { userId: id });
    expect(await answerFor(browser.client, other)).toHaveProperty('code');
  });

  test('denies at custom servers too, and to a request that goes on after the sign-in', async () => {
    const app = await newOidcApp(org);
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const browser = await newBrowser(service, org, app);
    const path = `${server.oauth}/v1/authorize`;
    expect(await answerFor(browser.client, app, path)).toHaveProperty('code');
    const begun = await ask(org.anonymous, app, {}, path);
    const { parameters } = answered(begun);
    const { rulePath } = await putUnder(app, { appSignOn: DENY });
    expect(await answerFor(browser.client, app, path)).toMatchObject({ error: 'access_denied' });
    const resumed = withCookies(org, `__Host-flow=${cookieOf(begun, '__Host-flow')}`, browser.cookie);
    const refused = await resumed.get(parameters['fromURI'] ?? '');
    expect(answered(refused).parameters).toMatchObject({ error: 'access_denied' });
    const [event] = await org.systemLog(`target.id eq "${app.id}" and eventType eq "app.oauth2.as.authorize_failure"`);
    expect(event).toMatchObject({ outcome: { reason: 'no_matching_policy' } });
    await org.admin.post(`${rulePath}/lifecycle/deactivate`);
    service.clock.advance(1_100);
    expect(await answerFor(browser.client, app, path)).toHaveProperty('code');
  });

  test('ends what the app goes on with, as long as it stands', async () => {
    const app = await newUserApp(org);
    const { access_token: token, refresh_token: held } = await tokensOf(service, org, app);
    const { rulePath } = await putUnder(app, { appSignOn: DENY });
    const refused = await refresh(org, app, held);
    expect(refused).toMatchObject(ACCESS_DENIED);
    expect(await org.systemLog(`transaction.id eq "${String(refused.headers['x-svc-request-id'])}"`)).toMatchObject([
      {
        eventType: 'policy.evaluate_sign_on',
        actor: { id: app.id },
        outcome: { result: 'DENY', reason: 'DENIED_BY_RULE' },
        target: [{ id: app.userId }, { id: app.id }, {}, {}],
      },
      { eventType: 'app.oauth2.as.authorize.token.grant_failure', outcome: { reason: 'no_matching_policy' } },
    ]);
    const introspect = () => requestTokens(org, app, { token }, { path: '/oauth2/v1/introspect' });
    expect((await introspect()).body).toEqual({ active: false });
    await org.admin.del(rulePath);
    service.clock.advance(1_100);
    expect((await introspect()).body).toMatchObject({ active: true });
    expect((await refresh(org, app, held)).status).toBe(200);
  });

  test('of the default policy it is for every app that was put under no other', async () => {
    const policy = await defaultPolicyPath(org, 'ACCESS_POLICY');
    const app = await newOidcApp(org);
    const free = await newOidcApp(org);
    const browser = await newBrowser(service, org, app);
    await assign(org, free, browser.userId);
    await putUnder(free, { appSignOn: LET_IN });
    const conditions = { people: { users: { include: [browser.userId] } } };
    const rule = { type: 'ACCESS_POLICY', name: named('Rule'), conditions, actions: { appSignOn: DENY } };
    const { id } = await createRule(org, policy, rule);
    service.clock.advance(1_100);
    expect(await answerFor(browser.client, app)).toMatchObject({ error: 'access_denied' });
    expect(await answerFor(browser.client, free)).toHaveProperty('code');
    await org.admin.del(`${policy}/rules/${id}`);
  });
});

describe('a second factor, which nobody has yet', () => {
  test('is access_denied, with the reason in the log', async () => {
    const app = await newOidcApp(org);
    const browser = await newBrowser(service, org, app);
    const possession = { constraints: [{ possession: { deviceBound: 'REQUIRED' } }] };
    const verificationMethod = { type: 'ASSURANCE', factorMode: '2FA', ...possession };
    await putUnder(app, { appSignOn: { access: 'ALLOW', verificationMethod } });
    expect(await answerFor(browser.client, app)).toMatchObject({ error: 'access_denied' });
    const [event] = await org.systemLog(`target.id eq "${app.id}" and eventType eq "policy.evaluate_sign_on"`);
    expect(event).toMatchObject({ outcome: { result: 'DENY', reason: 'SECOND_FACTOR_REQUIRED' } });
  });
});

describe('a network', () => {
  test('is where the user is when he signs in to the app, by the address that the org believes', async () => {
    const app = await newOidcApp(org);
    const browser = await newBrowser(service, org, app);
    await putUnder(app, await lettingIn(), DENY);
    const at = (headers: Readonly<Record<string, string>>) =>
      answerFor(org.client({ cookie: browser.cookie, ...headers }), app);
    expect(await at(INSIDE)).toHaveProperty('code');
    expect(await at(OUTSIDE)).toMatchObject({ error: 'access_denied' });
  });

  test('is that of a password, of a refresh by a public client, and of no other refresh', async () => {
    const settings = { grant_types: ['authorization_code', 'refresh_token', 'password'] };
    const app = await newUserApp(org, { settings });
    const open = await newUserApp(org, { applicationType: 'native', authMethod: 'none' });
    const held = (await tokensOf(service, org, app)).refresh_token;
    const heldByOpen = (await tokensOf(service, org, open)).refresh_token;
    for (const one of [app, open]) await putUnder(one, await lettingIn(), DENY);
    const form = { grant_type: 'password', username: app.login, password: PASSWORD, scope: 'openid' };
    expect(await requestTokens(org, app, form, { headers: OUTSIDE })).toMatchObject(ACCESS_DENIED);
    expect(await requestTokens(org, app, form, { headers: INSIDE })).toMatchObject({ status: 200 });
    expect(await refresh(org, app, held, {}, { headers: OUTSIDE })).toMatchObject({ status: 200 });
    expect(await refresh(org, open, heldByOpen, {}, { headers: OUTSIDE })).toMatchObject(ACCESS_DENIED);
    expect(await refresh(org, open, heldByOpen, {}, { headers: INSIDE })).toMatchObject({ status: 200 });
  });

  test('is none where nobody is there: what depends on one is refused', async () => {
    const app = await newUserApp(org);
    const exchanger = await newExchanger(org, [app.userId]);
    const asserter = await newAsserter(org, [app.userId]);
    const server = await newCustomServer(org, { grantTypes: [JWT_BEARER] });
    const token = (await tokensOf(service, org, app, { scopes: ['openid'] })).access_token;
    const denying: Given = { conditions: await newZone(), appSignOn: DENY };
    const exchanged = () => exchangeToken(org, exchanger, token, {}, { headers: OUTSIDE });
    expect(await exchanged()).toMatchObject({ status: 200 });
    await putUnder(exchanger, denying);
    await putUnder(asserter, denying);
    expect(await exchanged()).toMatchObject(ACCESS_DENIED);
    expect(await assertUser(org, server, asserter, app.login)).toMatchObject(ACCESS_DENIED);
    const [event] = await org.systemLog(`target.id eq "${exchanger.id}" and eventType eq "policy.evaluate_sign_on"`);
    expect(event).toMatchObject({ outcome: { reason: 'NETWORK_UNKNOWN' } });
  });

  test('is where the user allows a device; his page says why, and the device hears that it was denied', async () => {
    const app = await newDeviceApp(org);
    const user = await newDeviceUser(service, org, app);
    await putUnder(app, { conditions: { network: { connection: 'OFF_NETWORK' } }, appSignOn: DENY });
    const device = await startDevice(org, app);
    const page = await answerAt(user, await enterCode(user, device.userCode), 'allow');
    expect(page.status).toBe(400);
    expect(page.text).toContain('The sign-on policy of this app denies you access.');
    service.clock.advance(10_000);
    expect(await poll(org, app, device)).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  });
});

test('a user whom the policy denies is not asked elsewhere either', async () => {
  const app = await newBackchannelApp(org);
  const user = await newDeviceUser(service, org, app);
  await putUnder(app, { appSignOn: DENY });
  expect(await askUser(org, app, { login_hint: user.login })).toMatchObject(ACCESS_DENIED);
});
