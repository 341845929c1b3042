import { assign, newApp } from '../support/app-assignments.ts';
import { answered, ask, newBrowser, newOidcApp } from '../support/authorization.ts';
import type { TestResponse } from '../support/client.ts';
import type { Refusal, UserWay } from './admission-ways.ts';

const DENIED: Refusal = { status: 400, body: { error: 'access_denied' } };

/** An authorization request with `prompt=none`, whose redirect is converted to the form of an API response. */
export const byAuthorization: UserWay = {
  name: 'an authorization request on a session',
  credential: 'session',
  status: 'ACTIVE',
  refusal: { status: 400, body: { error: 'login_required' } },
  appRefusal: DENIED,
  nextSteps: { PROVISIONED: DENIED, RECOVERY: DENIED, LOCKED_OUT: DENIED, PASSWORD_EXPIRED: DENIED },
  hold: async ({ org, service }) => {
    const app = await newOidcApp(org);
    const { client, userId } = await newBrowser(service, org, app);
    const attempt = async (): Promise<TestResponse> => {
      const response = await ask(client, app, { prompt: 'none' });
      const { parameters } = answered(response);
      return { ...response, status: 'error' in parameters ? 400 : 200, body: parameters };
    };
    return { userId, attempt };
  },
};

const NOT_STARTED: Refusal = { status: 403, body: { launched: false } };

/** The launch link of an app, whose redirect or page is converted to the form of an API response. */
export const byLaunch: UserWay = {
  name: 'a launch link on a session',
  credential: 'session',
  status: 'ACTIVE',
  refusal: { status: 401, body: { launched: false } },
  appRefusal: NOT_STARTED,
  nextSteps: {
    PROVISIONED: NOT_STARTED,
    RECOVERY: NOT_STARTED,
    LOCKED_OUT: NOT_STARTED,
    PASSWORD_EXPIRED: NOT_STARTED,
  },
  hold: async ({ org, service }) => {
    const app = await newApp(org);
    const { client, userId } = await newBrowser(service, org, null);
    await assign(org, app, { id: userId });
    const { pathname } = new URL(app._links.appLinks[0].href);
    const attempt = async (): Promise<TestResponse> => {
      const response = await client.get(pathname);
      const location = String(response.headers['location'] ?? '');
      const launched = location === app.settings.app.url;
      const status = launched ? 200 : response.status;
      return { ...response, status: location.startsWith('/signin?') ? 401 : status, body: { launched } };
    };
    return { userId, attempt };
  },
};
