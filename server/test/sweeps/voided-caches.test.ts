import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrg } from '../../src/management/orgs/index.ts';
import { run } from '../../src/platform/postgres/index.ts';
import { type CacheName, EVENT_TYPES, type EventType, eventDefinition } from '../../src/system-log/index.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { good, newCustomServer, newServerClient, proofAt, tokenAt } from '../support/custom-servers.ts';
import { operatorContext } from '../support/org-settings.ts';
import { seedToken } from '../support/seeds.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { openSession } from '../support/session-tokens.ts';
import { setTheme } from '../support/themes.ts';

// This file tests that events void caches. If the catalogue says that an event voids a cache, the process that records
// the event must notice the change at once. A second later, every process must notice every change, whichever event was
// recorded.

const SECOND = 1_000;
const ADDRESS = '198.51.100.7';
/** This event is recorded only when an org is created, so another test covers it. */
const NEW_ORG = 'system.org.lifecycle.create';

interface Process {
  readonly service: TestService;
  readonly anonymous: TestClient;
  readonly byToken: TestClient;
}

interface Probe {
  readonly cache: CacheName;
  /** A statement that changes the cached data of the org `$1`. `$2` is the number of the change. */
  readonly change: string;
  readonly read: (process: Process) => Promise<unknown>;
}

let org: TestOrg;
let one: Process;
let other: Process;
let probes: Readonly<Record<string, Probe>>;
const clients: { readonly close: () => void }[] = [];

const orgProbes: Readonly<Record<string, Probe>> = {
  orgs: {
    cache: 'orgs',
    change: "update orgs set company_name = 'Company ' || $2::text where id = $1",
    read: ({ service }) => service.application.orgDirectory.nameOf(org.id),
  },
  zones: {
    cache: 'zones',
    change: "update network_zones set name = 'Probe ' || $2::text where org_id = $1 and name like 'Probe%'",
    read: async ({ service }) => (await service.application.zones.locate(org.id, ADDRESS)).names(),
  },
  themes: {
    cache: 'themes',
    change: "update themes set primary_color = '#' || lpad($2::text, 6, '0') where org_id = $1",
    read: async ({ anonymous }) => (await anonymous.get('/signin')).text.match(/--brand: #\w+/gu),
  },
  policies: {
    cache: 'policies',
    change: "update policies set name = 'Policy ' || $2::text where org_id = $1 and type = 'PASSWORD'",
    read: async ({ service }) => (await service.application.policies.password(org.id, { id: null })).policyName,
  },
};

async function oauthProbes(service: TestService, adminUserId: string): Promise<Readonly<Record<string, Probe>>> {
  const session = await openSession(service, org);
  const client = await newServiceClient(service, org, { scopes: ['users.read'], roles: ['READ_ONLY_ADMIN'] });
  const token = await client.token('users.read');
  const [server, withKey] = [await newCustomServer(org), await newCustomServer(org)];
  const serverClient = await newServerClient(org, 'private_key_jwt');
  const serverToken = await tokenAt(org, server, serverClient);
  const webClient = await newServerClient(org, 'client_secret_post');
  const { form } = await proofAt(org, webClient, 'client_secret_post', '');
  const labelled = (id: string) => `update apps set label = 'App ' || $2::text where org_id = $1 and id = '${id}'`;
  const serverAt = async ({ application }: TestService) => {
    const found = await application.oauth.servers.find(org.id, server.id);
    if (found === null) throw new Error('the server is gone');
    return found;
  };
  return {
    sessions: {
      cache: 'credentials',
      change: `update users set login = 'probe' || $2::text where org_id = $1 and id = '${session.userId}'`,
      read: async ({ service: { application } }) =>
        (await application.sessions.authenticate(org.id, session.id, org.now()))?.actor.alternateId,
    },
    apiTokens: {
      cache: 'credentials',
      change: `update users set status = case when $2::integer % 2 = 1 then 'SUSPENDED' else 'ACTIVE' end
        where org_id = $1 and id = '${adminUserId}'`,
      read: async ({ byToken }) => (await byToken.get('/api/v1/org')).status,
    },
    tokens: {
      cache: 'credentials',
      change: labelled(client.id),
      read: ({ service: { application } }) => application.oauth.verifier.verify(org.id, token, org.now()),
    },
    clients: {
      cache: 'credentials',
      change: labelled(webClient.id),
      read: ({ service: beside }) =>
        beside.application.oauth.authenticator.authenticateClient(operatorContext(beside, org), {
          endpoint: 'introspect',
          authorization: undefined,
          rawQuery: [],
          form,
        }),
    },
    serverTokens: {
      cache: 'credentials',
      change: labelled(serverClient.id),
      read: async ({ service: beside }) =>
        beside.application.oauth.serverVerifier.verify(org.id, await serverAt(beside), serverToken, org.now()),
    },
    signingKeys: {
      cache: 'signingKeys',
      change: `update signing_keys set public_jwk = public_jwk || jsonb_build_object('probe', $2::integer)
        where org_id = $1 and server_id = '${withKey.id}'`,
      read: ({ service: { application } }) => application.oauth.signingKeys.publishedKeys(org.id, withKey.id),
    },
    servers: {
      cache: 'servers',
      change: `update authorization_servers set name = 'Probe ' || $2::text where org_id = $1 and id = '${server.id}'`,
      read: async ({ service: beside }) => (await serverAt(beside)).facts.name,
    },
  };
}

beforeAll(async () => {
  const service = await startTestService();
  org = service.org;
  const second = await startTestService({ database: service.database, publicPort: service.port });
  const seeded = { orgId: org.id, baseUrl: org.baseUrl };
  const { token, userId } = await seedToken(service.application, service.clock, seeded, ['READ_ONLY_ADMIN']);
  const processOf = (at: TestService): Process => {
    const place = { port: at.port, hostname: org.hostname, ca: at.ca };
    const byToken = createTestClient({ ...place, headers: { authorization: `SSWS ${token}` } });
    const anonymous = createTestClient(place);
    clients.push(byToken, anonymous);
    return { service: at, byToken, anonymous };
  };
  one = processOf(service);
  other = processOf(second);
  await setTheme(org);
  const zone = { type: 'IP', name: 'Probe', usage: 'POLICY', gateways: [{ type: 'CIDR', value: `${ADDRESS}/32` }] };
  await good(org.admin.post('/api/v1/zones', { body: zone }));
  probes = { ...orgProbes, ...(await oauthProbes(service, userId)) };
});
afterAll(async () => {
  for (const client of clients) client.close();
  await other.service.close();
  await one.service.close();
});

async function readAll(process: Process): Promise<ReadonlyMap<string, string>> {
  const read = async ([name, probe]: [string, Probe]) => [name, JSON.stringify(await probe.read(process))] as const;
  return new Map(await Promise.all(Object.entries(probes).map(read)));
}

const unchanged = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...before].flatMap(([name, value]) => (after.get(name) === value ? [name] : []));

/**
 * Changes the data of all probes and records the events. Lists the probes whose caches the events should have voided at
 * once but did not, and the probes that still read the old data a second later.
 */
async function staleAfter(eventTypes: readonly EventType[], change: number) {
  const [atOne, atOther] = [await readAll(one), await readAll(other)];
  const context = operatorContext(one.service, org);
  await one.service.application.work(context, async (tx, record) => {
    for (const probe of Object.values(probes)) await run(tx, probe.change, [org.id, change]);
    for (const eventType of eventTypes) record({ eventType });
  });
  const voids = eventTypes.flatMap((eventType) => eventDefinition(eventType).voids);
  const atOnce = unchanged(atOne, await readAll(one)).filter((name) => voids.includes(probes[name]?.cache ?? 'orgs'));
  for (const { service } of [one, other]) service.clock.advance(SECOND);
  return {
    atOnce,
    laterHere: unchanged(atOne, await readAll(one)),
    laterThere: unchanged(atOther, await readAll(other)),
  };
}

test('there is a probe of every cache that an event voids', () => {
  const voided = new Set(EVENT_TYPES.flatMap((eventType) => eventDefinition(eventType).voids));
  expect(new Set(Object.values(probes).map(({ cache }) => cache))).toEqual(voided);
});

test('what an event voids is gone at its process at once, and all that changed a second later everywhere', async () => {
  const voiding = EVENT_TYPES.filter((eventType) => eventDefinition(eventType).voids.length > 0);
  const harmless = EVENT_TYPES.filter((eventType) => !voiding.includes(eventType));
  const rounds = [...voiding.filter((eventType) => eventType !== NEW_ORG).map((eventType) => [eventType]), harmless];
  const faults: unknown[] = [];
  for (const [index, eventTypes] of rounds.entries()) {
    const stale = await staleAfter(eventTypes, index + 1);
    if (Object.values(stale).some((names) => names.length > 0)) faults.push({ eventTypes, ...stale });
  }
  expect(faults).toEqual([]);
}, 120_000);

test('a host name of nobody leads to its new org at once, and within a second at another process', async () => {
  const { application, clock } = one.service;
  const resolve = async ({ service }: Process) => service.application.orgDirectory.resolve('newcomer.localhost');
  expect(await Promise.all([one, other].map(resolve))).toEqual([null, null]);
  const { orgId } = await createOrg(application, clock.now(), { subdomain: 'newcomer', companyName: 'Newcomer' });
  expect((await resolve(one))?.orgId).toBe(orgId);
  other.service.clock.advance(SECOND);
  expect((await resolve(other))?.orgId).toBe(orgId);
});
