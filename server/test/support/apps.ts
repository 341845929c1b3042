import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { expect } from 'vitest';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';

export const APPS = '/api/v1/apps';

type Given = Readonly<Record<string, unknown>>;

const appBody = (oauthClient: Given, credentials: Given, given: Given): Given => ({
  name: 'oidc_client',
  label: 'App',
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: credentials },
  settings: { oauthClient },
  ...given,
});

export const webSettings = (given: Given = {}): Given => ({
  application_type: 'web',
  grant_types: ['authorization_code'],
  redirect_uris: ['https://app.example.com/cb'],
  ...given,
});

export const webApp = (settings: Given = {}, credentials: Given = {}, given: Given = {}): Given =>
  appBody(webSettings(settings), credentials, given);

export const serviceApp = (settings: Given = {}, credentials: Given = {}, given: Given = {}): Given =>
  appBody({ application_type: 'service', grant_types: ['client_credentials'], ...settings }, credentials, given);

export async function createApp(org: TestOrg, body: Given = webApp()): Promise<TestResponse['body']> {
  const response = await org.admin.post(APPS, { body });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

export const newPublicJwk = (kid: string): JsonWebKey & { kid: string } => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
});

export const invalidField = (field: string) => ({
  status: 400,
  body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
});
