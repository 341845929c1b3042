import { beforeAll, expect, test } from 'vitest';
import {
  ALL_RESPONSES,
  answered,
  ask,
  type Browser,
  cookieOf,
  newBrowser,
  newOidcApp,
  type OidcApp,
  withCookies,
} from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';

/** This file tests `id_token_hint` (OpenID Connect Core 3.1.2.1). */
const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newOidcApp(org, { settings: ALL_RESPONSES }));
const ada = beforeTests(() => newBrowser(service, org, app));
const bob = beforeTests(() => newBrowser(service, org, app));
let hint: string;

const idToken = async ({ client }: Browser, of: OidcApp, path?: string): Promise<string> => {
  const changes = { response_type: 'id_token', nonce: 'n' };
  return answered(await ask(client, of, changes, path)).parameters['id_token'] ?? '';
};

beforeAll(async () => {
  hint = await idToken(ada, app);
});

test('an ID token of whoever is signed in changes nothing, however old it is', async () => {
  expect(answered(await ask(ada.client, app, { id_token_hint: hint, prompt: 'none' })).parameters).toHaveProperty(
    'code',
  );
  service.clock.advance(100 * 60_000);
  const { parameters } = answered(await ask(ada.client, app, { id_token_hint: hint, prompt: 'none' }));
  expect(parameters).toHaveProperty('code');
});

test('of somebody else is login_required without a prompt', async () => {
  const { parameters } = answered(await ask(bob.client, app, { id_token_hint: hint, prompt: 'none' }));
  expect(parameters).toMatchObject({ error: 'login_required' });
});

test('of somebody else asks to sign in again, and whoever does so as another is refused', async () => {
  const response = await ask(bob.client, app, { id_token_hint: hint });
  const { parameters, to } = answered(response);
  expect([to, parameters['reauthenticate']]).toEqual(['/signin', 'true']);
  const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
  service.clock.advance(1_000);
  const again = await newBrowser(service, org, null, { userId: bob.userId });
  const resumed = await withCookies(org, flow, again.cookie).get(parameters['fromURI'] ?? '');
  expect(answered(resumed).parameters).toMatchObject({ error: 'login_required', state: 'xyz' });
});

test('whoever it was of goes on', async () => {
  const response = await ask(bob.client, app, { id_token_hint: hint });
  const flow = `__Host-flow=${cookieOf(response, '__Host-flow')}`;
  service.clock.advance(1_000);
  const again = await newBrowser(service, org, null, { userId: ada.userId });
  const resumed = await withCookies(org, flow, again.cookie).get(answered(response).parameters['fromURI'] ?? '');
  expect(answered(resumed).parameters).toHaveProperty('code');
});

test('of another client, another server, or with another signature is none', async () => {
  const other = await newOidcApp(org, { settings: ALL_RESPONSES });
  const fresh = await newBrowser(service, org, other, { userId: ada.userId });
  const server = await newCustomServer(org, { grantTypes: ['implicit'] });
  const forged = `${hint.slice(0, -4)}AAAA`;
  const hints = [await idToken(fresh, other), forged];
  hints.push(await idToken(fresh, other, `${server.oauth}/v1/authorize`));
  expect(hints.every((one) => one.length > 200)).toBe(true);
  for (const one of hints) {
    const { parameters } = answered(await ask(fresh.client, app, { id_token_hint: one, prompt: 'none' }));
    expect(parameters).toMatchObject({ error: 'invalid_request' });
  }
});
