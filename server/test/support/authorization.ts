import { createHash, randomBytes } from 'node:crypto';
import type { TestClient, TestResponse } from './client.ts';
import { good } from './custom-servers.ts';
import { firstFormIn } from './forms.ts';
import type { TestOrg, TestService } from './service.ts';
import { clientIdOf, type NamedClient, postForm } from './service-apps.ts';
import { openSession } from './session-tokens.ts';
import { CREDENTIALS } from './users.ts';

export const CALLBACK = 'https://app.example/callback';
export const AUTHORIZE = '/oauth2/v1/authorize';

type Json = Readonly<Record<string, unknown>>;

export interface NewOidcApp {
  /** The client id that the administrator chooses. By default, it is the id of the app. */
  readonly clientId?: string;
  readonly applicationType?: string;
  readonly authMethod?: string;
  readonly pkceRequired?: boolean;
  readonly settings?: Json;
  readonly scopes?: readonly string[];
}

export interface OidcApp extends NamedClient {
  readonly label: string;
  readonly secret: string | undefined;
}

let labels = 0;

export async function newOidcApp(org: TestOrg, given: NewOidcApp = {}): Promise<OidcApp> {
  const { applicationType = 'web', authMethod = 'client_secret_basic', scopes = [], settings = {} } = given;
  const { clientId, pkceRequired = authMethod === 'none' } = given;
  labels += 1;
  const label = `App ${labels}`;
  const chosen = clientId === undefined ? {} : { clientId };
  const oauthClient = {
    token_endpoint_auth_method: authMethod,
    pkce_required: pkceRequired,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  };
  const body = {
    name: 'oidc_client',
    label,
    signOnMode: 'OPENID_CONNECT',
    credentials: { oauthClient },
    settings: {
      oauthClient: {
        application_type: applicationType,
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        ...settings,
      },
    },
  };
  const { credentials, id } = await good(org.seeds.post('/api/v1/apps', { body }));
  for (const scopeId of scopes) {
    await good(org.seeds.post(`/api/v1/apps/${id}/grants`, { body: { issuer: org.baseUrl, scopeId } }));
  }
  return { id, label, secret: credentials.oauthClient.client_secret, ...chosen };
}

export const ALL_RESPONSES: Json = {
  grant_types: ['authorization_code', 'implicit', 'refresh_token'],
  response_types: ['code', 'id_token', 'token'],
};

export const assign = (org: TestOrg, app: Pick<OidcApp, 'id'>, userId: string): Promise<TestResponse['body']> =>
  good(org.seeds.post(`/api/v1/apps/${app.id}/users`, { body: { id: userId, scope: 'USER' } }));

export interface Browser {
  readonly userId: string;
  readonly login: string;
  readonly externalSessionId: string;
  readonly cookie: string;
  readonly client: TestClient;
}

/** Signs in a user, by default a new one, in a new browser. Assigns the app to the user, unless the app is null. */
export async function newBrowser(
  service: TestService,
  org: TestOrg,
  app: Pick<OidcApp, 'id'> | null,
  given: { readonly userId?: string } = {},
): Promise<Browser> {
  const userId = given.userId ?? (await org.createUser({ credentials: CREDENTIALS })).id;
  if (app !== null) await assign(org, app, userId);
  const { body, externalSessionId, id } = await openSession(service, org, { userId });
  const cookie = `__Host-sid=${id}`;
  return { userId, login: body.login, externalSessionId, cookie, client: org.client({ cookie, accept: 'text/html' }) };
}

/**
 * Makes the user's sign-ins older by this many seconds. The database's clock, which tests cannot advance, measures
 * their age.
 */
export async function ageSignIns(service: TestService, org: TestOrg, userId: string, seconds: number): Promise<void> {
  // Citus refuses what depends on the time zone of the session.
  const text = `update sessions
    set authenticated_at = (authenticated_at at time zone 'UTC' - make_interval(secs => $3)) at time zone 'UTC'
    where org_id = $1 and user_id = $2`;
  await service.database.pool.query(text, [org.id, userId, seconds]);
}

export interface Pkce {
  readonly verifier: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, parameters: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

export type Changes = Readonly<Record<string, string | undefined>>;

/** Builds the parameters of a valid authorization request. The value undefined omits a parameter. */
export function requestOf(app: NamedClient, changes: Changes = {}): Record<string, string> {
  const parameters = {
    client_id: clientIdOf(app),
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    state: 'xyz',
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export const ask = (
  client: TestClient,
  app: NamedClient,
  changes: Changes = {},
  path = AUTHORIZE,
): Promise<TestResponse> => client.get(`${path}?${new URLSearchParams(requestOf(app, changes)).toString()}`);

export const post = (
  client: TestClient,
  app: NamedClient,
  changes: Changes = {},
  path = AUTHORIZE,
): Promise<TestResponse> => postForm(client, path, requestOf(app, changes));

/** Returns the target of a redirect, and the parameters in its query or fragment. */
export function answered(response: TestResponse): { to: string; parameters: Record<string, string> } {
  const location = String(response.headers['location'] ?? '');
  if (response.status !== 303) throw new Error(`answered ${response.status}: ${response.text}`);
  const [to = '', encoded = ''] = location.split(/[?#](.*)$/s);
  return { to, parameters: Object.fromEntries(new URLSearchParams(encoded)) };
}

/** Returns the target and the fields of a page's first form. */
export function posted(response: TestResponse): { to: string; parameters: Record<string, string> } {
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${response.text}`);
  const { action, fields } = firstFormIn(response.text);
  return { to: action, parameters: { ...fields } };
}

export function cookieOf(response: TestResponse, name: string): string | undefined {
  const lines = [response.headers['set-cookie'] ?? []].flat();
  const line = lines.find((one) => one.startsWith(`${name}=`));
  return line?.split(';')[0]?.slice(name.length + 1);
}

export const withCookies = (org: TestOrg, ...cookies: readonly (string | undefined)[]): TestClient =>
  org.client({ cookie: cookies.filter((one) => one !== undefined).join('; '), accept: 'text/html' });

/** The expected response when the user sees an error page and the client gets nothing. */
export const ERROR_PAGE = { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } };
