import { type Endpoint, formRequestBytes, openConnection, requestBytes } from '../connection.ts';
import { CpuMeter } from '../cpu.ts';
import { type Arena, type Contest, duelRow, loopsOf, oneAfterTheOther } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { assertGood, type Caller, closedLoop, type Load, WarmUp } from '../load.ts';
import { PROVIDER, SCOPE, startProvider, type WebClient } from '../oidc-provider.ts';
import { ask, askPeer } from '../requests.ts';
import { protocolOf, type RowOptions } from '../row.ts';
import { transacting } from './callers.ts';
import { openSessions } from './sign-in.ts';

const REDIRECT_URI = 'https://app.example/callback';
/** Codes live for a minute; this many can be requested well before they expire. */
const CODES_PER_SECOND = 250;

/** Either of the two servers, with its address and paths. */
interface Subject {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly client: WebClient;
  readonly meter?: CpuMeter;
  codes(count: number): Promise<string[]>;
}

/** A web app that everybody in the org has, and that keeps its users signed in. */
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

/** Collects the codes from the redirects that the endpoint answers with. */
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
  // There are enough users that each has few token families: a user may have at most a hundred at one app.
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
  return { endpoint, client, codes, path: '/oauth2/v1/token', meter: CpuMeter.ofProduct(arena.gatehouse) };
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

/** Redeems codes over all connections; the first eighth of them are the warm-up. */
async function exchange(subject: Subject, { sizes }: RowOptions): Promise<Load> {
  const codes = await subject.codes(CODES_PER_SECOND * sizes.seconds);
  const requests = codes.map((code) => redemption(subject, code));
  const warmup = Math.floor(requests.length / 8);
  let started = performance.now();
  let next = 0;
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(subject.endpoint, index);
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      next += 1;
      if (next === warmup) {
        started = performance.now();
        await subject.meter?.start();
      }
      const answer = await connection.send(request);
      assertGood(answer);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: sizes.connections }, (_, index) => work(index)));
  const counted = requests.length - warmup;
  const perSecond = (counted * 1_000) / (performance.now() - started);
  const cpu = await subject.meter?.perRequest(counted);
  return { perSecond, p50: Number.NaN, p99: Number.NaN, ...(cpu === undefined ? {} : { cpu }) };
}

/** Refreshes, each with the token that the previous answer returned. */
async function refresh(subject: Subject, warmUp: WarmUp, { sizes }: RowOptions): Promise<Load> {
  const { connections, seconds } = sizes;
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
  const { meter } = subject;
  return closedLoop(subject.endpoint, {
    connections,
    seconds,
    warmUp,
    caller,
    ...(meter === undefined ? {} : { meter }),
  });
}

const PARTS = 'two RS256 signatures and a transaction with three 0.5 kB rows';
const BOUND_OF_PARTS = 0.75;
const BOUND_OF_PEER = 1;

/**
 * Exchanges a code for an access, an ID and a refresh token, and a refresh token for the next three, compared with the
 * unavoidable parts and with oidc-provider. The refreshes come first, because they warm up the code of both.
 */
export const userTokens = duelRow({
  name: 'user-tokens',
  settings: (options) => `${protocolOf(options)}; oidc-provider over plain HTTP, in memory`,
  prepare: async (arena, options) => {
    const provider = await startProvider(options.node);
    const theirs: Subject = {
      endpoint: provider.endpoint,
      path: '/token',
      client: provider.webClient,
      codes: (count) => provider.codes(count),
    };
    const ours = await gatehouseSubject(arena, options);
    const transaction = loopsOf(arena, options).peer(() => transacting(arena, 'logged-transaction-3'));
    const parts = async (): Promise<Load> => {
      const sign = await askPeer(arena.peer.endpoint, `/signs?seconds=${options.sizes.seconds}`);
      return oneAfterTheOther([sign, sign, await transaction()]);
    };
    const refreshing = (subject: Subject) => {
      const warmUp = new WarmUp(options.sizes.warmUp);
      return () => refresh(subject, warmUp, options);
    };
    const contest = (work: string, measure: (subject: Subject) => () => Promise<Load>): Contest => ({
      work,
      gatehouse: measure(ours),
      besides: [
        { name: PARTS, bound: BOUND_OF_PARTS, measure: parts },
        { name: PROVIDER, bound: BOUND_OF_PEER, measure: measure(theirs) },
      ],
    });
    return {
      contests: [
        contest('a refresh token for the next access, ID and refresh token, rotated, logged', refreshing),
        contest('code exchanged for an access, an ID and a refresh token, logged', (subject) => () =>
          exchange(subject, options),
        ),
      ],
      close: () => provider.stop(),
    };
  },
});
