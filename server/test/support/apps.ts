import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { expect } from 'vitest';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

/** The address of apps. */
export const APPS = '/api/v1/apps';

type Given = Readonly<Record<string, unknown>>;

/** The body of an OIDC app with these settings and credentials of its client. */
const appBody = (oauthClient: Given, credentials: Given, given: Given): Given => ({
  name: 'oidc_client',
  label: 'App',
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: credentials },
  settings: { oauthClient },
  ...given,
});

/** Valid settings of a web client with these changes. */
export const webSettings = (given: Given = {}): Given => ({
  application_type: 'web',
  grant_types: ['authorization_code'],
  redirect_uris: ['https://app.example.com/cb'],
  ...given,
});

/** A valid web app with these changes. */
export const webApp = (settings: Given = {}, credentials: Given = {}, given: Given = {}): Given =>
  appBody(webSettings(settings), credentials, given);

/** A valid service app with these changes. */
export const serviceApp = (settings: Given = {}, credentials: Given = {}, given: Given = {}): Given =>
  appBody({ application_type: 'service', grant_types: ['client_credentials'], ...settings }, credentials, given);

/** Creates an app and returns the answer. */
export async function createApp(org: TestOrg, body: Given = webApp()): Promise<TestResponse['body']> {
  const response = await org.admin.post(APPS, { body });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** A new public key, ready to be registered. */
export const newPublicJwk = (kid: string): JsonWebKey & { kid: string } => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
});

/** The refusal that names this field. */
export const invalidField = (field: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
});
