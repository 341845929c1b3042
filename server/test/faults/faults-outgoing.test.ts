import { gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Outbound, OutboundError } from '../../src/platform/outbound/index.ts';
import { newGroup } from '../support/app-assignments.ts';
import { createApp, webApp } from '../support/apps.ts';
import { newUser, signIn } from '../support/authn.ts';
import { ask, ERROR_PAGE } from '../support/authorization.ts';
import { activeRule } from '../support/group-rules.ts';
import { until } from '../support/hook-receiver.ts';
import { noteClient } from '../support/logout-receiver.ts';
import { resolvesTo, useOutboundHost } from '../support/outbound-host.ts';
import {
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  type ServiceApp,
  signAssertion,
} from '../support/service-apps.ts';
import { ME, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';

/** F16 (docs/faults.md): requests for the keys of clients fail, and so do logout notices. */
const host = useOutboundHost();
let current: Outbound;

const outbound: Outbound = {
  send: (request) => current.send(request),
  getJson: (orgId, url, limits) => current.getJson(orgId, url, limits),
  close: async () => undefined,
};

// The database pool has fewer connections than there are unanswered requests to hosts. If each request held a
// connection, nothing else could run.
const { service, org } = useService({ outbound, maximumConnections: 3 });
beforeEach(() => {
  current = host.outbound({
    lookup: (hostname) => {
      if (hostname === 'nowhere.example') return Promise.reject(new Error('getaddrinfo ENOTFOUND'));
      // This host name stands for a resolver that never answers.
      if (hostname === 'mute.example') return new Promise(() => undefined);
      return resolvesTo('127.0.0.1')(hostname);
    },
  });
  host.answer = (request, response) => WAYS[request.url?.slice(1) ?? '']?.(response);
});

type Response = Parameters<typeof host.answer>[1];

const WAYS: Readonly<Record<string, (response: Response) => void>> = {
  silent: () => undefined,
  drips: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  endless: (response) => {
    const chunk = Buffer.alloc(16_384, ' ');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  },
  huge: (response) => response.writeHead(200, { 'content-length': '10000000000' }).flushHeaders(),
  moved: (response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
  broken: (response) => response.writeHead(500).end('secret of the host'),
  nonsense: (response) => response.end('<html>'),
  packed: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"keys":[]}')),
  gone: (response) => response.destroy(),
};

const addresses = (): string[] => [
  ...Object.keys(WAYS).map((way) => host.address(`/${way}`)),
  `https://nowhere.example:${host.port}/keys`,
  `https://mute.example:${host.port}/keys`,
  // Nobody listens at the first address. The host at the second has no certificate for the name.
  'https://keys.example:1/keys',
  `https://other.example:${host.port}/keys`,
];

const keyed = (uri: string): Promise<ServiceApp> =>
  newServiceApp(org, {
    key: newTestKey('ES256'),
    scopes: [],
    applicationType: 'web',
    settings: { jwks: undefined, jwks_uri: uri },
  });

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ENDPOINTS = {
  token: { grant_type: 'authorization_code', code: 'x' },
  introspect: { token: 'x' },
  revoke: { token: 'x' },
  par: { response_type: 'code' },
} as const;

async function prove(app: ServiceApp, endpoint: keyof typeof ENDPOINTS) {
  const path = `/oauth2/v1/${endpoint}`;
  const claims = claimsOf(org, app.id, org.now(), { aud: org.baseUrl + path });
  const form = { client_assertion_type: JWT_BEARER, client_assertion: await signAssertion(app.key, claims) };
  return postForm(org.anonymous, path, { ...form, ...ENDPOINTS[endpoint] });
}

const KEYS_UNAVAILABLE = {
  status: 401,
  body: { error: 'invalid_client', error_description: 'Error retrieving the client JWKSet from jwks_uri.' },
};

function held(): number {
  const { pool } = service.application;
  return pool.totalCount - pool.idleCount + pool.waitingCount;
}

async function worksMeanwhile(): Promise<void> {
  const { profile } = await newUser(org);
  expect(await signIn(org.anonymous, profile.login)).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[];
const askAll = (apps: readonly ServiceApp[]) =>
  Promise.all(apps.flatMap((app) => ENDPOINT_NAMES.map((endpoint) => prove(app, endpoint))));

describe('keys that cannot be had', () => {
  test('are the documented error at every endpoint, whatever the host does', async () => {
    for (const answer of await askAll(await Promise.all(addresses().map(keyed)))) {
      expect(answer, answer.text).toMatchObject(KEYS_UNAVAILABLE);
      expect(answer.text).not.toMatch(/secret of the host|169\.254|ENOTFOUND|ECONN/);
    }
    // Each address gets one request for its keys, although each client calls several endpoints.
    for (const way of Object.keys(WAYS)) {
      expect(host.requests.filter(({ url }) => url === `/${way}`)).toHaveLength(1);
    }
  });

  test('are waited for without a connection to the database, and nobody else waits', async () => {
    const waiting: (() => void)[] = [];
    const getJson = () =>
      new Promise((_, reject) => {
        waiting.push(() => reject(new OutboundError('timeout')));
      });
    current = { ...outbound, getJson };
    const apps = await Promise.all(Array.from({ length: 6 }, () => keyed(host.address('/silent'))));
    const sent = askAll(apps);
    await until('the hosts', () => waiting.length === apps.length);
    await until('connections', () => held() === 0);
    await worksMeanwhile();
    for (const end of waiting) end();
    for (const answer of await sent) expect(answer).toMatchObject(KEYS_UNAVAILABLE);
  });

  test('make a signed request an error page', async () => {
    const app = await keyed(host.address('/broken'));
    const claims = { ...claimsOf(org, app.id, org.now(), { aud: org.baseUrl }), client_id: app.id };
    const request = await new SignJWT({ ...claims, response_type: 'code' })
      .setProtectedHeader({ alg: 'ES256', kid: app.key.kid })
      .sign(app.key.privateKey);
    expect(await ask(org.anonymous, app, { request })).toMatchObject(ERROR_PAGE);
    expect(host.requests).toHaveLength(1);
  });
});

describe('apps that are told of the end of a session', () => {
  /** Returns the session id that the events of the session contain. */
  async function endSessionOf(...uris: readonly string[]): Promise<string> {
    const session = await openSession(service, org);
    for (const uri of uris) {
      const { id } = await createApp(org, webApp({ backchannel_logout_uri: uri }));
      await noteClient(service, org, session, id);
    }
    expect((await session.client.del(ME)).status).toBe(204);
    return session.externalSessionId;
  }

  const outcomes = async (externalSessionId: string): Promise<readonly string[]> => {
    const events = await org.systemLog('eventType eq "user.authentication.slo"');
    return events
      .filter(({ authenticationContext }) => authenticationContext.externalSessionId === externalSessionId)
      .map(({ outcome }) => outcome.reason ?? outcome.result)
      .toSorted();
  };

  test('and let us wait: nobody else does, not for them and not for a connection', async () => {
    const waiting: (() => void)[] = [];
    current = {
      ...outbound,
      send: () =>
        new Promise((resolve) => {
          waiting.push(() => resolve({ status: 204, headers: {}, body: Buffer.alloc(0) }));
        }),
    };
    const uris = Array.from({ length: 10 }, (_, index) => `https://app${index}.example/logout`);
    const externalSessionId = await endSessionOf(...uris);
    await until('the apps', () => waiting.length === 8);
    await until('connections', () => held() === 0);
    await worksMeanwhile();
    // A group rule still works, because notices have a separate job runner.
    await activeRule(service, org, [(await newGroup(org)).id]);
    expect(waiting).toHaveLength(8);
    for (const answer of waiting.splice(0)) answer();
    await until('the others', () => waiting.length === 2);
    for (const answer of waiting) answer();
    await until('all of them', async () => (await outcomes(externalSessionId)).length === 10);
    expect(new Set(await outcomes(externalSessionId))).toEqual(new Set(['SUCCESS']));
  });

  test('and answer what they like: little is read, nothing followed, and who may come back is asked', async () => {
    const ways = ['endless', 'nonsense', 'moved', 'broken', 'gone'].map((way) => host.address(`/${way}`));
    const externalSessionId = await endSessionOf(...ways, `https://nowhere.example:${host.port}/logout`);
    const text = `select last_error from jobs where kind = 'oauth.backchannelLogout' and last_error is not null`;
    const errors = async () => (await service.database.pool.query(text)).rows.map((row) => row.last_error).toSorted();
    await until('the answers', async () => (await errors()).length === 3);
    await until('the log', async () => (await outcomes(externalSessionId)).length === 3);
    expect(await outcomes(externalSessionId)).toEqual(['SUCCESS', 'SUCCESS', 'The app answered 302']);
    expect(await errors()).toEqual([
      'The app answered 500',
      'The app was not reached: unreachable',
      'The app was not reached: unreachable',
    ]);
  });
});
