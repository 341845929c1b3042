import { DEFAULT_PASSWORD_POLICY, type PasswordPolicy } from '../../src/management/users/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { listMails } from '../../src/platform/mail/index.ts';
import { methodsAt } from './addresses.ts';
import type { TestClient, TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import { CREDENTIALS, PASSWORD } from './users.ts';

export const AUTHN = '/api/v1/authn';
export const WRONG = 'Wrong-0-Password';

export const signIn = (
  client: TestClient,
  username: string,
  password: string = PASSWORD,
  more: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<TestResponse> =>
  client.post(AUTHN, { body: { username, password, ...more.body }, headers: more.headers ?? {} });

export const signInFrom = (
  client: TestClient,
  device: string,
  username: string,
  password: string = PASSWORD,
): Promise<TestResponse> => signIn(client, username, password, { headers: { 'x-device-fingerprint': device } });

export const step = (client: TestClient, path: string, body: object): Promise<TestResponse> =>
  client.post(`${AUTHN}${path}`, { body });

export const newUser = (org: TestOrg): Promise<TestResponse['body']> => org.createUser({ credentials: CREDENTIALS });

/** Returns the parts of a refusal that must not depend on its reason. */
export const comparable = ({ body, headers, status }: TestResponse) => {
  const { errorId: _, ...rest } = body;
  const names = Object.keys(headers).filter((name) => name !== 'content-length');
  return { status, body: rest, headers: names.toSorted() };
};

export const REFUSED = { status: 401, body: { errorCode: 'E0000004', errorSummary: 'Authentication failed' } };
export const INVALID_TOKEN = { status: 401, body: { errorCode: 'E0000011' } };
export const WRONG_STATE = {
  status: 403,
  body: {
    errorCode: 'E0000079',
    errorCauses: [{ errorSummary: 'This operation is not allowed in the current authentication state.' }],
  },
};

type Changes = { readonly [Part in keyof PasswordPolicy]?: Partial<PasswordPolicy[Part]> };

export const policyWith = ({ age, complexity, lockout, recovery }: Changes): PasswordPolicy => ({
  age: { ...DEFAULT_PASSWORD_POLICY.age, ...age },
  complexity: { ...DEFAULT_PASSWORD_POLICY.complexity, ...complexity },
  lockout: { ...DEFAULT_PASSWORD_POLICY.lockout, ...lockout },
  recovery: { ...DEFAULT_PASSWORD_POLICY.recovery, ...recovery },
});

/**
 * Returns the newest email to a user, with empty strings if there is none. `count` is the number of the user's emails
 * among the org's newest 200.
 */
export async function mailTo(
  service: TestService,
  org: TestOrg,
  user: TestResponse['body'],
): Promise<{ kind: string; subject: string; text: string; url: string; token: string; count: number }> {
  const mails = await listMails(service.application.db, masterKeyOf(Buffer.alloc(32, 7)), org.id, 200);
  const own = mails.filter(({ userId }) => userId === user.id);
  const { kind = '', subject = '', text } = own[0] ?? {};
  const url = /https:\/\/\S+/.exec(text ?? '')?.[0] ?? '';
  const leads = url === '' || methodsAt(service.application.routes, new URL(url).pathname).has('GET');
  if (!leads) throw new Error(`the mail ${kind} has a link to nowhere: ${url}`);
  return { kind, subject, text: text ?? '', url, token: url.slice(-20), count: own.length };
}

/** Starts a recovery as an app does. Returns the recovery token that the app gets. */
export const handOut = async (org: TestOrg, kind: 'password' | 'unlock', user: TestResponse['body']): Promise<string> =>
  (await step(org.admin, `/recovery/${kind}`, { username: user.profile.login })).body.recoveryToken;

/** Creates a policy that denies sign-ins from a network. Advances the clock, so that the policy applies at once. */
export async function denySignOn(
  service: TestService,
  org: TestOrg,
  network: object,
): Promise<{ policyId: string; ruleId: string }> {
  const people = { groups: { include: [] } };
  const policy = await org.admin.post('/api/v1/policies', {
    body: { type: 'SVC_SIGN_ON', name: 'deny', conditions: { people } },
  });
  const conditions = { network, authContext: { authType: 'ANY' } };
  const rule = await org.admin.post(`/api/v1/policies/${policy.body.id}/rules`, {
    body: { type: 'SIGN_ON', name: 'deny', conditions, actions: { signon: { access: 'DENY' } } },
  });
  if (rule.status !== 200) throw new Error(`there is no such rule: ${policy.text} ${rule.text}`);
  service.clock.advance(1_100);
  return { policyId: policy.body.id, ruleId: rule.body.id };
}
