import { assign, type Browser, type NewOidcApp, newBrowser, newOidcApp, type OidcApp } from './authorization.ts';
import type { TestResponse } from './client.ts';
import { formsIn } from './forms.ts';
import { openPageClient, type PageClient } from './page-client.ts';
import type { TestOrg, TestService } from './service.ts';
import { requestTokens, type Sent } from './user-tokens.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const DEVICE = '/oauth2/v1/device/authorize';
export const ENTER = '/activate';

type Form = Readonly<Record<string, string | undefined>>;

export const newDeviceApp = (org: TestOrg, given: NewOidcApp = {}): Promise<OidcApp> =>
  newOidcApp(org, {
    applicationType: 'native',
    authMethod: 'none',
    ...given,
    settings: {
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      refresh_token: { rotation_type: 'ROTATE', leeway: 0 },
      ...given.settings,
    },
  });

/** Sends the device's request for a code. The value undefined omits a parameter. */
export const askDevice = (org: TestOrg, app: OidcApp, form: Form = {}, sent: Sent = {}): Promise<TestResponse> =>
  requestTokens(org, app, { scope: 'openid', ...form }, { path: DEVICE, ...sent });

export interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
}

export async function startDevice(
  org: TestOrg,
  app: OidcApp,
  form: Form = {},
  sent: Sent = {},
): Promise<StartedDevice> {
  const { body, status, text } = await askDevice(org, app, form, sent);
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return { deviceCode: body.device_code, userCode: body.user_code };
}

export const poll = (
  org: TestOrg,
  app: OidcApp,
  { deviceCode }: Pick<StartedDevice, 'deviceCode'>,
  sent: Sent = {},
  form: Form = {},
): Promise<TestResponse> =>
  requestTokens(org, app, { grant_type: DEVICE_GRANT, device_code: deviceCode, ...form }, sent);

export interface DeviceUser extends Pick<Browser, 'userId' | 'login' | 'externalSessionId'> {
  readonly browser: PageClient;
}

/** Signs in a user, by default a new one, in a new browser. Assigns the app to the user, unless the app is null. */
export async function newDeviceUser(
  service: TestService,
  org: TestOrg,
  app: Pick<OidcApp, 'id'> | null,
  userId?: string,
): Promise<DeviceUser> {
  const own = await newBrowser(service, org, userId === undefined ? app : null, userId === undefined ? {} : { userId });
  if (userId !== undefined && app !== null) await assign(org, app, userId);
  const browser = openPageClient(org);
  const [name = '', value = ''] = own.cookie.split('=');
  browser.cookies.set(name, value);
  return { browser, userId: own.userId, login: own.login, externalSessionId: own.externalSessionId };
}

export const locationOf = ({ headers }: TestResponse): string => String(headers['location'] ?? '');

export async function enterCode({ browser }: Pick<DeviceUser, 'browser'>, userCode: string): Promise<string> {
  const response = await browser.submit(ENTER, { user_code: userCode }, ENTER);
  if (response.status !== 303) throw new Error(`answered ${response.status}: ${response.text.slice(-1_500)}`);
  return locationOf(response);
}

export const answerAt = (
  { browser }: Pick<DeviceUser, 'browser'>,
  address: string,
  decision: 'allow' | 'deny',
): Promise<TestResponse> => browser.submit(address, { decision }, `${ENTER}/confirm`);

export async function answerDevice(
  user: Pick<DeviceUser, 'browser'>,
  { userCode }: Pick<StartedDevice, 'userCode'>,
  decision: 'allow' | 'deny' = 'allow',
): Promise<TestResponse> {
  return answerAt(user, await enterCode(user, userCode), decision);
}

export const ALLOWED = `${ENTER}?done=allowed`;
export const DENIED = `${ENTER}?done=denied`;

export async function allowedDevice(
  org: TestOrg,
  app: OidcApp,
  user: Pick<DeviceUser, 'browser'>,
  form: Form = {},
  sent: Sent = {},
): Promise<StartedDevice> {
  const device = await startDevice(org, app, form, sent);
  const response = await answerDevice(user, device);
  if (locationOf(response) !== ALLOWED) throw new Error(`answered ${response.status}: ${response.text.slice(-1_500)}`);
  return device;
}

export function shownForm({ text }: TestResponse, action: string): Record<string, string> {
  const form = formsIn(text).find((one) => one.action === action);
  if (form === undefined) throw new Error(`no form to ${action} in ${text.slice(-1_500)}`);
  return form.fields;
}
