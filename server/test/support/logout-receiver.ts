import { setTimeout as delay } from 'node:timers/promises';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../src/platform/outbound/index.ts';
import { createApp, webApp } from './apps.ts';
import type { TestOrg, TestService } from './service.ts';
import type { OpenSession } from './session-tokens.ts';

export interface ReceivedLogout {
  readonly url: string;
  readonly token: string;
}

export interface LogoutReceiver {
  readonly received: ReceivedLogout[];
  readonly outbound: Outbound;
  /** Returns the status or the error for a request. `attempt` counts the requests to this URL. */
  answer: (url: string, attempt: number) => number | OutboundError;
}

export function logoutReceiver(): LogoutReceiver {
  const received: ReceivedLogout[] = [];
  const receiver: LogoutReceiver = {
    received,
    answer: () => 200,
    outbound: {
      send: ({ body, headers, method, url }) => {
        if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded') {
          return Promise.reject(new Error(`not a form: ${method} ${url}`));
        }
        const form = new URLSearchParams(String(body));
        if ([...form.keys()].join() !== 'logout_token') return Promise.reject(new Error(`another form: ${form}`));
        received.push({ url, token: form.get('logout_token') ?? '' });
        const attempt = received.filter((one) => one.url === url).length;
        const answer = receiver.answer(url, attempt);
        if (answer instanceof OutboundError) return Promise.reject(answer);
        const accepted: OutboundAnswer = { status: answer, headers: {}, body: Buffer.alloc(0) };
        return Promise.resolve(accepted);
      },
      getJson: () => Promise.reject(new OutboundError('unreachable')),
      close: () => Promise.resolve(),
    },
  };
  return receiver;
}

let uris = 0;

export async function newListener(org: TestOrg): Promise<{ readonly id: string; readonly uri: string }> {
  uris += 1;
  const uri = `https://app${uris}.example.com/backchannel`;
  const { id } = await createApp(org, webApp({ backchannel_logout_uri: uri }));
  return { id, uri };
}

/** Stores that a session has signed its user in to the app, as an authorization would. */
export async function noteClient(
  service: TestService,
  org: TestOrg,
  { externalSessionId }: Pick<OpenSession, 'externalSessionId'>,
  clientId: string,
  serverId = '',
): Promise<void> {
  const text = `insert into session_clients (org_id, session_external_id, client_id, server_id, created_at)
    values ($1, $2, $3, $4, now())`;
  await service.application.pool.query(text, [org.id, externalSessionId, clientId, serverId]);
}

/** Verifies a logout token, and its audience if `clientId` is given. Returns its claims. */
export async function verifyLogoutToken(
  service: TestService,
  org: TestOrg,
  token: string,
  { clientId, issuer = org.baseUrl, keys = '/oauth2/v1/keys' }: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const set = (await org.anonymous.get(keys)).body as JSONWebKeySet;
  const { payload } = await jwtVerify(token, createLocalJWKSet(set), {
    issuer,
    ...(clientId === undefined ? {} : { audience: clientId }),
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    currentDate: service.clock.now(),
    requiredClaims: ['iat', 'exp', 'jti', 'sub', 'sid', 'events'],
  });
  return payload;
}

export async function noticesSettled(service: TestService): Promise<void> {
  const text = `select exists (select 1 from jobs where kind = 'oauth.backchannelLogout'
    and (run_at <= $1 or lease_until is not null)) as waiting`;
  for (let tries = 0; tries < 4_000; tries += 1) {
    const { rows } = await service.application.pool.query<{ waiting: boolean }>(text, [service.clock.now()]);
    if (rows[0]?.waiting === false) return;
    service.application.notices.wake();
    await delay(10);
  }
  throw new Error('notices were not sent');
}
