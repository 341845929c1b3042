import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OutboundError } from '../../src/platform/outbound/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newServerClient, proofAt } from '../support/custom-servers.ts';
import { expectOfEvery } from '../support/offenders.ts';
import {
  type Claims,
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  type ServiceApp,
  signAssertion,
} from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

// This file tests attacks 67 to 69 at the endpoints that authenticate clients (docs/security-rows.md).

const fetching = async (url: string): Promise<never> => {
  fetched.push(url);
  throw new OutboundError('url');
};
const { service, org } = useService({
  outbound: {
    getJson: (_orgId, url) => fetching(url),
    send: ({ url }) => fetching(url),
    close: async () => undefined,
  },
});
const app = beforeTests(() => newServiceApp(org));
const byHeader = beforeTests(() =>
  newServiceApp(org, { applicationType: 'web', authMethod: 'client_secret_basic', scopes: [] }),
);
const fetched: string[] = [];

const PLACES = ['/oauth2/v1', '/oauth2/default/v1'].flatMap((server) =>
  ['token', 'introspect', 'revoke', 'par', 'device/authorize', 'bc/authorize'].map(
    (endpoint) => `${server}/${endpoint}`,
  ),
);

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const presenting = (assertion: string) => ({ client_assertion_type: JWT_BEARER, client_assertion: assertion });
const seconds = () => Math.floor(service.clock.now().getTime() / 1_000);
const claimsAt = (path: string, changes: Claims = {}) =>
  claimsOf(org, app.id, service.clock.now(), { aud: org.baseUrl + path, ...changes });

const otherServerOf = (path: string): string => (path.startsWith('/oauth2/default/') ? '' : '/oauth2/default');

/** Parameters that an endpoint checks only after client authentication. */
const ASKED = { grant_type: 'authorization_code', token: 'none' };

const send = (path: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  postForm(org.anonymous, path, { ...ASKED, ...form }, { headers });

const REFUSED = { status: 401, body: { error: 'invalid_client' } };

test('no endpoint is missing', () => {
  const endpoints = service.application.routes.filter(
    ({ errorShape, method, operationId }) =>
      errorShape === 'oauth' && method === 'POST' && !operationId.startsWith('userinfo'),
  );
  const paths = endpoints.map(({ url }) => url.replace(':authorizationServerId', 'default'));
  expect(paths.toSorted()).toEqual(PLACES.toSorted());
});

const stranger = newTestKey();
const evil = 'https://evil.example/keys';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const pem = (): string => app.key.publicKey.export({ format: 'pem', type: 'spki' }).toString();

type Sign = (changes?: Claims, header?: Claims) => Promise<string> | string;
const signing =
  (path: string): Sign =>
  (changes = {}, header = {}) =>
    signAssertion(app.key, claimsAt(path, changes), header);

function mac(path: string, secret: string): string {
  const input = `${encode({ alg: 'HS256', kid: app.key.kid })}.${encode(claimsAt(path))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** Assertions that must not authenticate anybody. */
const FAULTY: readonly [string, (path: string, sign: Sign) => Promise<string> | string][] = [
  ['without a signature', (path) => `${encode({ alg: 'none' })}.${encode(claimsAt(path))}.`],
  ['that says none, with a signature', (path) => `${encode({ alg: 'none' })}.${encode(claimsAt(path))}.AAAA`],
  ['with a MAC by the public key', (path) => mac(path, pem())],
  ['with a MAC by the key as registered', (path) => mac(path, JSON.stringify(app.key.jwk))],
  ['for another endpoint', (_, sign) => sign({ aud: `${org.baseUrl}/oauth2/v1/authorize` })],
  ['for two', (path, sign) => sign({ aud: [org.baseUrl + path, 'https://evil.example'] })],
  ['for another server', (path, sign) => sign({ aud: org.baseUrl + otherServerOf(path) })],
  ["for another server's token endpoint", (_, sign) => sign({ aud: `${org.baseUrl}/oauth2/another/v1/token` })],
  ['for another issuer', (_, sign) => sign({ aud: `${org.baseUrl}/oauth2/another` })],
  ['for nobody', (_, sign) => sign({ aud: undefined })],
  ['of another issuer', (_, sign) => sign({ iss: '0oaUnknown0000000000' })],
  ['about another subject', (_, sign) => sign({ sub: 'someone' })],
  ['without exp', (_, sign) => sign({ exp: undefined })],
  ['that is over', (_, sign) => sign({ exp: seconds() - 1, iat: seconds() - 300 })],
  ['for more than an hour', (_, sign) => sign({ exp: seconds() + 3_700 })],
  ['of another key', (path) => signAssertion({ ...stranger, kid: app.key.kid }, claimsAt(path))],
  ['with a kid that is a path', (_, sign) => sign({}, { kid: '../../../../dev/null' })],
  ['with a kid that is SQL', (_, sign) => sign({}, { kid: "' or '1'='1" })],
  ['with a kid that is an address', (_, sign) => sign({}, { kid: evil })],
  ['with jku', (_, sign) => sign({}, { jku: evil })],
  ['with x5u', (_, sign) => sign({}, { x5u: evil })],
  ['with a key of its own', (_, sign) => sign({}, { jwk: stranger.jwk })],
];

/** The time limit for hundreds of requests on a busy machine. */
const LONG = 120_000;

test('row 67: a faulty assertion gives invalid_client everywhere, and nothing is fetched', { timeout: LONG }, () => {
  const rows = PLACES.flatMap((path) => FAULTY.map(([name, make]) => ({ path, name, make })));
  const nameOf = ({ name, path }: (typeof rows)[number]) => `at ${path}, ${name}`;
  return expectOfEvery({ rows, nameOf, atLeast: PLACES.length * 22 }, async ({ make, path }) => {
    const { body, status } = await send(path, presenting(await make(path, signing(path))));
    expect({ status, body }).toMatchObject(REFUSED);
    expect(fetched).toEqual([]);
  });
});

describe.each(PLACES)('row 67: assertions at %s', (path) => {
  const sign = signing(path);

  test('are made for the endpoint, the token endpoint of its server or its issuer, alone or in a list', async () => {
    const server = path.replace(/\/v1\/.*$/, '');
    for (const mine of [path, `${server}/v1/token`, server === '/oauth2' ? '' : server]) {
      for (const aud of [org.baseUrl + mine, [org.baseUrl + mine]]) {
        const { text } = await send(path, presenting(await sign({ aud })));
        expect(text).not.toContain('client_assertion');
      }
    }
  });

  test('twice: the second time it is nothing', async () => {
    // With the grant type of `ASKED` and no code, the token endpoint would not consume the assertion.
    const form = { ...presenting(await sign()), grant_type: 'client_credentials', scope: 'svc.users.read' };
    expect((await send(path, form)).status).not.toBe(401);
    expect(await send(path, form)).toMatchObject(REFUSED);
  });
});

describe.each(PLACES)('row 69: clients at %s', (path) => {
  const encoded = (pair: string) => Buffer.from(pair).toString('base64');
  const pairOf = ({ id, secret = '' }: ServiceApp) => `${id}:${secret}`;
  const basic = (text: string) => ({ authorization: `Basic ${text}` });
  const right = () => encoded(pairOf(byHeader));

  test('are known by the right secret, one way', async () => {
    const { body, status } = await send(path, {}, basic(right()));
    // At `bc/authorize`, an authenticated client without the backchannel grant also gets a 401.
    const isKnown = status !== 401 || String(body.error_description).includes('grant type configured');
    expect([body, isKnown]).toEqual([body, true]);
  });

  test('are refused by two ways at once, each of them right', async () => {
    const secret = { client_id: byHeader.id, client_secret: byHeader.secret ?? '' };
    const assertion = async () => presenting(await signAssertion(app.key, claimsAt(path)));
    const answers = [
      await send(path, secret, basic(right())),
      await send(path, await assertion(), basic(right())),
      await send(path, { ...secret, ...(await assertion()) }),
      await send(path, { ...secret, ...(await assertion()) }, basic(right())),
    ];
    const told = answers.map(({ body, status }) => [status, body.error]);
    expect(told).toEqual(answers.map(() => [401, 'invalid_request']));
  });

  test('are refused with a header that is decoded loosely', async () => {
    const exact = right();
    // A lax decoder might accept these headers.
    const last = exact.charCodeAt(exact.length - 3);
    expect(exact).toMatch(/==$/);
    const loose = [
      exact.replace(/=+$/, ''),
      `${exact}=`,
      `${exact}AAAA`,
      `${exact.slice(0, 8)} ${exact.slice(8)}`,
      `${exact.slice(0, -3)}${String.fromCharCode(last + 1)}==`,
      encoded(`${pairOf(byHeader)}%`),
      encoded(`${pairOf(byHeader)}%zz`),
      encoded(`${pairOf(byHeader)}\n`),
      encoded(`${pairOf(byHeader)}\0`),
      encoded(` ${pairOf(byHeader)}`),
      encoded(`:${pairOf(byHeader)}`),
      encoded(pairOf(byHeader).replace(':', '')),
    ];
    for (const text of loose) {
      const { body, headers, status } = await send(path, {}, basic(text));
      const told = [text, status, body?.error, headers['www-authenticate']];
      expect(told).toEqual([text, 401, 'invalid_client', 'Basic realm="oauth"']);
    }
  });
});

describe('row 68: at the org’s own token endpoint', () => {
  const path = '/oauth2/v1/token';
  const PROOFS = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const;

  async function ask(client: ServiceApp, proof: (typeof PROOFS)[number], form: Readonly<Record<string, string>>) {
    const { form: proven, headers } = await proofAt(org, client, proof, path);
    return postForm(org.anonymous, path, { ...proven, ...form }, { headers });
  }

  test.each(PROOFS)('%s gives no client a token of its own', async (proof) => {
    const client = await newServerClient(org, proof);
    const own = { grant_type: 'client_credentials', scope: 'svc.users.read' };
    expect(await ask(client, proof, own)).toMatchObject(REFUSED);
    const elsewhere = await ask(client, proof, { grant_type: 'authorization_code', code: 'x' });
    expect([elsewhere.status, elsewhere.body.error]).toEqual([400, 'invalid_grant']);
  });

  test.each(PROOFS)('%s gives a service app nothing', async (proof) => {
    const client = await newServiceApp(org, { authMethod: proof, scopes: [] });
    for (const grantType of ['client_credentials', 'authorization_code', 'refresh_token', 'password']) {
      expect(await ask(client, proof, { grant_type: grantType })).toMatchObject(REFUSED);
    }
  });
});
