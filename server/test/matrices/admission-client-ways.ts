import { SignJWT } from 'jose';
import { lacksBackchannelGrant } from '../support/backchannel.ts';
import type { TestResponse } from '../support/client.ts';
import {
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  type ServiceApp,
  signAssertion,
} from '../support/service-apps.ts';
import { TOKEN_ERRORS } from '../support/token-errors.ts';
import type { Bench, ClientPath, Refusal } from './admission-ways.ts';

export type Proof = 'private_key_jwt' | 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'none';

export interface HeldByClient {
  readonly appId: string;
  readonly kid: string;
  readonly attempt: () => Promise<TestResponse>;
}

export interface ClientWay {
  readonly name: string;
  readonly proof: Proof;
  readonly hold: (bench: Bench) => Promise<HeldByClient>;
  readonly isIn: (answer: TestResponse) => boolean;
  /** The refusal of a token that is no longer valid; null when the way uses no token. */
  readonly tokenRefusal: Refusal | null;
  /** Whether the attempt identifies the client by more than a token. */
  readonly provesItself: boolean;
}

type Form = Readonly<Record<string, string>>;
type Endpoint = 'token' | 'introspect' | 'revoke' | 'par' | 'device/authorize' | 'bc/authorize';
/** The path segment of the authorization server: none for the org's own, `/default` for the default custom one. */
type Server = '' | '/default';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

async function proofOf(
  { org }: Bench,
  { id, key, secret = '' }: ServiceApp,
  proof: Proof,
  path: string,
): Promise<{ readonly form: Form; readonly headers: Form }> {
  if (proof === 'none') return { form: { client_id: id }, headers: {} };
  if (proof === 'client_secret_post') return { form: { client_id: id, client_secret: secret }, headers: {} };
  if (proof === 'client_secret_basic') {
    const pair = Buffer.from(`${id}:${secret}`).toString('base64');
    return { form: {}, headers: { authorization: `Basic ${pair}` } };
  }
  const claims = claimsOf(org, id, org.now(), { aud: org.baseUrl + path });
  const assertion =
    proof === 'private_key_jwt'
      ? await signAssertion(key, claims)
      : await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));
  return { form: { client_assertion_type: JWT_BEARER, client_assertion: assertion }, headers: {} };
}

const send =
  (bench: Bench, app: ServiceApp, proof: Proof, endpoint: Endpoint, server: Server = '') =>
  async (form: Form): Promise<TestResponse> => {
    const path = `/oauth2${server}/v1/${endpoint}`;
    const proven = await proofOf(bench, app, proof, path);
    const { headers } = proven;
    return postForm(bench.org.anonymous, path, { ...proven.form, ...form }, { headers });
  };

const newClient = ({ org }: Bench, proof: Proof, settings: Readonly<Record<string, unknown>> = {}) => {
  const key = newTestKey('ES256');
  if (proof !== 'private_key_jwt') {
    const applicationType = proof === 'none' ? 'native' : 'web';
    return newServiceApp(org, { key, applicationType, authMethod: proof, scopes: [], settings });
  }
  // The only active key of a `private_key_jwt` client cannot be deactivated, so this client has two.
  return newServiceApp(org, { key, otherKeys: [newTestKey('ES256')], roles: ['READ_ONLY_ADMIN'] });
};

const idsOf = ({ id, key }: ServiceApp) => ({ appId: id, kid: key.kid });

const GRANT = { grant_type: 'client_credentials', scope: 'svc.users.read' };

async function tokenOf(bench: Bench, app: ServiceApp): Promise<string> {
  const { body, text } = await send(bench, app, 'private_key_jwt', 'token')(GRANT);
  if (typeof body.access_token !== 'string') throw new Error(`no token: ${text}`);
  return body.access_token;
}

const isGood = ({ status }: TestResponse): boolean => status < 400;

const byProof = (endpoint: Endpoint, proof: Proof, form: Form): ClientWay => ({
  name: `${endpoint} with ${proof}`,
  proof,
  provesItself: true,
  tokenRefusal: null,
  isIn: isGood,
  hold: async (bench) => {
    const app = await newClient(bench, proof);
    return { ...idsOf(app), attempt: () => send(bench, app, proof, endpoint)(form) };
  },
});

const INVALID_TOKEN: Refusal = {
  status: 401,
  body: { errorCode: 'E0000011', errorSummary: 'Invalid token provided', errorCauses: [] },
};

const byBearer: ClientWay = {
  name: 'Bearer',
  proof: 'private_key_jwt',
  provesItself: false,
  isIn: isGood,
  tokenRefusal: INVALID_TOKEN,
  hold: async (bench) => {
    const app = await newClient(bench, 'private_key_jwt');
    const client = bench.org.client({ authorization: `Bearer ${await tokenOf(bench, app)}` });
    return { ...idsOf(app), attempt: () => client.get('/api/v1/users?limit=1') };
  },
};

const byIntrospection: ClientWay = {
  name: 'introspection of the own token',
  proof: 'private_key_jwt',
  provesItself: true,
  isIn: ({ body }) => body?.active === true,
  tokenRefusal: { status: 200, body: { active: false } },
  hold: async (bench) => {
    const app = await newClient(bench, 'private_key_jwt');
    const token = await tokenOf(bench, app);
    return { ...idsOf(app), attempt: () => send(bench, app, 'private_key_jwt', 'introspect')({ token }) };
  },
};

const OF_SERVER = { grant_type: 'client_credentials', scope: 'sweep.read' };

async function newClientOfServer(bench: Bench, proof: Proof): Promise<ServiceApp> {
  const scopes = '/api/v1/authorizationServers/default/scopes';
  const { body: known } = await bench.org.admin.get(scopes);
  const isKnown = known.some(({ name }: { readonly name: string }) => name === OF_SERVER.scope);
  if (!isKnown) await bench.org.admin.post(scopes, { body: { name: OF_SERVER.scope } });
  return newClient(bench, proof, { grant_types: ['authorization_code', 'client_credentials'] });
}

const atServer = (proof: Proof): ClientWay => ({
  ...byProof('token', proof, OF_SERVER),
  name: `token of a custom server with ${proof}`,
  hold: async (bench) => {
    const app = await newClientOfServer(bench, proof);
    return { ...idsOf(app), attempt: () => send(bench, app, proof, 'token', '/default')(OF_SERVER) };
  },
});

const byServerIntrospection: ClientWay = {
  ...byIntrospection,
  name: 'introspection of the own token of a custom server',
  hold: async (bench) => {
    const app = await newClientOfServer(bench, 'private_key_jwt');
    const { body, text } = await send(bench, app, 'private_key_jwt', 'token', '/default')(OF_SERVER);
    if (typeof body.access_token !== 'string') throw new Error(`no token: ${text}`);
    const form = { token: body.access_token };
    return { ...idsOf(app), attempt: () => send(bench, app, 'private_key_jwt', 'introspect', '/default')(form) };
  },
};

const proofs = ['private_key_jwt', 'client_secret_basic', 'client_secret_post', 'none'] as const;
const askWith = (endpoint: Endpoint): readonly [ClientWay, ...ClientWay[]] => {
  const [first, ...others] = proofs;
  return [
    byProof(endpoint, first, { token: 'none' }),
    ...others.map((proof) => byProof(endpoint, proof, { token: 'none' })),
  ];
};

const isKnown = ({ status }: TestResponse): boolean => status !== 401;

/** Builds the ways for an endpoint at which any response except 401 shows that the client is known. */
const beginWith = (endpoint: Endpoint): readonly [ClientWay, ...ClientWay[]] => {
  const [first, ...others] = askWith(endpoint);
  return [{ ...first, isIn: isKnown }, ...others.map((way) => ({ ...way, isIn: isKnown }))];
};

/** Builds the ways for the backchannel endpoint, which also answers 401 to known clients that lack the grant type. */
const asksUser = (): readonly [ClientWay, ...ClientWay[]] => {
  const isIn = (answer: TestResponse): boolean => isKnown(answer) || lacksBackchannelGrant(answer);
  const [first, ...others] = askWith('bc/authorize').filter(({ proof }) => proof !== 'none');
  if (first === undefined) throw new Error('no client proves who it is');
  return [{ ...first, isIn }, ...others.map((way) => ({ ...way, isIn }))];
};

/** The type requires ways for every row of the admission table that checks a client but no user. */
export const CLIENT_WAYS: Readonly<Record<ClientPath, readonly [ClientWay, ...ClientWay[]]>> = {
  clientCredentials: [byProof('token', 'private_key_jwt', GRANT)],
  useClientToken: [byBearer],
  introspectClientToken: [byIntrospection],
  serverClientCredentials: [
    atServer('private_key_jwt'),
    atServer('client_secret_basic'),
    atServer('client_secret_post'),
    atServer('client_secret_jwt'),
  ],
  introspectServerToken: [byServerIntrospection],
  introspect: askWith('introspect'),
  revoke: askWith('revoke'),
  par: beginWith('par'),
  deviceAuthorize: beginWith('device/authorize'),
  backchannelAuthorize: asksUser(),
};

const oauthRefusal = ({ status, ...body }: (typeof TOKEN_ERRORS)[keyof typeof TOKEN_ERRORS]): Refusal => ({
  status,
  body,
});

/** The refusal of an inactive client does not say that the client is inactive. */
export const INACTIVE = oauthRefusal(TOKEN_ERRORS.inactive);
export const NOT_A_SERVICE = oauthRefusal(TOKEN_ERRORS.service);
export const NOT_GRANTED = oauthRefusal(TOKEN_ERRORS.scope);

export const unknownClient = (proof: Proof): Refusal =>
  oauthRefusal(proof.endsWith('_jwt') ? TOKEN_ERRORS.issuer : TOKEN_ERRORS.clientId);

export function wrongProof(proof: Proof): Refusal {
  if (proof === 'private_key_jwt') return oauthRefusal(TOKEN_ERRORS.kid);
  if (proof === 'client_secret_jwt') return oauthRefusal(TOKEN_ERRORS.signature);
  const description = 'The client secret supplied for a confidential client is invalid.';
  return { status: 401, body: { error: 'invalid_client', error_description: description } };
}
