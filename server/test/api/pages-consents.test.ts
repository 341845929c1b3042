import { describe, expect, test } from 'vitest';
import { newUser } from '../support/authn.ts';
import { ask, assign, newBrowser, newOidcApp } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import {
  allowAll,
  askedForConsent,
  begin,
  type ConsentWorld,
  locationOf,
  newConsentWorld,
  RESUME,
} from '../support/consents.ts';
import { good } from '../support/custom-servers.ts';
import { formsIn } from '../support/forms.ts';
import { openPageClient, type PageClient } from '../support/page-client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, refresh, tokensOf } from '../support/user-tokens.ts';

/**
 * This file tests the account page for consents, and the languages that clients ask for (specification 2.9;
 * ADR 0039).
 */
const { service, org } = useService();

const PATH = '/account/consents';
const headingOf = ({ text }: TestResponse): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';

function pagesOf({ browser }: Pick<ConsentWorld, 'browser'>, of: TestOrg = org): PageClient {
  const client = openPageClient(of);
  const [name = '', value = ''] = browser.cookie.split('=');
  client.cookies.set(name, value);
  return client;
}

const grantsOf = ({ browser }: ConsentWorld) => good(org.admin.get(`/api/v1/users/${browser.userId}/grants`));

async function allowed(): Promise<ConsentWorld> {
  const world = await newConsentWorld(service, org);
  await allowAll(org, world);
  return world;
}

describe('one’s own consents', () => {
  test('are listed by app, with what each may do, and taken back by app', async () => {
    const world = await allowed();
    const second = await newOidcApp(org, { settings: { consent_method: 'REQUIRED' } });
    await assign(org, second, world.browser.userId);
    await allowAll(org, { ...world, app: second });
    const pages = pagesOf(world);
    const { status, text } = await pages.get(PATH);
    expect(status).toBe(200);
    for (const part of [world.app.label, second.label, 'See your orders', 'orders.write']) expect(text).toContain(part);
    expect(text).not.toContain('orders.list');
    const taken = await pages.submit(PATH, { app: world.app.id }, PATH);
    expect(taken).toMatchObject({ status: 303, headers: { location: `${PATH}?done=takenBack` } });
    expect((await grantsOf(world)).map((grant: { clientId: string }) => grant.clientId)).toEqual([
      second.id,
      second.id,
    ]);
    const after = await pages.get(String(taken.headers['location']));
    expect(after.text).toContain('Access removed.');
    expect(after.text).not.toContain(`value="${world.app.id}"`);
    const [event] = await org.systemLog(
      `eventType eq "app.oauth2.as.consent.revoke" and actor.id eq "${world.browser.userId}"`,
    );
    expect(event).toMatchObject({ actor: { id: world.browser.userId } });
  });

  test('security 25: show every app that goes on by a refresh token, and end it there', async () => {
    const app = await newUserApp(org);
    const browser = await newBrowser(service, org, null, { userId: app.userId });
    const { refresh_token: token } = await tokensOf(service, org, app, { scopes: ['openid', 'offline_access'] });
    const pages = pagesOf({ browser });
    const { text } = await pages.get(PATH);
    for (const part of [`value="${app.id}"`, 'offline_access']) expect(text).toContain(part);
    expect((await pages.submit(PATH, { app: app.id }, PATH)).status).toBe(303);
    expect((await pages.get(PATH)).text).not.toContain(`value="${app.id}"`);
    expect((await refresh(org, app, token)).status).toBe(400);
  });

  test('are none for who has allowed nothing', async () => {
    const world = await newConsentWorld(service, org);
    expect((await pagesOf(world).get(PATH)).text).toContain('No app has access that you can remove.');
  });

  test('taken back twice, or of an app that is gone or none, is as good as once', async () => {
    const world = await allowed();
    const pages = pagesOf(world);
    const [form] = formsIn((await pages.get(PATH)).text).filter(({ action }) => action === PATH);
    for (const app of [world.app.id, world.app.id, '0oanobody', '']) {
      expect((await pages.post(PATH, { ...form?.fields, app })).status).toBe(303);
    }
    expect(await grantsOf(world)).toEqual([]);
  });

  test('are nobody else’s: neither shown nor taken back', async () => {
    const [world, other] = [await allowed(), await newConsentWorld(service, org)];
    const theirs = pagesOf(other);
    expect((await theirs.get(PATH)).text).not.toContain(world.app.label);
    await allowAll(org, { ...other });
    await theirs.submit(PATH, { app: world.app.id }, PATH);
    expect(await grantsOf(world)).toHaveLength(2);
  });

  test('are taken back by a form of our own page alone', async () => {
    const world = await allowed();
    const pages = pagesOf(world);
    const [form] = formsIn((await pages.get(PATH)).text).filter(({ action }) => action === PATH);
    const fields = { ...form?.fields, app: world.app.id };
    expect((await pages.post(PATH, { ...fields, formToken: 'x' })).status).toBe(403);
    expect((await pages.post(PATH, { app: world.app.id })).status).toBe(403);
    expect((await pages.post(PATH, fields, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await pages.post(PATH, fields, { origin: 'null' })).status).toBe(403);
    expect(await grantsOf(world)).toHaveLength(2);
  });

  test('ask who is not signed in to sign in, and lead back', async () => {
    const location = `/signin?fromURI=${encodeURIComponent(PATH)}`;
    const anonymous = openPageClient(org);
    expect(await anonymous.get(PATH)).toMatchObject({ status: 303, headers: { location } });
    expect(await anonymous.post(PATH, { app: 'x' })).toMatchObject({ status: 303, headers: { location } });
    expect((await anonymous.get(`${PATH}?done=other`)).status).toBe(400);
  });
});

describe('the language that an application asks for', () => {
  test('goes on to the sign-in page, and is remembered for what follows', async () => {
    const app = await newOidcApp(org);
    const user = await newUser(org);
    await assign(org, app, user.id);
    const asked = await ask(org.anonymous, app, { ui_locales: 'ja' });
    const signIn = locationOf(asked);
    expect(new URL(signIn, org.baseUrl).searchParams.get('ui_locales')).toBe('ja');
    const pages = openPageClient(org);
    expect(headingOf(await pages.get(signIn))).toBe('サインイン');
    expect((await pages.get('/signin')).text).toContain('<html lang="ja">');
  });

  test('goes on to the consent page', async () => {
    const world = await newConsentWorld(service, org);
    const { page, path } = await askedForConsent(org, world, { ui_locales: 'fr-CH de' });
    expect(new URL(path, org.baseUrl).searchParams.get('ui_locales')).toBe('fr-CH de');
    expect(page).toContain(`${world.app.label} demande un accès`);
    expect(page).toContain('<html lang="fr">');
  });

  test('is that of a refusal, by query and by form, and of signing out', async () => {
    const pages = openPageClient(org);
    const title = 'Diese Anfrage kann nicht fortgesetzt werden';
    expect(headingOf(await pages.get('/oauth2/v1/authorize?client_id=x&ui_locales=de-AT'))).toBe(title);
    expect(headingOf(await pages.post('/oauth2/v1/authorize', { client_id: 'x', ui_locales: 'de-AT' }))).toBe(title);
    expect(headingOf(await pages.get('/consent?request=x&ui_locales=de-AT'))).toBe(title);
    expect(headingOf(await pages.get(`${RESUME}?request=x`, { 'accept-language': 'de' }))).toBe(title);
    expect(headingOf(await pages.get('/oauth2/v1/logout?ui_locales=de-AT'))).toBe('Sie sind abgemeldet');
  });

  test('of the user counts where none is asked for', async () => {
    const world = await newConsentWorld(service, org);
    const { browser } = world;
    await good(org.admin.post(`/api/v1/users/${browser.userId}`, { body: { profile: { locale: 'es_ES' } } }));
    expect((await askedForConsent(org, world)).page).toContain(`${world.app.label} solicita acceso`);
    expect(headingOf(await pagesOf(world).get('/oauth2/v1/logout'))).toBe('¿Cerrar sesión?');
    const { client, response } = await begin(org, world, { ui_locales: 'en' });
    expect(headingOf(await client.get(locationOf(response)))).toBe(`${world.app.label} is requesting access`);
  });
});
