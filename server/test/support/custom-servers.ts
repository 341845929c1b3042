import { SignJWT } from 'jose';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';
import {
  claimsOf,
  clientIdOf,
  newServiceApp,
  newTestKey,
  postForm,
  type ServiceApp,
  signAssertion,
} from './service-apps.ts';

export const SERVERS = '/api/v1/authorizationServers';

export interface CustomServer {
  readonly id: string;
  readonly path: string;
  readonly oauth: string;
  readonly issuer: string;
  readonly policyId: string;
  readonly ruleId: string;
}

type Json = Readonly<Record<string, unknown>>;

export interface NewCustomServer {
  readonly audience?: string;
  readonly rotationMode?: 'AUTO' | 'MANUAL';
  /** Scopes by name, each with members that differ from the defaults. */
  readonly scopes?: Readonly<Record<string, Json>>;
  /** Claims by name. A string is the expression of the claim; an object contains the members of the claim. */
  readonly claims?: Readonly<Record<string, string | Json>>;
  readonly clients?: readonly string[];
  readonly grantTypes?: readonly string[];
  readonly ruleScopes?: readonly string[];
  readonly lifetimeMinutes?: number;
}

let names = 0;

/** Returns the body of a successful response. */
export async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`answered ${status}: ${text}`);
  return body;
}

export async function newCustomServer(org: TestOrg, given: NewCustomServer = {}): Promise<CustomServer> {
  const { audience = 'api://orders', claims = {}, clients = ['ALL_CLIENTS'], scopes = { 'orders.read': {} } } = given;
  const { grantTypes = ['client_credentials'], lifetimeMinutes = 30, ruleScopes = ['*'] } = given;
  names += 1;
  const credentials = { signing: { rotationMode: given.rotationMode ?? 'AUTO' } };
  const body = { name: `Server ${names}`, description: 'Of a test', audiences: [audience], credentials };
  const { id, issuer } = await good(org.seeds.post(SERVERS, { body }));
  const path = `${SERVERS}/${id}`;
  for (const [name, more] of Object.entries(scopes)) {
    await good(org.seeds.post(`${path}/scopes`, { body: { name, ...more } }));
  }
  for (const [name, value] of Object.entries(claims)) {
    const more = typeof value === 'string' ? { value } : value;
    const claim = { name, claimType: 'RESOURCE', valueType: 'EXPRESSION', status: 'ACTIVE', ...more };
    await good(org.seeds.post(`${path}/claims`, { body: claim }));
  }
  const policy = {
    type: 'OAUTH_AUTHORIZATION_POLICY',
    name: 'Clients',
    description: 'Of a test',
    priority: 1,
    status: 'ACTIVE',
    conditions: { clients: { include: clients } },
  };
  const { id: policyId } = await good(org.seeds.post(`${path}/policies`, { body: policy }));
  const rule = {
    type: 'RESOURCE_ACCESS',
    name: 'All',
    priority: 1,
    status: 'ACTIVE',
    conditions: {
      people: { users: { include: [], exclude: [] }, groups: { include: ['EVERYONE'], exclude: [] } },
      grantTypes: { include: grantTypes },
      scopes: { include: ruleScopes },
    },
    actions: { token: { accessTokenLifetimeMinutes: lifetimeMinutes } },
  };
  const { id: ruleId } = await good(org.seeds.post(`${path}/policies/${policyId}/rules`, { body: rule }));
  return { id, path, oauth: `/oauth2/${id}`, issuer, policyId, ruleId };
}

/** Creates a server with scopes of different consent settings, and with claims. */
export const newOrdersServer = (org: TestOrg): Promise<CustomServer> =>
  newCustomServer(org, {
    scopes: {
      'orders.read': {},
      'orders.write': { consent: 'FLEXIBLE' },
      'orders.own': { consent: 'REQUIRED' },
    },
    claims: {
      tier: '"gold"',
      reader: { value: 'app.clientId', conditions: { scopes: ['orders.read'] } },
      writer: { value: 'app.clientId', conditions: { scopes: ['orders.write'] } },
      email: 'user.email',
    },
  });

export type ServerProof = 'private_key_jwt' | 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt';

export function newServerClient(org: TestOrg, proof: ServerProof, settings: Json = {}): Promise<ServiceApp> {
  const isService = proof === 'private_key_jwt';
  return newServiceApp(org, {
    key: newTestKey('ES256'),
    scopes: [],
    authMethod: proof,
    applicationType: isService ? 'service' : 'web',
    settings: { ...(isService ? {} : { grant_types: ['authorization_code', 'client_credentials'] }), ...settings },
  });
}

type Form = Readonly<Record<string, string>>;

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Signs a client assertion with the app's key or, for `client_secret_jwt`, with its secret. */
export async function assertionOf(
  org: TestOrg,
  app: ServiceApp,
  proof: ServerProof,
  claims: Json,
  alg = 'HS256',
): Promise<string> {
  const own = claimsOf(org, clientIdOf(app), org.now(), claims);
  if (proof === 'private_key_jwt') return signAssertion(app.key, own);
  return new SignJWT({ ...own }).setProtectedHeader({ alg }).sign(Buffer.from(app.secret ?? 'x'.repeat(64)));
}

export async function proofAt(
  org: TestOrg,
  app: ServiceApp,
  proof: ServerProof,
  path: string,
): Promise<{ readonly form: Form; readonly headers: Form }> {
  const { secret = '' } = app;
  const id = clientIdOf(app);
  if (proof === 'client_secret_post') return { form: { client_id: id, client_secret: secret }, headers: {} };
  if (proof === 'client_secret_basic') {
    const pair = Buffer.from(`${id}:${secret}`).toString('base64');
    return { form: {}, headers: { authorization: `Basic ${pair}` } };
  }
  const assertion = await assertionOf(org, app, proof, { aud: org.baseUrl + path });
  return { form: { client_assertion_type: JWT_BEARER, client_assertion: assertion }, headers: {} };
}

export async function sendAs(
  org: TestOrg,
  app: ServiceApp,
  proof: ServerProof,
  path: string,
  form: Form,
  headers: Form = {},
): Promise<TestResponse> {
  const proven = await proofAt(org, app, proof, path);
  return postForm(org.anonymous, path, { ...proven.form, ...form }, { headers: { ...proven.headers, ...headers } });
}

export const GRANT = { grant_type: 'client_credentials', scope: 'orders.read' } as const;

export async function tokenAt(
  org: TestOrg,
  { oauth }: Pick<CustomServer, 'oauth'>,
  app: ServiceApp,
  form: Form = GRANT,
): Promise<string> {
  const { access_token: token } = await good(sendAs(org, app, 'private_key_jwt', `${oauth}/v1/token`, form));
  return String(token);
}
