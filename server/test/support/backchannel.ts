import { type NewOidcApp, newOidcApp, type OidcApp } from './authorization.ts';
import type { TestResponse } from './client.ts';
import { type DeviceUser, locationOf } from './devices.ts';
import type { TestOrg } from './service.ts';
import { requestTokens, type Sent } from './user-tokens.ts';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';
export const BACKCHANNEL = '/oauth2/v1/bc/authorize';
export const REQUESTS = '/account/requests';
export const CONFIRM = `${REQUESTS}/confirm`;

type Form = Readonly<Record<string, string | undefined>>;

/** Creates an app that may send backchannel requests, which users answer on other devices. */
export const newBackchannelApp = (org: TestOrg, given: NewOidcApp = {}): Promise<OidcApp> =>
  newOidcApp(org, {
    applicationType: 'web',
    authMethod: 'client_secret_basic',
    ...given,
    settings: {
      grant_types: ['authorization_code', 'refresh_token', CIBA_GRANT],
      refresh_token: { rotation_type: 'ROTATE', leeway: 0 },
      ...given.settings,
    },
  });

/** Sends a backchannel request as the app. The value undefined omits a parameter. */
export const askUser = (org: TestOrg, app: OidcApp, form: Form, sent: Sent = {}): Promise<TestResponse> =>
  requestTokens(org, app, { scope: 'openid', ...form }, { path: BACKCHANNEL, ...sent });

export interface StartedRequest {
  readonly authReqId: string;
}

export async function startRequest(
  org: TestOrg,
  app: OidcApp,
  { login }: Pick<DeviceUser, 'login'>,
  form: Form = {},
  sent: Sent = {},
): Promise<StartedRequest> {
  const { body, status, text } = await askUser(org, app, { login_hint: login, ...form }, sent);
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return { authReqId: body.auth_req_id };
}

export const pollRequest = (
  org: TestOrg,
  app: OidcApp,
  { authReqId }: StartedRequest,
  sent: Sent = {},
): Promise<TestResponse> => requestTokens(org, app, { grant_type: CIBA_GRANT, auth_req_id: authReqId }, sent);

/** Returns the form values that identify the user's waiting requests. */
export async function waitingOf({ browser }: Pick<DeviceUser, 'browser'>): Promise<string[]> {
  const { text } = await browser.get(REQUESTS);
  return [...text.matchAll(/name="waiting" value="([\w-]+)"/g)].map(([, value = '']) => value);
}

/** Opens a waiting request, by default the first on the page. Returns the path of the page with the question. */
export async function lookAt({ browser }: Pick<DeviceUser, 'browser'>, waiting?: string): Promise<string> {
  const wanted = waiting ?? (await waitingOf({ browser }))[0] ?? '';
  const response = await browser.submit(REQUESTS, { waiting: wanted }, REQUESTS);
  if (response.status !== 303) throw new Error(`answered ${response.status}: ${response.text.slice(-1_500)}`);
  return locationOf(response);
}

export const answerQuestion = (
  { browser }: Pick<DeviceUser, 'browser'>,
  address: string,
  decision: 'allow' | 'deny',
): Promise<TestResponse> => browser.submit(address, { decision }, CONFIRM);

export const openQuestion = async ({ browser }: Pick<DeviceUser, 'browser'>, address: string) => {
  const send = await browser.open(address, CONFIRM);
  return (decision: 'allow' | 'deny'): Promise<TestResponse> => send({ decision });
};

export const answerRequest = async (
  user: Pick<DeviceUser, 'browser'>,
  decision: 'allow' | 'deny' = 'allow',
): Promise<TestResponse> => answerQuestion(user, await lookAt(user), decision);

export const REQUEST_ALLOWED = `${REQUESTS}?done=allowed`;
export const REQUEST_DENIED = `${REQUESTS}?done=denied`;

export async function allowedRequest(
  org: TestOrg,
  app: OidcApp,
  user: Pick<DeviceUser, 'browser' | 'login'>,
  form: Form = {},
  sent: Sent = {},
): Promise<StartedRequest> {
  const request = await startRequest(org, app, user, form, sent);
  const response = await answerRequest(user);
  if (locationOf(response) !== REQUEST_ALLOWED) {
    throw new Error(`answered ${response.status}: ${response.text.slice(-1_500)}`);
  }
  return request;
}

/** Returns whether an authenticated client was refused because it lacks the grant type. */
export const lacksBackchannelGrant = ({ text }: Pick<TestResponse, 'text'>): boolean =>
  text.includes(`The client doesn't have the '${CIBA_GRANT}' grant type configured.`);
