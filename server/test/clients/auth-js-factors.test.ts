import { type AuthnTransaction, type FetchOptions, OktaAuth } from '@okta/okta-auth-js';
import { expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { beginStep, shownCode } from '../support/factors.ts';
import { mailedCode, userWithoutFactor } from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import { PASSWORD } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

/** Sends what the client sends through the test's own client, which trusts the certificate of the service. */
async function send(method: string, url: string, { data, headers }: FetchOptions) {
  if (method !== 'POST') throw new Error(`the classic transactions only post, but not ${method} ${url}`);
  const path = url.slice(org.baseUrl.length);
  const body = typeof data === 'string' ? JSON.parse(data) : data;
  const sent = Object.fromEntries(new Headers(headers));
  const response: TestResponse = await org.anonymous.post(path, { body, headers: sent });
  const { status, text } = response;
  const answer = { status, responseText: text, responseType: 'json', responseJSON: response.body, headers: {} };
  // The client reads the answer from the error.
  if (status >= 400) throw Object.assign(new Error(text), answer);
  return answer;
}

const newClient = (): OktaAuth =>
  new OktaAuth({
    issuer: `${org.baseUrl}/oauth2/default`,
    clientId: 'any',
    redirectUri: 'https://app.example/callback',
    httpRequestClient: send,
  });

type Step = (given?: object | string) => Promise<AuthnTransaction>;

/** Calls a function of a transaction, or of the factor of the given index. */
async function take(transaction: AuthnTransaction, name: string, given?: object | string, factor?: number) {
  const factors = Reflect.get(transaction, 'factors') as readonly object[];
  const step = Reflect.get(factor === undefined ? transaction : (factors[factor] ?? {}), name) as Step;
  return given === undefined ? step() : step(given);
}

test('@okta/okta-auth-js proves a mailbox, enrolls a factor and signs in with it by classic transactions', async () => {
  const user = await userWithoutFactor(service, org);
  const client = newClient();
  const signIn = () => client.signInWithCredentials({ username: user.profile.login, password: PASSWORD });
  let transaction = await signIn();
  expect(transaction.status).toBe('MFA_REQUIRED');
  transaction = await take(transaction, 'verify', {}, 0);
  expect(transaction.status).toBe('MFA_CHALLENGE');
  transaction = await take(transaction, 'resend', 'email');
  await expect(take(transaction, 'verify', { passCode: '1' })).rejects.toThrow('E0000068');
  transaction = await take(transaction, 'verify', { passCode: await mailedCode(service, org, user) });
  expect(transaction.status).toBe('MFA_ENROLL');
  transaction = await take(await take(transaction, 'enroll', undefined, 1), 'prev');
  expect(transaction.status).toBe('MFA_ENROLL');
  beginStep(service);
  transaction = await take(transaction, 'enroll', undefined, 0);
  expect(transaction).toMatchObject({
    status: 'MFA_ENROLL_ACTIVATE',
    factor: { activation: { qrcode: { type: 'image/gif' } } },
  });
  const enrolled = { _embedded: Reflect.get(transaction, 'factor') };
  const code = (steps = 0): string => shownCode(enrolled, service.clock.now(), steps);
  transaction = await take(transaction, 'activate', { passCode: code() });
  expect(transaction).toMatchObject({ status: 'SUCCESS', sessionToken: expect.any(String) });

  transaction = await signIn();
  const { stateToken } = Reflect.get(transaction, 'data');
  transaction = await client.tx.resume({ stateToken });
  expect(transaction.status).toBe('MFA_REQUIRED');
  transaction = await take(transaction, 'verify', { passCode: code(1) }, 0);
  expect(transaction).toMatchObject({ status: 'SUCCESS', sessionToken: expect.any(String) });
});
