import { describe, expect, test } from 'vitest';
import {
  answered,
  ask,
  type Browser,
  CALLBACK,
  cookieOf,
  newBrowser,
  newOidcApp,
  type OidcApp,
  withCookies,
} from '../support/authorization.ts';
import { good } from '../support/custom-servers.ts';
import { answerAt, enterCode, newDeviceApp, newDeviceUser, poll, startDevice } from '../support/devices.ts';
import { createPolicy, createRule, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

/** This file tests how an app's sign-on policy limits the age of a sign-in (ADR 0053). */
const { service, org } = useService({ isShared: false });

async function putUnder(app: { readonly id: string }, reauthenticateIn: string): Promise<void> {
  const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: `${reauthenticateIn} of ${app.id}` });
  const verificationMethod = { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn };
  const actions = { appSignOn: { access: 'ALLOW', verificationMethod } };
  await createRule(org, `${POLICIES}/${policy.id}`, { type: 'ACCESS_POLICY', name: 'Rule', actions });
  await good(org.admin.put(`/api/v1/apps/${app.id}/policies/${policy.id}`));
  service.clock.advance(1_100);
}

const silently = async ({ client }: Browser, app: OidcApp) =>
  answered(await ask(client, app, { prompt: 'none' })).parameters;

describe('how old a sign-in may be', () => {
  test('is asked of every request: who signed in longer ago is asked to, and goes on then', async () => {
    const app = await newOidcApp(org);
    const browser = await newBrowser(service, org, app);
    await putUnder(app, 'PT1H');
    expect(await silently(browser, app)).toHaveProperty('code');
    service.clock.advance(61 * 60_000);
    expect(await silently(browser, app)).toMatchObject({ error: 'login_required' });
    const begun = await ask(browser.client, app);
    const { parameters, to } = answered(begun);
    expect({ to, again: parameters['reauthenticate'] }).toEqual({ to: '/signin', again: 'true' });
    const flow = `__Host-flow=${cookieOf(begun, '__Host-flow')}`;
    const { cookie } = await newBrowser(service, org, null, { userId: browser.userId });
    const resumed = answered(await withCookies(org, flow, cookie).get(parameters['fromURI'] ?? ''));
    expect(resumed).toMatchObject({ to: CALLBACK, parameters: { code: expect.any(String) } });
  });

  test('PT0S: each request has a sign-in of its own', async () => {
    const app = await newOidcApp(org);
    const browser = await newBrowser(service, org, app);
    await putUnder(app, 'PT0S');
    const begun = await ask(browser.client, app);
    const { parameters, to } = answered(begun);
    expect(to).toBe('/signin');
    const flow = `__Host-flow=${cookieOf(begun, '__Host-flow')}`;
    const { cookie } = await newBrowser(service, org, null, { userId: browser.userId });
    const resumed = answered(await withCookies(org, flow, cookie).get(parameters['fromURI'] ?? ''));
    expect(resumed.parameters).toHaveProperty('code');
    expect(answered(await ask(withCookies(org, cookie), app)).to).toBe('/signin');
  });

  test('is asked of whoever allows a device', async () => {
    const app = await newDeviceApp(org);
    const user = await newDeviceUser(service, org, app);
    await putUnder(app, 'PT1H');
    service.clock.advance(61 * 60_000);
    const device = await startDevice(org, app);
    const { headers, status } = await answerAt(user, await enterCode(user, device.userCode), 'allow');
    expect(status).toBe(303);
    expect(String(headers['location'])).toMatch(/^\/signin\?reauthenticate=true&fromURI=/);
    expect(await poll(org, app, device)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
  });
});
