// `npx tsx tools/rolling-restart.ts [--restarts 6] [--drain 2] [--built]` restarts two processes in turn with SIGTERM.
// They share one PostgreSQL and are behind a TCP balancer that checks readiness. Meanwhile, clients make calls and a
// poller reads the log. The exit code is 1 if a call or restart fails, or if the poller misses an event or gets one
// twice.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { TestClient, TestResponse } from '../server/test/support/client.ts';
import { ledgerEvents } from './crash/ledger-events.ts';
import { FROM_BUILD, FROM_SOURCES, freePorts } from './crash/service-process.ts';
import { openAppWork } from './nodes/app-work.ts';
import { type Balancer, openBalancer } from './nodes/balancer.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from './nodes/installation.ts';

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '6' },
    drain: { type: 'string', default: '2' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const launch = values.built ? FROM_BUILD : FROM_SOURCES;
const SCOPE = 'svc.users.read';
const PASSWORD = 'Rolls-Along-1';
const LOAD_MILLISECONDS = 1_500;
const MOST_TOLD = 20;

interface Kind {
  calls: number;
  readonly failures: string[];
}
const kinds = new Map<string, Kind>();
/** The number of requests that clients sent again because the server had closed a reused connection. */
let retries = 0;

/**
 * Makes one call and counts it under `kind`. If the call fails or the response has a status other than `status`,
 * records the failure and returns null.
 */
async function counted(kind: string, status: number, call: () => Promise<TestResponse>): Promise<TestResponse | null> {
  const found = kinds.get(kind) ?? { calls: 0, failures: [] };
  kinds.set(kind, found);
  found.calls += 1;
  try {
    const response = await call();
    if (response.status === status) return response;
    found.failures.push(`${response.status} ${response.text.slice(0, 200)}`);
  } catch (error) {
    found.failures.push(error instanceof Error ? `${Reflect.get(error, 'code')} ${error.message}` : String(error));
  }
  return null;
}

async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

interface ServiceApp {
  readonly id: string;
  readonly key: CryptoKey;
}

async function serviceApp(admin: TestClient, issuer: string): Promise<ServiceApp> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const app = await good(
    admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: 'Roller',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: 'private_key_jwt' } },
        settings: {
          oauthClient: {
            application_type: 'service',
            grant_types: ['client_credentials'],
            response_types: ['token'],
            jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'roller', use: 'sig', alg: 'ES256' }] },
          },
        },
      },
    }),
  );
  await good(admin.post(`/api/v1/apps/${app.id}/grants`, { body: { scopeId: SCOPE, issuer } }));
  return { id: app.id, key: privateKey };
}

const assertionOf = ({ id, key }: ServiceApp, audience: string): Promise<string> =>
  new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'roller' })
    .setIssuer(id)
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key);

type Work = () => Promise<void>;

interface Meanwhile {
  readonly all: readonly Work[];
  readonly poll: Work;
  readonly close: () => void;
}

async function works(installation: SharedInstallation, { port }: Balancer): Promise<Meanwhile> {
  const onRetry = (): void => {
    retries += 1;
  };
  const admin = await installation.client(port, undefined, onRetry);
  const people = await installation.client(port, {}, onRetry);
  const issuer = `https://localhost:${port}`;
  const app = await serviceApp(admin, issuer);
  let userId = '';
  for (let index = 0; index < 4; index += 1) {
    const login = `roller${index}@r.co`;
    const profile = { login, email: login, firstName: 'R', lastName: 'R' };
    ({ id: userId } = await good(
      admin.post('/api/v1/users?activate=true', { body: { profile, credentials: { password: { value: PASSWORD } } } }),
    ));
  }
  const appWork = await openAppWork(admin, people, { userId, username: 'roller3@r.co', password: PASSWORD }, counted);
  const since = new Date(Date.now() - 86_400_000).toISOString();
  let next = `/api/v1/logs?since=${since}&limit=100`;
  let turn = 0;
  const signIn: Work = async () => {
    const body = { username: `roller${turn % 4}@r.co`, password: PASSWORD };
    turn += 1;
    const answer = await counted('sign-in', 200, () => people.post('/api/v1/authn', { body }));
    if (answer === null) return;
    const session = await counted('session', 200, () =>
      people.post('/api/v1/sessions', { body: { sessionToken: answer.body.sessionToken } }),
    );
    if (session === null) return;
    await counted('session refresh', 200, () => admin.post(`/api/v1/sessions/${session.body.id}/lifecycle/refresh`));
  };
  const token: Work = async () => {
    const raw = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: SCOPE,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertionOf(app, `${issuer}/oauth2/v1/token`),
    }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await counted('token', 200, () => people.post('/oauth2/v1/token', { raw, headers }));
  };
  const poll: Work = async () => {
    const answer = await counted('poll', 200, () => admin.get(next));
    const links = [answer?.headers['link'] ?? []].flat().join(', ');
    const link = /<([^>]+)>; rel="next"/.exec(links)?.[1];
    if (link !== undefined) next = link.slice(new URL(link).origin.length);
    const events = (answer?.body ?? []) as { uuid: string }[];
    for (const { uuid } of events) seen.set(uuid, (seen.get(uuid) ?? 0) + 1);
    await delay(20);
  };
  return {
    all: [signIn, token, appWork, poll],
    poll,
    close: () => {
      admin.close();
      people.close();
    },
  };
}

const seen = new Map<string, number>();

function start(all: readonly Work[]): () => Promise<void> {
  const stopping = new AbortController();
  const running = Promise.all(
    all.map(async (work) => {
      while (!stopping.signal.aborted) await work();
    }),
  );
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Polls the remaining events. Returns a fault unless the poller has received every ledger event exactly once. */
async function pollFaults({ pool }: SharedInstallation, poll: Work): Promise<string[]> {
  for (let round = 0; round < 200; round += 1) {
    const { rows } = await pool.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
    if (rows[0]?.waiting === false) break;
    await delay(50);
  }
  for (let before = -1; before !== seen.size; ) {
    before = seen.size;
    await poll();
  }
  const rows = await ledgerEvents(pool);
  const missed = rows.filter(({ uuid }) => !seen.has(uuid));
  const twice = [...seen.values()].filter((count) => count > 1);
  print(`events ${rows.length}, missed by the poller ${missed.length}, given twice ${twice.length}`);
  return missed.length + twice.length === 0 ? [] : ['the poller missed events, or was given some twice'];
}

async function rollOnce(node: Node): Promise<number> {
  const startedAt = performance.now();
  const code = await node.service.end('SIGTERM');
  if (code !== 0) throw new Error(`${node.name} ended with ${code}:\n${node.service.output}`);
  await node.service.start();
  return performance.now() - startedAt;
}

async function roll(): Promise<readonly string[]> {
  const installation = await openSharedInstallation();
  const [port = 0] = await freePorts(1);
  const environment = { GATEHOUSE_DRAIN_SECONDS: values.drain, GATEHOUSE_PUBLIC_PORT: String(port) };
  const nodes = [
    await installation.node('one', launch, { environment }),
    await installation.node('two', launch, { environment }),
  ];
  try {
    for (const node of nodes) await node.service.start();
    const balancer = await openBalancer(nodes, port);
    const meanwhile = await works(installation, balancer);
    const stop = start(meanwhile.all);
    const restarts = Number(values.restarts);
    for (let index = 0; index < restarts; index += 1) {
      await delay(LOAD_MILLISECONDS);
      const node = nodes[index % nodes.length];
      if (node === undefined) break;
      print(`${node.name}: down and up again in ${Math.round(await rollOnce(node))} ms`);
      // The balancer must notice the restarted process before the other process stops.
      await delay(LOAD_MILLISECONDS);
    }
    await stop();
    const faults = await pollFaults(installation, meanwhile.poll);
    meanwhile.close();
    await balancer.close();
    for (const [kind, { calls, failures }] of kinds) print(`${kind}: ${calls} calls, ${failures.length} failed`);
    return [...faults, ...[...kinds].flatMap(([kind, { failures }]) => failures.map((text) => `${kind}: ${text}`))];
  } finally {
    for (const node of nodes) await node.service.end('SIGTERM');
    await installation.close();
  }
}

const faults = await roll();
for (const fault of faults.slice(0, MOST_TOLD)) print(`  ${fault}`);
print(`restarts ${values.restarts}, requests sent again ${retries}, faults ${faults.length}`);
process.exitCode = faults.length === 0 ? 0 : 1;
