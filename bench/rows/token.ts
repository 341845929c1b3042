import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Endpoint, formRequestBytes } from '../connection.ts';
import { type Arena, withArena } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { type Caller, closedLoop, type Load } from '../load.ts';
import { type KeyedClient, SCOPE, startProvider } from '../oidc-provider.ts';
import { ask, askPeer } from '../requests.ts';
import type { Result } from '../result.ts';
import { protocolOf, type Row, type RowOptions } from '../row.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (input: string, key: KeyObject): Promise<string> =>
  new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), key, (error, signature) => {
      if (error === null) resolve(`${input}.${signature.toString('base64url')}`);
      else reject(error);
    });
  });

/** Makes all assertions before the measurement starts. Each assertion can be used only once, within an hour. */
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

/** Creates an app of type service with one key and one scope. */
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

/**
 * The index of the next request to send from each list. All connections share it, so that each request is sent once.
 */
const positions = new WeakMap<readonly Buffer[], number>();
function unsent(requests: readonly Buffer[]): Buffer | undefined {
  const position = positions.get(requests) ?? 0;
  positions.set(requests, position + 1);
  return requests[position];
}

async function measure(
  endpoint: Endpoint,
  path: string,
  client: KeyedClient,
  audience: string,
  { sizes }: RowOptions,
  expectedPerSecond: number,
): Promise<Load> {
  const { connections, seconds, warmupSeconds } = sizes;
  const count = Math.ceil(expectedPerSecond * (seconds + warmupSeconds)) + connections;
  const assertions = await makeAssertions(client, audience, count);
  const requests = assertions.map((assertion) => tokenRequest(endpoint, path, assertion));
  return closedLoop(endpoint, { connections, seconds, warmupSeconds, caller: () => serving(requests) });
}

const perSecond = (loads: readonly Load[]) => loads.map((load) => load.perSecond);

/**
 * Measures the client_credentials grant with private_key_jwt, compared with bare signatures on the same core and with
 * oidc-provider.
 */
export const token: Row = {
  name: 'token',
  settings: (options) => `${protocolOf(options)}; oidc-provider over plain HTTP, in memory`,
  run: (options) =>
    withArena(options, async (arena) => {
      const { gatehouse, peer } = arena;
      const client = await createClient(arena);
      const path = '/oauth2/v1/token';
      const audience = `https://${gatehouse.endpoint.hostname}:${gatehouse.endpoint.port}${path}`;
      const provider = await startProvider();
      const issuer = `http://127.0.0.1:${provider.endpoint.port}`;
      const signs: number[] = [];
      const ours: Load[] = [];
      const theirs: Load[] = [];
      try {
        for (let round = 0; round < options.sizes.rounds; round += 1) {
          signs.push(await askPeer(peer.endpoint, `/signs?seconds=${options.sizes.seconds}`));
          ours.push(await measure(gatehouse.endpoint, path, client, audience, options, 2_500));
          theirs.push(await measure(provider.endpoint, '/token', provider.client, issuer, options, 2_500));
        }
      } finally {
        await provider.stop();
      }
      const side = { name: 'Gatehouse', unit: 'per second', values: perSecond(ours) } as const;
      const results: Result[] = [
        {
          work: 'token by client_credentials and private_key_jwt, replay-checked, logged',
          gatehouse: side,
          beside: { name: 'bare RS256 signatures on the same core', unit: 'per second', values: signs },
          target: { bound: 0.75, atLeast: true },
        },
        {
          work: 'the same',
          gatehouse: side,
          beside: { name: 'oidc-provider 9.13.3, in memory', unit: 'per second', values: perSecond(theirs) },
          target: { bound: 1.5, atLeast: true },
        },
      ];
      return results;
    }),
};
