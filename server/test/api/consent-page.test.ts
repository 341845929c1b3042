import { describe, expect, test } from 'vitest';
import { newBrowser } from '../support/authorization.ts';
import {
  askedForConsent,
  begin,
  CONSENT,
  type ConsentWorld,
  formOf,
  locationOf,
  newConsentWorld,
  RESUME,
  type Shown,
  submit,
} from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** This file tests the consent page (attacks 53 to 57 and 59 in docs/security-rows.md; RFC 9700 4.12, 4.16). */
const { service, org } = useService({ isShared: false });

const REFUSED = { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } };
const grantsOf = async ({ browser }: ConsentWorld, of: TestOrg = org) =>
  good(of.admin.get(`/api/v1/users/${browser.userId}/grants`));
const grantEvents = ({ browser }: ConsentWorld) =>
  org.systemLog(`eventType eq "app.oauth2.as.consent.grant" and actor.id eq "${browser.userId}"`);
const allow = ({ client, fields }: Shown) => submit(client, { ...fields, decision: 'allow' });

describe('the page', () => {
  test('may not be framed, kept, sniffed or scripted, and leads nowhere but on', async () => {
    const { client, path } = await askedForConsent(org, await newConsentWorld(service, org));
    const { headers, text } = await client.get(path);
    const policy = String(headers['content-security-policy']);
    const [, nonce = ''] = /style-src 'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'self' https:",
      "frame-ancestors 'none'",
    ]);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
    expect(text).toContain(`<style nonce="${nonce}">`);
    expect(text).not.toMatch(/<script|\son\w+=|style=/);
    expect((await client.get(path)).text).not.toContain(nonce);
  });

  test('names app, org and user, and links to what the app says of itself', async () => {
    const settings = { tos_uri: 'https://app.example/tos?a=1&b=2', policy_uri: 'https://app.example/privacy' };
    const world = await newConsentWorld(service, org, { settings });
    const { page } = await askedForConsent(org, world);
    expect(page).toContain(world.app.label);
    expect(page).toContain(world.browser.login);
    for (const href of ['https://app.example/tos?a=1&amp;b=2', 'https://app.example/privacy']) {
      expect(page).toContain(`<a href="${href}" target="_blank" rel="noopener noreferrer">`);
    }
    expect(page).toContain(`<img src="${org.baseUrl}/assets/img/logos/default.svg" alt="">`);
  });

  test('shows every text as text', async () => {
    const evil = `"><img src=x onerror=alert(1)><script>alert('x')</script>`;
    const texts = { displayName: `See ${evil}`, description: `All ${evil}` };
    const scopes = { 'orders.read': { consent: 'REQUIRED', optional: true, ...texts } };
    const world = await newConsentWorld(service, org, { scopes });
    const { body: app } = await org.admin.get(`/api/v1/apps/${world.app.id}`);
    await good(org.admin.put(`/api/v1/apps/${world.app.id}`, { body: { ...app, label: evil.slice(0, 90) } }));
    const { page } = await askedForConsent(org, world, { scope: 'openid orders.read', state: evil });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img src=x');
    for (const start of ['', 'See ', 'All '])
      expect(page).toContain(`${start}&quot;&gt;&lt;img src=x onerror=alert(1)&gt;`);
  });

  test('is not for who needs no consent: the request goes on', async () => {
    const world = await newConsentWorld(service, org);
    const { client, path } = await askedForConsent(org, world);
    const stranger = org.client({ accept: 'text/html' });
    expect(await stranger.get(path)).toMatchObject(REFUSED);
    await allow(await askedForConsent(org, world));
    const response = await client.get(path);
    expect(response).toMatchObject({ status: 303, headers: { 'cache-control': 'no-store' } });
    expect(locationOf(response).startsWith(`${RESUME}?`)).toBe(true);
  });
});

describe('a request is answered in the browser that brought it alone', () => {
  test('not without its cookie, with another one, or with two', async () => {
    const world = await newConsentWorld(service, org);
    const { fields, flow, path } = await askedForConsent(org, world);
    const other = await begin(org, world);
    const { cookie } = world.browser;
    for (const cookies of [
      cookie,
      `${cookie}; __Host-flow=${other.flow}`,
      `${cookie}; __Host-flow=${flow}; __Host-flow=${flow}`,
      `${cookie}; flow=${flow}`,
    ]) {
      const client = org.client({ cookie: cookies, accept: 'text/html', origin: org.baseUrl });
      expect(await client.get(path)).toMatchObject(REFUSED);
      expect(await submit(client, { ...fields, decision: 'allow' })).toMatchObject(REFUSED);
    }
    expect(await grantsOf(world)).toEqual([]);
  });

  test('nor at another org', async () => {
    const other = await service.newOrg();
    const world = await newConsentWorld(service, org);
    const theirs = await newConsentWorld(service, other);
    const { fields, flow, path } = await askedForConsent(org, world);
    const cookie = `${theirs.browser.cookie}; __Host-flow=${flow}`;
    const client = other.client({ cookie, accept: 'text/html', origin: other.baseUrl });
    expect(await client.get(path)).toMatchObject(REFUSED);
    expect(await submit(client, { ...fields, decision: 'allow' })).toMatchObject(REFUSED);
    expect([...(await grantsOf(world)), ...(await grantsOf(theirs, other))]).toEqual([]);
  });

  test('nor by another user than the form was shown to', async () => {
    const world = await newConsentWorld(service, org);
    const { fields, flow, path } = await askedForConsent(org, world);
    const second = await newBrowser(service, org, world.app);
    const cookie = `${second.cookie}; __Host-flow=${flow}`;
    const client = org.client({ cookie, accept: 'text/html', origin: org.baseUrl });
    expect(await submit(client, { ...fields, decision: 'allow' })).toMatchObject(REFUSED);
    expect(formOf(await client.get(path)).page).toContain(second.login);
    expect(await good(org.admin.get(`/api/v1/users/${second.userId}/grants`))).toEqual([]);
    expect(await grantsOf(world)).toEqual([]);
  });

  test('nor when nobody is signed in any more: the request asks for that first', async () => {
    const world = await newConsentWorld(service, org);
    const { client, fields, path } = await askedForConsent(org, world);
    await good(org.admin.del(`/api/v1/users/${world.browser.userId}/sessions`));
    service.clock.advance(1_100);
    for (const response of [await client.get(path), await submit(client, { ...fields, decision: 'allow' })]) {
      expect(locationOf(response).startsWith(`${RESUME}?`)).toBe(true);
    }
    expect(await grantsOf(world)).toEqual([]);
  });

  test('nor when it is unknown or over', async () => {
    const world = await newConsentWorld(service, org);
    const { client, fields, path } = await askedForConsent(org, world);
    for (const bad of [CONSENT, `${CONSENT}?request=`, `${CONSENT}?request=${'a'.repeat(43)}`, `${path}x`]) {
      expect(await client.get(bad)).toMatchObject(REFUSED);
    }
    service.clock.advance(61 * 60_000);
    expect(await client.get(path)).toMatchObject(REFUSED);
    expect(await submit(client, { ...fields, decision: 'allow' })).toMatchObject(REFUSED);
  });
});

describe('the form', () => {
  test.each([
    ['without a token', { token: '' }, {}],
    ['with a wrong token', { token: 'A'.repeat(43) }, {}],
    ['without an answer', { decision: '' }, {}],
    ['with another answer', { decision: 'ALLOW' }, {}],
    ['of another site', {}, { origin: 'https://evil.example' }],
    ['of no site', {}, { origin: 'null' }],
  ])('%s is refused', async (_, changes, headers) => {
    const world = await newConsentWorld(service, org);
    const { client, fields } = await askedForConsent(org, world);
    const raw = new URLSearchParams({ ...fields, decision: 'allow', ...changes }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await client.post(CONSENT, { raw, headers: { ...type, ...headers } })).toMatchObject(REFUSED);
    expect(await grantsOf(world)).toEqual([]);
  });

  test('needs an origin, or the word of the browser that it is its own', async () => {
    const world = await newConsentWorld(service, org);
    const { fields, flow } = await askedForConsent(org, world);
    const cookie = `${world.browser.cookie}; __Host-flow=${flow}`;
    for (const [site, status] of [
      [undefined, 400],
      ['cross-site', 400],
      ['same-site', 400],
      ['none', 400],
      ['same-origin', 303],
    ] as const) {
      const client = org.client({ cookie, ...(site === undefined ? {} : { 'sec-fetch-site': site }) });
      expect([site, (await submit(client, { ...fields, decision: 'allow' })).status]).toEqual([site, status]);
    }
  });

  test('gives nothing that was not asked for', async () => {
    const world = await newConsentWorld(service, org);
    const { client, fields } = await askedForConsent(org, world, { scope: 'openid orders.read' });
    const scopes = await good(org.admin.get(`${world.server.path}/scopes?q=orders.write`));
    const more = { [`scope.${scopes[0].id}`]: 'on', 'scope.__proto__': 'on', decision: 'allow' };
    expect((await submit(client, { ...fields, ...more })).status).toBe(303);
    expect(await grantsOf(world)).toHaveLength(1);
  });

  test('that was shown for something else is shown again', async () => {
    const world = await newConsentWorld(service, org);
    const shown = await askedForConsent(org, world);
    const [scope] = await good(org.admin.get(`${world.server.path}/scopes?q=orders.list`));
    await good(org.admin.put(`${world.server.path}/scopes/${scope.id}`, { body: { ...scope, consent: 'REQUIRED' } }));
    const response = await allow(shown);
    expect(locationOf(response)).toBe(shown.path);
    expect(await grantsOf(world)).toEqual([]);
    expect(formOf(await shown.client.get(shown.path)).page).toContain('orders.list');
    const { decision: _, ...forged } = { ...shown.fields, asked: '', decision: '' };
    expect(locationOf(await submit(shown.client, { ...forged, decision: 'allow' }))).toBe(shown.path);
  });

  test('sent twice, and by ten at once, is one answer', async () => {
    const world = await newConsentWorld(service, org);
    const shown = await askedForConsent(org, world);
    const answers = await Promise.all(Array.from({ length: 10 }, () => allow(shown)));
    for (const response of [...answers, await allow(shown)]) {
      expect(response.status).toBe(303);
      expect(locationOf(response).startsWith(`${RESUME}?`)).toBe(true);
    }
    expect(await grantsOf(world)).toHaveLength(2);
    expect(await grantEvents(world)).toHaveLength(1);
  });

  test('of two answers the first counts', async () => {
    const world = await newConsentWorld(service, org);
    const shown = await askedForConsent(org, world);
    await submit(shown.client, { ...shown.fields, decision: 'deny' });
    await allow(shown);
    expect(await grantsOf(world)).toEqual([]);
    expect(locationOf(await shown.client.get(shown.path)).startsWith(`${RESUME}?`)).toBe(true);
  });
});
