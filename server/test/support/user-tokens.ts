import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import {
  type AuthorizationCode,
  insertAuthorizationCode,
  newAuthorizationCode,
} from '../../src/oauth/authorization-codes/index.ts';
import { assign, CALLBACK, type NewOidcApp, newOidcApp, newPkce, type OidcApp } from './authorization.ts';
import type { TestClient, TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import { clientIdOf, type NamedClient, postForm } from './service-apps.ts';
import { CREDENTIALS } from './users.ts';

export const TOKEN = '/oauth2/v1/token';

type Json = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, string | undefined>>;

/** An app that may use codes and refresh tokens, and its user. By default, refresh tokens rotate without leeway. */
export interface UserApp extends OidcApp {
  readonly userId: string;
  readonly login: string;
}

export interface NewUserApp extends NewOidcApp {
  readonly rotation?: { readonly rotation_type: 'ROTATE' | 'STATIC'; readonly leeway: number };
  readonly userId?: string;
  readonly profile?: Json;
}

export async function newUserApp(org: TestOrg, given: NewUserApp = {}): Promise<UserApp> {
  const { profile, rotation = { rotation_type: 'ROTATE', leeway: 0 }, settings = {} } = given;
  const app = await newOidcApp(org, {
    ...given,
    settings: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      refresh_token: rotation,
      ...settings,
    },
  });
  const user = await org.createUser({ credentials: CREDENTIALS, ...(profile === undefined ? {} : { profile }) });
  await assign(org, app, user.id);
  return { ...app, userId: user.id, login: user.profile.login };
}

export interface NewCode {
  readonly code: string;
  readonly verifier: string;
}

export async function newCode(
  service: TestService,
  org: TestOrg,
  app: NamedClient & Pick<UserApp, 'userId'>,
  changes: Partial<AuthorizationCode> = {},
): Promise<NewCode> {
  const { code, hash } = newAuthorizationCode();
  const { parameters, verifier } = newPkce();
  const now = service.clock.now();
  await insertAuthorizationCode(service.database.db, org.id, {
    hash,
    serverId: '',
    clientId: clientIdOf(app),
    userId: app.userId,
    sessionExternalId: null,
    redirectUri: CALLBACK,
    scopes: ['openid', 'offline_access'],
    nonce: null,
    codeChallenge: parameters['code_challenge'] ?? null,
    dpopJkt: null,
    authTime: new Date(now.getTime() - 60_000),
    amr: ['pwd'],
    details: {},
    createdAt: now,
    expiresAt: new Date(now.getTime() + 60_000),
    ...changes,
  });
  return { code, verifier };
}

const present = (form: Form): Record<string, string> =>
  Object.fromEntries(Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

export interface Sent {
  /** Additional headers. The header `authorization` replaces the client authentication. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly client?: TestClient;
}

/** Sends a form as the app. An app with a secret authenticates by HTTP Basic; any other sends only its client id. */
export function requestTokens(org: TestOrg, app: OidcApp, form: Form, sent: Sent = {}): Promise<TestResponse> {
  const { client = org.anonymous, headers = {}, path = TOKEN } = sent;
  const basic = Buffer.from(`${clientIdOf(app)}:${app.secret ?? ''}`).toString('base64');
  const own = app.secret === undefined ? {} : { authorization: `Basic ${basic}` };
  const named = app.secret === undefined ? { client_id: clientIdOf(app) } : {};
  return postForm(client, path, present({ ...named, ...form }), { headers: { ...own, ...headers } });
}

export const redeem = (
  org: TestOrg,
  app: OidcApp,
  { code, verifier }: NewCode,
  changes: Form = {},
  sent: Sent = {},
): Promise<TestResponse> =>
  requestTokens(
    org,
    app,
    { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier, ...changes },
    sent,
  );

export const refresh = (
  org: TestOrg,
  app: OidcApp,
  token: string,
  changes: Form = {},
  sent: Sent = {},
): Promise<TestResponse> =>
  requestTokens(org, app, { grant_type: 'refresh_token', refresh_token: token, ...changes }, sent);

export async function tokensOf(
  service: TestService,
  org: TestOrg,
  app: UserApp,
  changes: Partial<AuthorizationCode> = {},
  sent: Sent = {},
): Promise<TestResponse['body']> {
  const response = await redeem(org, app, await newCode(service, org, app, changes), {}, sent);
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${response.text}`);
  return response.body;
}

export const payloadOf = (jwt: string): TestResponse['body'] =>
  JSON.parse(Buffer.from(String(jwt.split('.')[1]), 'base64url').toString());

export interface ProofKey {
  readonly jkt: string;
  readonly proof: (claims: Json) => Promise<string>;
}

export async function newProofKey(service: TestService): Promise<ProofKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return {
    jkt: await calculateJwkThumbprint(jwk),
    proof: (claims) =>
      new SignJWT({ iat: Math.floor(service.clock.now().getTime() / 1_000), jti: randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey),
  };
}

/** Sends a POST request with a DPoP proof. If the response contains a nonce, repeats the request with this nonce. */
export async function withProof(
  org: TestOrg,
  key: ProofKey,
  path: string,
  ask: (headers: Readonly<Record<string, string>>) => Promise<TestResponse>,
): Promise<TestResponse> {
  const claims = { htm: 'POST', htu: `${org.baseUrl}${path}` };
  const first = await ask({ dpop: await key.proof(claims) });
  const nonce = first.headers['dpop-nonce'];
  return nonce === undefined ? first : ask({ dpop: await key.proof({ ...claims, nonce }) });
}
