import { describe, expect, test } from 'vitest';
import { assertUser, JWT_BEARER } from '../support/assertion-grant.ts';
import {
  answered,
  ask,
  assign,
  type Browser,
  newBrowser,
  newOidcApp,
  newPkce,
  requestOf,
} from '../support/authorization.ts';
import { allowedRequest, CIBA_GRANT, newBackchannelApp, pollRequest } from '../support/backchannel.ts';
import { ALL_SCOPES, allowAll, newConsentWorld } from '../support/consents.ts';
import { GRANT, good, newCustomServer, sendAs } from '../support/custom-servers.ts';
import { allowedDevice, newDeviceApp, newDeviceUser, poll } from '../support/devices.ts';
import { AFTER_LOGOUT, logoutPath } from '../support/logout.ts';
import { logoutReceiver, noticesSettled, verifyLogoutToken } from '../support/logout-receiver.ts';
import { multipart, PNG } from '../support/multipart.ts';
import { openPageClient } from '../support/page-client.ts';
import { newServiceApp, newTestKey, requestToken } from '../support/service-apps.ts';
import { exchangeToken, newExchanger, newExchangeServer, tokenAt, tokensAt } from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, payloadOf, redeem, refresh, requestTokens, tokensOf } from '../support/user-tokens.ts';

// This file tests flows with a client id that differs from the app's id.

const receiver = logoutReceiver();
const { service, org } = useService({ outbound: receiver.outbound });
let names = 0;

const newName = (): string => `Client.${(names += 1)}_x-Y`;
const pagesOf = ({ cookie }: Browser) => {
  const pages = openPageClient(org);
  const [name = '', value = ''] = cookie.split('=');
  pages.cookies.set(name, value);
  return pages;
};
const idsOf = (targets: readonly { readonly id: string; readonly type: string }[], type: string) =>
  targets.filter((target) => target.type === type).map(({ id }) => id);

describe('at the org’s own server', () => {
  test('codes, refreshing, introspection, userinfo, revocation and the log', async () => {
    const [clientId, own] = [newName(), await service.newOrg()];
    const app = await newOidcApp(own, { clientId, settings: { grant_types: ['authorization_code', 'refresh_token'] } });
    const browser = await newBrowser(service, own, app);
    const { parameters, verifier } = newPkce();
    const scope = 'openid profile offline_access';
    expect((await ask(browser.client, { id: app.id }, { ...parameters, scope })).status).toBe(400);
    const { code = '' } = answered(await ask(browser.client, app, { ...parameters, scope })).parameters;
    expect((await redeem(own, { ...app, clientId: app.id }, { code, verifier })).body.error).toBe('invalid_client');
    const tokens = await good(redeem(own, app, { code, verifier }));
    expect(payloadOf(tokens.access_token)).toMatchObject({ cid: clientId, uid: browser.userId });
    expect(payloadOf(tokens.id_token)).toMatchObject({ aud: clientId });
    const again = await good(refresh(own, app, tokens.refresh_token));
    const asked = { token: again.access_token };
    const introspected = await good(requestTokens(own, app, asked, { path: '/oauth2/v1/introspect' }));
    expect(introspected).toMatchObject({ active: true, client_id: clientId });
    const refreshed = { token: again.refresh_token, token_type_hint: 'refresh_token' };
    const ofRefresh = await good(requestTokens(own, app, refreshed, { path: '/oauth2/v1/introspect' }));
    expect(ofRefresh).toMatchObject({ active: true, client_id: clientId });
    const bearer = own.client({ authorization: `Bearer ${again.access_token}` });
    expect(await bearer.get('/oauth2/v1/userinfo')).toMatchObject({ status: 200, body: { sub: browser.userId } });
    await good(requestTokens(own, app, refreshed, { path: '/oauth2/v1/revoke' }));
    expect((await refresh(own, app, again.refresh_token)).body.error).toBe('invalid_grant');

    const events = await own.systemLog();
    const [sso] = events.filter(({ eventType }) => eventType === 'user.authentication.sso');
    expect(idsOf(sso.target, 'AppInstance')).toEqual([app.id]);
    const named = events.flatMap(({ target }) => idsOf(target ?? [], 'PublicClientApp'));
    expect(new Set(named)).toEqual(new Set([clientId]));
    expect(named.length).toBeGreaterThan(3);
    const [made] = events.filter(({ eventType }) => eventType === 'application.lifecycle.create');
    expect(made.target).toMatchObject([{ id: app.id, type: 'AppInstance' }]);
  });

  test('pushed requests', async () => {
    const app = await newOidcApp(org, { clientId: newName() });
    const browser = await newBrowser(service, org, app);
    const form = requestOf(app, newPkce().parameters);
    const { request_uri: uri } = await good(requestTokens(org, app, form, { path: '/oauth2/v1/par' }));
    const query = new URLSearchParams({ client_id: app.clientId ?? '', request_uri: uri });
    expect(answered(await browser.client.get(`/oauth2/v1/authorize?${query}`)).parameters).toHaveProperty('code');
  });

  test('service apps, their roles, what they see and what the log calls them', async () => {
    const [clientId, own] = [newName(), await service.newOrg()];
    const app = await newServiceApp(own, { clientId, roles: ['READ_ONLY_ADMIN'] });
    const { access_token: token } = await good(requestToken(own, app, own.now()));
    expect(payloadOf(token)).toMatchObject({ cid: clientId, sub: clientId });
    const self = own.client({ authorization: `Bearer ${token}` });
    expect(await self.get('/api/v1/users')).toMatchObject({ status: 200 });
    const roles = `/oauth2/v1/clients/${clientId}/roles`;
    const [role] = await good(own.admin.get(roles));
    expect(role).toMatchObject({
      type: 'READ_ONLY_ADMIN',
      _links: { assignee: { href: `${own.baseUrl}/oauth2/v1/clients/${clientId}` } },
    });
    expect(await own.admin.get(`/oauth2/v1/clients/${app.id}/roles`)).toMatchObject({ status: 404 });
    const [granted] = await own.systemLog('eventType eq "app.oauth2.client.privilege.grant"');
    expect(granted.target).toMatchObject([{ id: app.id, type: 'AppInstance' }]);
    const [minted] = await own.systemLog('eventType eq "app.oauth2.token.grant.access_token"');
    expect(minted).toMatchObject({ actor: { id: clientId, type: 'PublicClientApp', alternateId: clientId } });
    await good(own.admin.del(`${roles}/${role.id}`));
    service.clock.advance(1_100);
    expect(await self.get('/api/v1/users')).toMatchObject({ status: 403 });
  });

  test('narrowed and custom roles of a client', async () => {
    const [clientId, own] = [newName(), await service.newOrg()];
    const app = await newServiceApp(own, { clientId, scopes: ['svc.apps.read'], roles: ['APP_ADMIN'] });
    const roles = `/oauth2/v1/clients/${clientId}/roles`;
    const [role] = await good(own.admin.get(roles));
    await good(own.admin.put(`${roles}/${role.id}/targets/catalog/apps/oidc_client/${app.id}`));
    await newOidcApp(own);
    const form = { scope: 'svc.apps.read' };
    const tokenOf = async () => (await good(requestToken(own, app, own.now(), form))).access_token;
    const listed = async () => good(own.client({ authorization: `Bearer ${await tokenOf()}` }).get('/api/v1/apps'));
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([app.id]);
    await good(own.admin.del(`${roles}/${role.id}`));
    const created = { label: 'Readers', description: 'Of apps', permissions: ['svc.apps.read'] };
    const custom = await good(own.admin.post('/api/v1/iam/roles', { body: created }));
    const resources = [`${own.baseUrl}/api/v1/apps`];
    const set = { label: 'Apps', description: 'All', resources };
    const { id: setId } = await good(own.admin.post('/api/v1/iam/resource-sets', { body: set }));
    const bindings = `/api/v1/iam/resource-sets/${setId}/bindings`;
    const member = `${own.baseUrl}/oauth2/v1/clients/${clientId}`;
    await good(own.admin.post(bindings, { body: { role: custom.id, members: [member] } }));
    const { members } = await good(own.admin.get(`${bindings}/${custom.id}/members`));
    expect(members).toMatchObject([{ _links: { self: { href: member } } }]);
    service.clock.advance(1_100);
    expect(await listed()).toHaveLength(2);
    const add = (addition: string) =>
      own.admin.send('PATCH', `${bindings}/${custom.id}/members`, { body: { additions: [addition] } });
    expect((await add(`${member}x`)).status).toBe(400);
    const again = await add(`orn:svc:idp:${own.id}:apps:${app.id}`);
    expect(again.status, again.text).toBe(200);
    expect((await good(own.admin.get(`${bindings}/${custom.id}/members`))).members).toHaveLength(1);
  });
});

describe('at custom servers', () => {
  test('policies name it, and never the id of its app', async () => {
    const [clientId, secret] = [newName(), 'client_secret_basic'] as const;
    const settings = { grant_types: ['authorization_code', 'client_credentials'] };
    const web = { applicationType: 'web', scopes: [], settings };
    const named = await newServiceApp(org, { ...web, clientId, authMethod: secret });
    const signing = await newServiceApp(org, { ...web, clientId: newName(), authMethod: 'client_secret_jwt' });
    const keyed = await newServiceApp(org, { clientId: newName(), scopes: [], key: newTestKey('ES256') });
    const server = await newCustomServer(org, {
      clients: [clientId, signing.clientId ?? ''],
      claims: { app: 'app.id', client: 'app.clientId' },
    });
    const path = `${server.oauth}/v1/token`;
    const byHeader = await good(sendAs(org, named, secret, path, GRANT));
    expect(payloadOf(byHeader.access_token)).toMatchObject({
      cid: clientId,
      sub: clientId,
      app: named.id,
      client: clientId,
    });
    const signed = await good(sendAs(org, signing, 'client_secret_jwt', path, GRANT));
    expect(payloadOf(signed.access_token)).toMatchObject({ cid: signing.clientId, app: signing.id });
    const refused = await sendAs(org, keyed, 'private_key_jwt', path, GRANT);
    expect(refused.body).toMatchObject({ error: 'access_denied' });

    const policyPath = `${server.path}/policies/${server.policyId}`;
    const policy = await good(org.admin.get(policyPath));
    expect(policy.conditions.clients.include).toEqual([clientId, signing.clientId]);
    const put = (include: readonly string[]) =>
      org.admin.put(policyPath, { body: { ...policy, conditions: { clients: { include } } } });
    expect((await put([named.id])).status).toBe(400);
    expect((await put([keyed.clientId ?? ''])).status).toBe(200);
    expect((await sendAs(org, keyed, 'private_key_jwt', path, GRANT)).status).toBe(200);
    expect((await sendAs(org, named, secret, path, GRANT)).body).toMatchObject({ error: 'access_denied' });
  });

  test('consent, its lists, refresh tokens, and what is taken back', async () => {
    const clientId = newName();
    const world = await newConsentWorld(service, org, { clientId });
    const { app, browser, server } = world;
    const { headers } = await org.admin.post(`/api/v1/apps/${app.id}/logo`, multipart('file', PNG));
    await allowAll(org, world);
    const scopes = ['openid', 'offline_access', 'orders.read'];
    const ofServer = { serverId: server.id, scopes };
    const userApp = { ...app, userId: browser.userId, login: browser.login };
    const at = { path: tokenAt(server) };
    const tokens = await tokensOf(service, org, userApp, ofServer, at);
    const user = `/api/v1/users/${browser.userId}`;
    const links = {
      app: { href: `${org.baseUrl}/api/v1/apps/${app.id}` },
      client: { href: `${org.baseUrl}/oauth2/v1/clients/${clientId}` },
    };
    const grants = await good(org.admin.get(`${user}/grants`));
    expect(grants.length).toBe(ALL_SCOPES.split(' ').filter((one) => /read|write/.test(one)).length);
    for (const grant of grants) expect(grant).toMatchObject({ clientId, _links: links });
    const clients = await good(org.admin.get(`${user}/clients`));
    expect(clients).toMatchObject([
      { client_id: clientId, _links: { grants: { href: `${org.baseUrl}${user}/clients/${clientId}/grants` } } },
    ]);
    expect(await good(org.admin.get(`${user}/clients/${clientId}/grants`))).toEqual(grants);
    expect(await org.admin.get(`${user}/clients/${app.id}/grants`)).toMatchObject({ status: 404 });
    expect(await good(org.admin.get(`${server.path}/clients`))).toMatchObject([{ client_id: clientId }]);
    for (const path of [
      `${user}/clients/${clientId}`,
      `${server.path}/clients/${clientId}`,
      `/api/v1/apps/${app.id}`,
    ]) {
      const [token, ...others] = await good(org.admin.get(`${path}/tokens`));
      expect(token).toMatchObject({ clientId, _links: { ...links, self: { href: expect.stringContaining(path) } } });
      expect(others).toEqual([]);
      expect(await good(org.admin.get(`${path}/tokens/${token.id}`))).toMatchObject({ id: token.id });
    }
    expect(await org.admin.get(`${server.path}/clients/${app.id}/tokens`)).toMatchObject({ status: 404 });
    const pages = pagesOf(browser);
    const { text } = await pages.get('/account/consents');
    const logo = `src="${new URL(String(headers['location'])).pathname}"`;
    for (const shown of [`value="${clientId}"`, logo]) expect(text).toContain(shown);
    expect(await pages.submit('/account/consents', { app: clientId }, '/account/consents')).toMatchObject({
      status: 303,
    });
    expect(await good(org.admin.get(`${user}/grants`))).toEqual([]);
    expect((await refresh(org, app, tokens.refresh_token, {}, at)).body.error).toBe('invalid_grant');

    await tokensOf(service, org, userApp, { ...ofServer, scopes: ['openid', 'offline_access'] }, at);
    await good(org.admin.del(`${server.path}/clients/${clientId}/tokens`));
    expect(await good(org.admin.get(`/api/v1/apps/${app.id}/tokens`))).toEqual([]);
    const [ended] = (await org.systemLog('eventType eq "app.oauth2.token.revoke.implicit.client"')).slice(-1);
    expect(idsOf(ended.target, 'PublicClientApp')).toEqual([clientId]);
  });

  test('exchanged tokens and assertions about users', async () => {
    const server = await newExchangeServer(org);
    const front = await newUserApp(org, { clientId: newName() });
    const api = await newExchanger(org, [front.userId], { clientId: newName() });
    const { access_token: token } = await tokensAt(service, org, front, server);
    const sent = { path: tokenAt(server) };
    const exchanged = await good(exchangeToken(org, api, token, { scope: 'orders.read' }, sent));
    expect(payloadOf(exchanged.access_token)).toMatchObject({ cid: api.clientId, uid: front.userId });

    const key = newTestKey('ES256');
    const settings = { grant_types: ['authorization_code', JWT_BEARER] };
    const clientId = newName();
    const speaker = await newServiceApp(org, { key, clientId, scopes: [], applicationType: 'web', settings });
    await assign(org, speaker, front.userId);
    const speakers = await newCustomServer(org, { grantTypes: [JWT_BEARER], clients: [clientId] });
    const asserted = await good(assertUser(org, speakers, speaker, front.userId));
    expect(payloadOf(asserted.access_token)).toMatchObject({ cid: clientId, uid: front.userId });
  });
});

test('devices', async () => {
  const app = await newDeviceApp(org, { clientId: newName() });
  const user = await newDeviceUser(service, org, app);
  const device = await allowedDevice(org, app, user, { scope: 'openid offline_access' });
  const tokens = await good(poll(org, app, device));
  expect(payloadOf(tokens.access_token)).toMatchObject({ cid: app.clientId, uid: user.userId });
  expect((await refresh(org, app, tokens.refresh_token)).status).toBe(200);
});

test('backchannel authentication', async () => {
  const settings = { grant_types: ['authorization_code', CIBA_GRANT] };
  const app = await newBackchannelApp(org, { clientId: newName(), settings });
  const user = await newDeviceUser(service, org, app);
  const tokens = await good(pollRequest(org, app, await allowedRequest(org, app, user)));
  expect(payloadOf(tokens.id_token)).toMatchObject({ aud: app.clientId, sub: user.userId });
});

test('sign-out by a hint, and what its app is told of it', async () => {
  const clientId = newName();
  const app = await newOidcApp(org, {
    clientId,
    settings: {
      post_logout_redirect_uris: [AFTER_LOGOUT],
      backchannel_logout_uri: 'https://app.example/told',
    },
  });
  const browser = await newBrowser(service, org, app);
  const { parameters, verifier } = newPkce();
  const { code = '' } = answered(await ask(browser.client, app, parameters)).parameters;
  const { id_token: hint } = await good(redeem(org, app, { code, verifier }));
  const leave = (client: string) =>
    browser.client.get(logoutPath({ id_token_hint: hint, client_id: client, post_logout_redirect_uri: AFTER_LOGOUT }));
  expect((await leave(app.id)).status).toBe(400);
  expect(await leave(clientId)).toMatchObject({ status: 302, headers: { location: AFTER_LOGOUT } });
  await noticesSettled(service);
  const [notice] = receiver.received;
  expect(await verifyLogoutToken(service, org, notice?.token ?? '', { clientId })).toMatchObject({
    sub: browser.userId,
  });
  const [told] = await org.systemLog('eventType eq "user.authentication.slo"');
  expect(idsOf(told.target, 'AppInstance')).toEqual([app.id]);
});
