import { expect, test } from 'vitest';
import {
  answered,
  ask,
  type Browser,
  ERROR_PAGE,
  newBrowser,
  newOidcApp,
  type OidcApp,
} from '../support/authorization.ts';
import { behind as commitBehind } from '../support/behind.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';

/**
 * This file tests changes to the app, the session and the user of an authorization code. Each change commits while the
 * code is requested (ADR 0036).
 */
const { service, org } = useService();
let app: OidcApp;
let browser: Browser;

const behind = (change: string, values: readonly unknown[], send: () => Promise<TestResponse>) =>
  commitBehind(service, change, values, send);

const begin = async () => {
  app = await newOidcApp(org);
  browser = await newBrowser(service, org, app);
};

test('a redirect URI is taken away: the request is read again, and goes nowhere', async () => {
  await begin();
  const change = `update apps set revision = revision + 1,
    document = jsonb_set(document, '{settings,oauthClient,redirect_uris}', '["https://new.example/cb"]')
    where org_id = $1 and id = $2`;
  const answer = await behind(change, [org.id, app.id], () => ask(browser.client, app));
  expect(answer).toMatchObject(ERROR_PAGE);
});

test('something else of the app is changed: the request is read again, and answered', async () => {
  await begin();
  const change = `update apps set revision = revision + 1, label = 'Renamed' where org_id = $1 and id = $2`;
  const answer = await behind(change, [org.id, app.id], () => ask(browser.client, app));
  expect(answered(answer).parameters).toHaveProperty('code');
});

test('the app is deactivated', async () => {
  await begin();
  const change = `update apps set revision = revision + 1, status = 'INACTIVE' where org_id = $1 and id = $2`;
  expect(await behind(change, [org.id, app.id], () => ask(browser.client, app))).toMatchObject(ERROR_PAGE);
});

test('the session ends', async () => {
  await begin();
  const change = 'delete from sessions where org_id = $1 and external_id = $2';
  const answer = await behind(change, [org.id, browser.externalSessionId], () => ask(browser.client, app));
  expect(answered(answer).to).toBe('/signin');
});

test('the user is suspended', async () => {
  await begin();
  const change = `update users set status = 'SUSPENDED', valid_after = clock_timestamp() where org_id = $1 and id = $2`;
  const answer = await behind(change, [org.id, browser.userId], () => ask(browser.client, app, { prompt: 'none' }));
  expect(answered(answer).parameters).toMatchObject({ error: 'login_required' });
  const text = 'select 1 from authorization_codes where org_id = $1 and user_id = $2';
  expect((await service.database.pool.query(text, [org.id, browser.userId])).rows).toEqual([]);
});
