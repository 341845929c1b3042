import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Endpoint, formRequestBytes } from '../connection.ts';
import { CpuMeter } from '../cpu.ts';
import { type Arena, duelRow, loopsOf, oneAfterTheOther } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { type Caller, closedLoop, type Load, WarmUp } from '../load.ts';
import { type KeyedClient, PROVIDER, SCOPE, startProvider } from '../oidc-provider.ts';
import { ask, askPeer } from '../requests.ts';
import { protocolOf, type RowOptions } from '../row.ts';
import { transacting } from './callers.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (input: string, key: KeyObject): Promise<string> =>
  new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), key, (error, signature) => {
      if (error === null) resolve(`${input}.${signature.toString('base64url')}`);
      else reject(error);
    });
  });

/** An assertion can be used once, so all are made before the measurement starts. */
async function makeAssertions(client: KeyedClient, audience: string, count: number): Promise<string[]> {
  const now = Math.floor(Date.now() / 1_000);
  const head = encode({ alg: 'RS256', kid: client.kid });
  const claims = { iss: client.id, sub: client.id, aud: audience, iat: now, exp: now + 3_500 };
  const made: string[] = [];
  while (made.length < count) {
    const batch = Array.from({ length: Math.min(64, count - made.length) }, () =>
      signed(`${head}.${encode({ ...claims, jti: randomUUID() })}`, client.key),
    );
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

function tokenRequest(endpoint: Endpoint, path: string, assertion: string): Buffer {
  return formRequestBytes(endpoint, path, {
    grant_type: 'client_credentials',
    scope: SCOPE,
    client_assertion_type: TYPE,
    client_assertion: assertion,
  });
}

async function createClient({ gatehouse }: Arena): Promise<KeyedClient> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const { endpoint, token } = gatehouse;
  const headers = authorizationOf(token);
  const app = (await ask(endpoint, 'POST', '/api/v1/apps', headers, {
    name: 'oidc_client',
    label: 'Bench',
    signOnMode: 'OPENID_CONNECT',
    credentials: { oauthClient: { token_endpoint_auth_method: 'private_key_jwt' } },
    settings: {
      oauthClient: {
        application_type: 'service',
        grant_types: ['client_credentials'],
        response_types: ['token'],
        jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }] },
      },
    },
  })) as { id: string };
  const issuer = `https://${endpoint.hostname}:${endpoint.port}`;
  await ask(endpoint, 'POST', `/api/v1/apps/${app.id}/grants`, headers, { issuer, scopeId: SCOPE });
  return { id: app.id, key: privateKey, kid: 'bench' };
}

const serving = (requests: readonly Buffer[]): Caller => ({
  request: () => {
    const request = unsent(requests);
    if (request === undefined) throw new Error('more requests were answered than assertions were made');
    return request;
  },
});

/** All connections share the index of the next request of a list, so that each request is sent once. */
const positions = new WeakMap<readonly Buffer[], number>();
function unsent(requests: readonly Buffer[]): Buffer | undefined {
  const position = positions.get(requests) ?? 0;
  positions.set(requests, position + 1);
  return requests[position];
}

interface Issuer {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly client: KeyedClient;
  readonly audience: string;
  readonly meter?: CpuMeter;
}

/** The number of assertions made for each second. A faster server would run out of them. */
const MOST_PER_SECOND = 2_500;

/** Makes the assertions of each round right before it, because they expire. */
function measuring({ audience, client, endpoint, meter, path }: Issuer, { sizes }: RowOptions): () => Promise<Load> {
  const { connections, seconds } = sizes;
  const warmUp = new WarmUp(sizes.warmUp);
  let isFirst = true;
  return async () => {
    const warming = isFirst ? sizes.warmUp.requests : 0;
    isFirst = false;
    const count = warming + Math.ceil(MOST_PER_SECOND * (seconds + sizes.warmUp.seconds + 1)) + connections;
    const assertions = await makeAssertions(client, audience, count);
    const requests = assertions.map((assertion) => tokenRequest(endpoint, path, assertion));
    return closedLoop(endpoint, {
      connections,
      seconds,
      warmUp,
      caller: () => serving(requests),
      ...(meter === undefined ? {} : { meter }),
    });
  };
}

/**
 * This row measures client_credentials with private_key_jwt, compared with oidc-provider and with the unavoidable parts
 * of the work on the same core. The parts are a signature, the verification of the assertion, and a transaction with
 * the event.
 */
export const token = duelRow({
  name: 'token',
  settings: (options) => `${protocolOf(options)}; oidc-provider over plain HTTP, in memory`,
  prepare: async (arena, options) => {
    const { gatehouse, peer } = arena;
    const path = '/oauth2/v1/token';
    const audience = `https://${gatehouse.endpoint.hostname}:${gatehouse.endpoint.port}${path}`;
    const client = await createClient(arena);
    const provider = await startProvider(options.node);
    const issuer = `http://127.0.0.1:${provider.endpoint.port}`;
    const transaction = loopsOf(arena, options).peer(() => transacting(arena, 'logged-transaction'));
    const counted = (name: string) => askPeer(peer.endpoint, `/${name}?seconds=${options.sizes.seconds}`);
    const parts = async (): Promise<Load> =>
      oneAfterTheOther([await counted('signs'), await counted('verifications'), await transaction()]);
    const ours: Issuer = { endpoint: gatehouse.endpoint, path, client, audience, meter: CpuMeter.ofProduct(gatehouse) };
    const theirs: Issuer = { endpoint: provider.endpoint, path: '/token', client: provider.client, audience: issuer };
    return {
      contests: [
        {
          work: 'token by client_credentials and private_key_jwt, replay-checked, logged',
          gatehouse: measuring(ours, options),
          besides: [
            { name: 'RS256 signature, verification and transaction with 0.5 kB row', bound: 0.75, measure: parts },
            { name: PROVIDER, bound: 1.3, measure: measuring(theirs, options) },
            { name: 'bare RS256 signatures on the same core', bound: null, measure: () => counted('signs') },
          ],
        },
      ],
      close: () => provider.stop(),
    };
  },
});
