import {
  type Browser,
  type Changes,
  cookieOf,
  newBrowser,
  newOidcApp,
  type OidcApp,
  requestOf,
} from './authorization.ts';
import type { TestClient, TestResponse } from './client.ts';
import { type CustomServer, type NewCustomServer, newCustomServer } from './custom-servers.ts';
import { DEVICE_GRANT } from './devices.ts';
import { type Form, firstFormIn } from './forms.ts';
import type { TestOrg, TestService } from './service.ts';

type Json = Readonly<Record<string, unknown>>;

export const CONSENT = '/consent';
export const RESUME = '/oauth2/v1/authorize/resume';

/**
 * Scopes of a custom server: one requires consent, one requires consent but users may leave it out, and one needs no
 * consent.
 */
export const ORDERS: NonNullable<NewCustomServer['scopes']> = {
  'orders.read': { consent: 'REQUIRED', displayName: 'See your orders', description: 'All of them, old ones too' },
  'orders.write': { consent: 'REQUIRED', optional: true },
  'orders.list': { consent: 'IMPLICIT' },
};

export interface ConsentWorld {
  readonly app: OidcApp;
  readonly server: CustomServer;
  readonly browser: Browser;
}

export const newServer = (org: TestOrg, scopes = ORDERS): Promise<CustomServer> =>
  newCustomServer(org, { scopes, grantTypes: ['authorization_code', DEVICE_GRANT] });

/** Creates an app that requires consent, a custom server, and a browser in which a user of the app has signed in. */
export async function newConsentWorld(
  service: TestService,
  org: TestOrg,
  given: { readonly clientId?: string; readonly settings?: Json; readonly scopes?: NewCustomServer['scopes'] } = {},
): Promise<ConsentWorld> {
  const { clientId } = given;
  const app = await newOidcApp(org, {
    ...(clientId === undefined ? {} : { clientId }),
    settings: {
      consent_method: 'REQUIRED',
      grant_types: ['authorization_code', 'refresh_token'],
      ...given.settings,
    },
  });
  return { app, server: await newServer(org, given.scopes), browser: await newBrowser(service, org, app) };
}

export const ALL_SCOPES = 'openid orders.read orders.write orders.list';

/** Sends an authorization request. The returned client sends the flow cookie and the browser's cookie. */
export async function begin(
  org: TestOrg,
  { app, browser, server }: ConsentWorld,
  changes: Changes = {},
): Promise<{ readonly client: TestClient; readonly response: TestResponse; readonly flow: string }> {
  const query = new URLSearchParams(requestOf(app, { scope: ALL_SCOPES, ...changes })).toString();
  const response = await browser.client.get(`${server.oauth}/v1/authorize?${query}`);
  const flow = cookieOf(response, '__Host-flow') ?? '';
  const cookie = `${browser.cookie}; __Host-flow=${flow}`;
  return { client: org.client({ cookie, accept: 'text/html', origin: org.baseUrl }), response, flow };
}

export const locationOf = ({ headers }: TestResponse): string => String(headers['location'] ?? '');

export interface ShownForm extends Pick<Form, 'boxes' | 'fields'> {
  readonly page: string;
}

export function formOf(response: TestResponse): ShownForm {
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${locationOf(response)} ${response.text}`);
  return { ...firstFormIn(response.text), page: response.text };
}

export const submit = (client: TestClient, fields: Readonly<Record<string, string>>): Promise<TestResponse> =>
  client.post(CONSENT, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

export interface Shown extends ShownForm {
  readonly client: TestClient;
  readonly flow: string;
  readonly path: string;
}

/** Sends an authorization request and opens the consent page. */
export async function askedForConsent(org: TestOrg, world: ConsentWorld, changes: Changes = {}): Promise<Shown> {
  const { client, flow, response } = await begin(org, world, changes);
  const path = locationOf(response);
  if (!path.startsWith(`${CONSENT}?`)) throw new Error(`not asked: ${response.status} ${path} ${response.text}`);
  return { ...formOf(await client.get(path)), client, flow, path };
}

/** Submits the consent page and follows the redirect. Returns the parameters that the client receives. */
export async function answerWith(
  shown: Shown,
  decision: 'allow' | 'deny',
  leaveOut: readonly string[] = [],
): Promise<Record<string, string>> {
  const fields = Object.fromEntries(Object.entries(shown.fields).filter(([name]) => !leaveOut.includes(name)));
  const response = await submit(shown.client, { ...fields, decision });
  if (response.status !== 303) throw new Error(`answered ${response.status}: ${response.text}`);
  return resumed(await shown.client.get(locationOf(response)));
}

export const resumed = (response: TestResponse): Record<string, string> =>
  Object.fromEntries(new URL(locationOf(response), 'https://nowhere.example').searchParams);

export const allowAll = async (org: TestOrg, world: ConsentWorld): Promise<Record<string, string>> =>
  answerWith(await askedForConsent(org, world), 'allow');
