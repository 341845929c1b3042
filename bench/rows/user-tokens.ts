import { type Endpoint, formRequestBytes, openConnection, requestBytes } from '../connection.ts';
import { type Arena, withArena } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { assertGood, type Caller, closedLoop } from '../load.ts';
import { SCOPE, startProvider, type WebClient } from '../oidc-provider.ts';
import { ask, askPeer } from '../requests.ts';
import type { Result, Side } from '../result.ts';
import { protocolOf, type Row, type RowOptions } from '../row.ts';
import { openSessions } from './sign-in.ts';

const REDIRECT_URI = 'https://app.example/callback';
/**
 * The number of codes to redeem, per second of measurement. Codes expire after one minute; this many can be requested
 * well before.
 */
const CODES_PER_SECOND = 250;

/** A server to compare, with its address and paths. */
interface Subject {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly client: WebClient;
  codes(count: number): Promise<string[]>;
}

/** Creates a web app that is assigned to everybody in the org and that gets refresh tokens. */
async function createWebApp({ gatehouse }: Arena): Promise<WebClient> {
  const { endpoint, orgId, token } = gatehouse;
  const headers = authorizationOf(token);
  const app = (await ask(endpoint, 'POST', '/api/v1/apps', headers, {
    name: 'oidc_client',
    label: 'Bench web',
    signOnMode: 'OPENID_CONNECT',
    credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_post', pkce_required: false } },
    settings: {
      oauthClient: {
        application_type: 'web',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        refresh_token: { rotation_type: 'ROTATE', leeway: 0 },
      },
    },
  })) as { id: string; credentials: { oauthClient: { client_secret: string } } };
  const issuer = `https://${endpoint.hostname}:${endpoint.port}`;
  await ask(endpoint, 'POST', `/api/v1/apps/${app.id}/grants`, headers, { issuer, scopeId: SCOPE });
  const everyone = `select id from groups where org_id = $1 and type = 'BUILT_IN' and name = 'Everyone'`;
  const { rows } = await gatehouse.pool.query<{ id: string }>(everyone, [orgId]);
  await ask(endpoint, 'PUT', `/api/v1/apps/${app.id}/groups/${rows[0]?.id ?? ''}`, headers, {});
  return { id: app.id, secret: app.credentials.oauthClient.client_secret };
}

/** Sends the requests and collects the codes from the redirects. */
async function authorize(endpoint: Endpoint, requests: readonly Buffer[], connections: number): Promise<string[]> {
  const codes: string[] = [];
  let next = 0;
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(endpoint, index);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      next += 1;
      const { body, head } = await connection.send(request);
      const code = /\r\nlocation: [^\r]*[?&]code=([^&\r]+)/i.exec(head)?.[1];
      if (code === undefined) throw new Error(`no code was given:\n${head}\n${body.toString('utf8').slice(0, 500)}`);
      codes.push(decodeURIComponent(code));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => work(index)));
  return codes;
}

async function gatehouseSubject(arena: Arena, { sizes }: RowOptions): Promise<Subject> {
  const { endpoint } = arena.gatehouse;
  const client = await createWebApp(arena);
  // A user may have at most 100 token families at one app. With this many users, each of them has only a few.
  const sessions = await openSessions(arena, sizes.connections * 8);
  const parameters = new URLSearchParams({
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: `openid offline_access ${SCOPE}`,
    state: 'bench',
  });
  const path = `/oauth2/v1/authorize?${parameters.toString()}`;
  const asks = sessions.map((id) => requestBytes(endpoint, 'GET', path, { Cookie: `__Host-sid=${id}` }));
  const codes = (count: number): Promise<string[]> => {
    const requests = Array.from({ length: count }, (_, index) => asks[index % asks.length] ?? Buffer.alloc(0));
    return authorize(endpoint, requests, sizes.connections);
  };
  return { endpoint, client, codes, path: '/oauth2/v1/token' };
}

const tokenRequest = ({ client, endpoint, path }: Subject, form: Readonly<Record<string, string>>): Buffer =>
  formRequestBytes(endpoint, path, { ...form, client_id: client.id, client_secret: client.secret });

const redemption = (subject: Subject, code: string): Buffer =>
  tokenRequest(subject, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });

const refreshTokenIn = (body: Buffer): string => {
  const { refresh_token: refreshToken } = JSON.parse(body.toString('utf8')) as { refresh_token?: string };
  if (refreshToken === undefined) throw new Error('no refresh token was given');
  return refreshToken;
};

/** Measures the codes redeemed per second. The first eighth of the codes is the warm-up. */
async function exchange(subject: Subject, { sizes }: RowOptions): Promise<number> {
  const codes = await subject.codes(CODES_PER_SECOND * sizes.seconds);
  const requests = codes.map((code) => redemption(subject, code));
  const warmup = Math.floor(requests.length / 8);
  let started = performance.now();
  let next = 0;
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(subject.endpoint, index);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      next += 1;
      if (next === warmup) started = performance.now();
      const answer = await connection.send(request);
      assertGood(answer);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: sizes.connections }, (_, index) => work(index)));
  return ((requests.length - warmup) * 1_000) / (performance.now() - started);
}

/** Measures refreshes per second. Each request uses the refresh token from the previous answer. */
async function refresh(subject: Subject, { sizes }: RowOptions): Promise<number> {
  const { connections, seconds, warmupSeconds } = sizes;
  const codes = await subject.codes(connections);
  const first = await openConnection(subject.endpoint, 0);
  const held: string[] = [];
  for (const code of codes) {
    const answer = await first.send(redemption(subject, code));
    assertGood(answer);
    held.push(refreshTokenIn(answer.body));
  }
  first.close();
  const caller = (index: number): Caller => {
    let refreshToken = held[index] ?? '';
    return {
      request: () => tokenRequest(subject, { grant_type: 'refresh_token', refresh_token: refreshToken }),
      answered: ({ body }) => {
        refreshToken = refreshTokenIn(body);
      },
    };
  };
  const load = await closedLoop(subject.endpoint, { connections, seconds, warmupSeconds, caller });
  return load.perSecond;
}

const side = (name: string, values: readonly number[]): Side => ({ name, unit: 'per second', values });

/**
 * Measures the exchange of a code for an access, an ID and a refresh token, and the exchange of a refresh token for the
 * next three tokens. Both rates are compared with oidc-provider.
 */
export const userTokens: Row = {
  name: 'user-tokens',
  settings: (options) => `${protocolOf(options)}; oidc-provider over plain HTTP, in memory`,
  run: (options) =>
    withArena(options, async (arena) => {
      const provider = await startProvider();
      const theirs: Subject = {
        endpoint: provider.endpoint,
        path: '/token',
        client: provider.webClient,
        codes: (count) => provider.codes(count),
      };
      const pairs: number[] = [];
      const measured = { ours: { codes: [], refreshes: [] }, theirs: { codes: [], refreshes: [] } } as {
        readonly [Name in 'ours' | 'theirs']: { readonly codes: number[]; readonly refreshes: number[] };
      };
      try {
        const ours = await gatehouseSubject(arena, options);
        for (let round = 0; round < options.sizes.rounds; round += 1) {
          pairs.push((await askPeer(arena.peer.endpoint, `/signs?seconds=${options.sizes.seconds}`)) / 2);
          measured.ours.codes.push(await exchange(ours, options));
          measured.theirs.codes.push(await exchange(theirs, options));
          measured.ours.refreshes.push(await refresh(ours, options));
          measured.theirs.refreshes.push(await refresh(theirs, options));
        }
      } finally {
        await provider.stop();
      }
      const bare = side('two bare RS256 signatures on the same core', pairs);
      const peer = (values: readonly number[]) => side('oidc-provider 9.13.3, in memory', values);
      return (['codes', 'refreshes'] as const).flatMap((kind): Result[] => {
        const gatehouse = side('Gatehouse', measured.ours[kind]);
        const works = {
          codes: 'code exchanged for an access, an ID and a refresh token, logged',
          refreshes: 'the three again by a refresh token, which is rotated, logged',
        };
        return [
          { work: works[kind], gatehouse, beside: bare, target: null },
          {
            work: 'the same',
            gatehouse,
            beside: peer(measured.theirs[kind]),
            target: { bound: 1.5, atLeast: true },
          },
        ];
      });
    }),
};
