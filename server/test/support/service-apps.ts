import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { RequestOptions, TestClient, TestResponse } from './client.ts';
import { nextKeyPair } from './made-keys.ts';
import type { TestOrg } from './service.ts';

export interface TestKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

const newPair = (algorithm: string) => {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return nextKeyPair();
};

/** Makes a key pair. `more` changes members of the registered key, for example `use`. */
export function newTestKey(algorithm = 'RS256', more: Readonly<Record<string, unknown>> = {}): TestKey {
  const { privateKey, publicKey } = newPair(algorithm);
  const kid = randomUUID();
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', ...more };
  return { kid, algorithm, privateKey, publicKey, jwk };
}

export interface NamedClient {
  readonly id: string;
  readonly clientId?: string;
}

export const clientIdOf = ({ clientId, id }: NamedClient): string => clientId ?? id;

export interface ServiceApp extends NamedClient {
  readonly key: TestKey;
  readonly secret: string | undefined;
}

export interface NewServiceApp {
  /** The client id that the administrator chooses. By default, it is the id of the app. */
  readonly clientId?: string;
  readonly key?: TestKey;
  readonly otherKeys?: readonly TestKey[];
  /** Names of API scopes, as sent on the wire. */
  readonly scopes?: readonly string[];
  readonly roles?: readonly string[];
  readonly applicationType?: string;
  readonly authMethod?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

let labels = 0;

const expected = (response: TestResponse, status: number): TestResponse => {
  if (response.status !== status) throw new Error(`answered ${response.status}: ${response.text}`);
  return response;
};

export async function newServiceApp(org: TestOrg, options: NewServiceApp = {}): Promise<ServiceApp> {
  const { key = newTestKey(), otherKeys = [], scopes = ['svc.users.read'], roles = [] } = options;
  const { applicationType = 'service', authMethod = 'private_key_jwt', clientId, settings = {} } = options;
  labels += 1;
  const isService = applicationType === 'service';
  const chosen = clientId === undefined ? {} : { client_id: clientId };
  const keys = authMethod === 'private_key_jwt' ? { jwks: { keys: [key, ...otherKeys].map(({ jwk }) => jwk) } } : {};
  const created = await org.seeds.post('/api/v1/apps', {
    body: {
      name: 'oidc_client',
      label: `Service ${labels}`,
      signOnMode: 'OPENID_CONNECT',
      credentials: { oauthClient: { token_endpoint_auth_method: authMethod, ...chosen } },
      settings: {
        oauthClient: {
          application_type: applicationType,
          grant_types: [isService ? 'client_credentials' : 'authorization_code'],
          response_types: [isService ? 'token' : 'code'],
          ...(isService ? {} : { redirect_uris: ['https://app.example/callback'] }),
          ...keys,
          ...settings,
        },
      },
    },
  });
  const { id, credentials } = expected(created, 200).body;
  for (const scopeId of scopes) {
    const body = { issuer: org.baseUrl, scopeId };
    expected(await org.seeds.post(`/api/v1/apps/${id}/grants`, { body }), 201);
  }
  const { client_id: called, client_secret: secret } = credentials.oauthClient;
  const own = `/oauth2/v1/clients/${called}/roles`;
  for (const type of roles) expected(await org.seeds.post(own, { body: { type } }), 201);
  return { id, key, secret, ...(clientId === undefined ? {} : { clientId }) };
}

export type Claims = Readonly<Record<string, unknown>>;

/** Builds the claims of a valid client assertion, with `changes` applied. A change to undefined omits the claim. */
export function claimsOf(org: TestOrg, clientId: string, now: Date, changes: Claims = {}): Claims {
  const seconds = Math.floor(now.getTime() / 1_000);
  const aud = `${org.baseUrl}/oauth2/v1/token`;
  return { iss: clientId, sub: clientId, aud, iat: seconds, exp: seconds + 300, jti: randomUUID(), ...changes };
}

/**
 * Signs claims with a key. `header` changes members of the protected header; a change to undefined omits the member.
 */
export const signAssertion = (key: TestKey, claims: Claims, header: Readonly<Record<string, unknown>> = {}) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header }).sign(key.privateKey);

/** Builds the body of a token request, with `changes` applied. A change to undefined omits the parameter. */
export function tokenForm(assertion: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = {
    grant_type: 'client_credentials',
    scope: 'svc.users.read',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    ...changes,
  };
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return new URLSearchParams(given).toString();
}

/** Posts a form as browsers and OAuth clients do. A string is sent unchanged. */
export const postForm = (
  client: TestClient,
  path: string,
  form: string | Readonly<Record<string, string>>,
  options: RequestOptions = {},
): Promise<TestResponse> =>
  client.post(path, {
    ...options,
    raw: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
  });

export async function requestToken(
  org: TestOrg,
  app: ServiceApp,
  now: Date,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<TestResponse> {
  const assertion = await signAssertion(app.key, claimsOf(org, clientIdOf(app), now));
  return postForm(org.anonymous, '/oauth2/v1/token', tokenForm(assertion, changes));
}
