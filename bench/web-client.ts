import { type Endpoint, formRequestBytes, openConnection, requestBytes } from './connection.ts';
import { CpuMeter } from './cpu.ts';
import type { Arena } from './duel.ts';
import { authorizationOf } from './gatehouse.ts';
import { SCOPE, type WebClient } from './oidc-provider.ts';
import { ask } from './requests.ts';
import type { RowOptions } from './row.ts';
import { openSessions } from './rows/sign-in.ts';

const REDIRECT_URI = 'https://app.example/callback';
/** A server to measure, which is the product or its peer. `tokenRequest` makes requests to the endpoint `path`. */
export interface Subject {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly client: WebClient;
  readonly meter?: CpuMeter;
  codes(count: number): Promise<string[]>;
}

/** Creates a web app with refresh tokens, and assigns it to everybody in the org. */
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

function authorizationRequests(endpoint: Endpoint, client: WebClient, sessions: readonly string[]): Buffer[] {
  const parameters = new URLSearchParams({
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: `openid offline_access ${SCOPE}`,
    state: 'bench',
  });
  const path = `/oauth2/v1/authorize?${parameters.toString()}`;
  return sessions.map((id) => requestBytes(endpoint, 'GET', path, { Cookie: `__Host-sid=${id}` }));
}

export interface WebSubject extends Subject {
  readonly authorizations: readonly Buffer[];
}

export async function gatehouseSubject(arena: Arena, { sizes }: RowOptions): Promise<WebSubject> {
  const { endpoint } = arena.gatehouse;
  const client = await createWebApp(arena);
  // The codes are spread over many users, because the number of token families is limited for each user and app.
  const sessions = await openSessions(arena, sizes.connections * 8);
  const asks = authorizationRequests(endpoint, client, sessions);
  const codes = (count: number): Promise<string[]> => {
    const requests = Array.from({ length: count }, (_, index) => asks[index % asks.length] ?? Buffer.alloc(0));
    return authorize(endpoint, requests, sizes.connections);
  };
  return {
    endpoint,
    authorizations: asks,
    client,
    codes,
    path: '/oauth2/v1/token',
    meter: CpuMeter.ofProduct(arena.gatehouse),
  };
}

export const tokenRequest = ({ client, endpoint, path }: Subject, form: Readonly<Record<string, string>>): Buffer =>
  formRequestBytes(endpoint, path, { ...form, client_id: client.id, client_secret: client.secret });

export const redemption = (subject: Subject, code: string): Buffer =>
  tokenRequest(subject, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });

export const refreshTokenIn = (body: Buffer): string => {
  const { refresh_token: refreshToken } = JSON.parse(body.toString('utf8')) as { refresh_token?: string };
  if (refreshToken === undefined) throw new Error('no refresh token was given');
  return refreshToken;
};
