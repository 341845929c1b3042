import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Application, createApplication } from '../../src/app/application.ts';
import type { OtherWorkers } from '../../src/app/background/other-workers.ts';
import { poolSizesAround } from '../../src/app/pool-sizes.ts';
import { type OrgId, randomAlphanumeric } from '../../src/kernel/words/ids.ts';
import type { AwsAccount } from '../../src/management/log-streams/index.ts';
import { hostCertificates, masterKeyOf, openCertificateAuthority } from '../../src/platform/crypto/index.ts';
import type { Argon2Parameters } from '../../src/platform/crypto/passwords/index.ts';
import type { Geography } from '../../src/platform/geography/index.ts';
import type { PublicPort } from '../../src/platform/http/index.ts';
import type { Metrics } from '../../src/platform/operations/index.ts';
import type { Outbound } from '../../src/platform/outbound/index.ts';
import { type Config, loadConfig } from '../../src/settings/config.ts';
import type { SinkProviders } from '../../src/system-log/index.ts';
import { checkAnswer } from './answers.ts';
import { createTestClient, type TestClient, type TestResponse } from './client.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { untilDrained } from './drained.ts';
import { makeTestKeyPair } from './made-keys.ts';
import { routeCalls } from './route-calls.ts';
import { seedOrg, seedToken } from './seeds.ts';
import { type MovableClock, movableClock } from './time.ts';

/** Cheap parameters, so that tests of the API do not wait for argon2. */
const CHEAP_ARGON2 = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export interface TestOrg {
  readonly id: OrgId;
  readonly subdomain: string;
  readonly hostname: string;
  readonly baseUrl: string;
  /** A client that sends a super administrator's API token. */
  readonly admin: TestClient;
  /** A client that makes the same changes as `admin`, but calls the route handlers without HTTPS where possible. */
  readonly seeds: Pick<TestClient, 'post' | 'put'>;
  readonly adminUserId: string;
  readonly adminToken: string;
  readonly now: () => Date;
  readonly anonymous: TestClient;
  /** Creates a user who holds these roles. Returns the user's id and a client that sends an API token of the user. */
  readonly withRoles: (...roles: readonly string[]) => Promise<TestClient & { readonly userId: string }>;
  readonly client: (headers: Readonly<Record<string, string>>, hostname?: string) => TestClient;
  /** Creates a user with a valid profile, which the given one extends. Returns the user in wire form. */
  readonly createUser: (options?: NewTestUser) => Promise<TestResponse['body']>;
  /**
   * Drains the outbox, and returns the events of the last 7 days, oldest first. Throws if there are 1,000 or more.
   * Without a filter, omits `system.log.read`.
   */
  readonly systemLog: (filter?: string) => Promise<TestResponse['body'][]>;
}

export interface NewTestUser {
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly credentials?: Readonly<Record<string, unknown>>;
  readonly query?: string;
}

export interface TestService {
  /** Whether other test files use the service. If so, tests may change data outside of orgs only through the API. */
  readonly isShared?: true;
  readonly application: Application;
  readonly database: TestDatabase;
  readonly clock: MovableClock;
  readonly port: number;
  readonly ca: string;
  readonly caFile: string;
  /**
   * An org for the tests. It also has the host name `localhost`, unless the service or its database is shared or the
   * test sets `baseDomain`.
   */
  readonly org: TestOrg;
  readonly newOrg: () => Promise<TestOrg>;
  readonly drained: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly closeClients: () => void;
  readonly logged: () => string;
}

export interface TestServiceOptions {
  readonly namespace?: string;
  readonly baseDomain?: string;
  /** Null means each bucket's own limit. By default, the limit is too high to matter. */
  readonly rateLimitPerMinute?: number | null;
  readonly addressLimitPerMinute?: number;
  readonly hostLimitPerMinute?: number;
  readonly tlsProxies?: readonly string[];
  /** Private networks that may contain the targets of hooks and log streams and the addresses of key sets. */
  readonly outboundNetworks?: readonly string[];
  /** The port in links and issuers. A second service needs the port of the first one if both must use the same URLs. */
  readonly publicPort?: number;
  readonly maximumConnections?: number;
  /** An existing database, which may belong to another service. It is not dropped at the end. */
  readonly database?: TestDatabase;
  readonly logQueryTimeoutMilliseconds?: number;
  readonly logBacklogBounds?: { readonly events: number; readonly seconds: number };
  /** Realistic parameters, for tests of the cost of hashing. */
  readonly argon2?: Argon2Parameters;
  /** Providers that receive the events instead of the real event hooks and log streams. */
  readonly sinkProviders?: SinkProviders;
  /** The folder for log streams that write files. */
  readonly dataDirectory?: string;
  readonly awsAccount?: AwsAccount;
  /** A replacement for the client that sends requests to other hosts, so that tests need no external network. */
  readonly outbound?: Outbound;
  /** False closes the page that shows emails, as in an installation that is not for development. */
  readonly showsMails?: boolean;
  /** The URL of a mail server. Without it, emails are only stored. */
  readonly smtpUrl?: string;
  readonly geography?: Geography;
  /** The URL of standbys that log readers may read from. */
  readonly replicaUrl?: string;
  readonly metrics?: Metrics;
  /** The channel on which this service and another one exchange news, like the workers of one primary. */
  readonly otherWorkers?: OtherWorkers;
  /** The value false starts no background work, so that a test runs each piece of it. */
  readonly isStarted?: false;
  /** Headers that are sent with every request, unless the request sets them itself. */
  readonly clientHeaders?: Readonly<Record<string, string>>;
  readonly onAnswer?: (method: string, path: string, response: TestResponse) => void;
}

let logins = 0;
export const newLogin = (): string => {
  logins += 1;
  return `user${logins}.${randomAlphanumeric(6).toLowerCase()}@example.com`;
};

export const newProfile = (given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const login = typeof given['login'] === 'string' ? given['login'] : newLogin();
  return { firstName: 'Ada', lastName: 'Lovelace', login, email: login, ...given };
};

interface Listening {
  readonly application: Application;
  readonly port: number;
  readonly ca: string;
  readonly clients: Set<{ close(): void }>;
  readonly options: TestServiceOptions;
}

async function openOrg(listening: Listening, clock: MovableClock, subdomain: string): Promise<TestOrg> {
  const { application, ca, clients, port } = listening;
  const check = checkAnswer(application.routes, application.namespace.word);
  const hostname = `${subdomain}.${listening.options.baseDomain ?? 'localhost'}`;
  const client = (headers: Readonly<Record<string, string>>, name = hostname): TestClient => {
    const made = createTestClient({
      port,
      hostname: name,
      ca,
      headers: { ...listening.options.clientHeaders, ...headers },
      onAnswer: (method, path, response) => {
        check(method, path, response, `https://${name}:${port}`);
        listening.options.onAnswer?.(method, path, response);
      },
    });
    clients.add(made);
    return made;
  };
  const seeded = await seedOrg(application, clock, { subdomain, baseUrl: `https://${hostname}:${port}` });
  const admin = client({ authorization: `SSWS ${seeded.token}` });
  const { clientHeaders, onAnswer } = listening.options;
  // If a test watches responses or sets headers, changes must go through HTTP.
  const isWatched = clientHeaders !== undefined || onAnswer !== undefined;
  const seeds = isWatched ? admin : routeCalls(application, clock, { ...seeded, hostname });
  const createUser: TestOrg['createUser'] = async (options = {}) => {
    const profile = newProfile(options.profile);
    const body = options.credentials === undefined ? { profile } : { profile, credentials: options.credentials };
    const response = await seeds.post(`/api/v1/users${options.query ?? ''}`, { body });
    if (response.status !== 200) throw new Error(`the user was not created: ${response.text}`);
    return response.body;
  };
  return {
    id: seeded.orgId,
    subdomain,
    hostname,
    baseUrl: `https://${hostname}:${port}`,
    admin,
    seeds,
    adminUserId: seeded.userId,
    adminToken: seeded.token,
    now: () => clock.now(),
    anonymous: client({}),
    client,
    createUser,
    withRoles: async (...roles) => {
      const { userId, token } = await seedToken(application, clock, seeded, roles);
      return { ...client({ authorization: `SSWS ${token}` }), userId };
    },
    systemLog: async (filter) => {
      await untilDrained(application, () => clock.now());
      const query = `?limit=1000${filter === undefined ? '' : `&filter=${encodeURIComponent(filter)}`}`;
      const events = (await admin.get(`/api/v1/logs${query}`)).body as TestResponse['body'][];
      if (events.length === 1000) throw new Error('the log has more events than a page');
      // The log also records who reads it, so the number of `system.log.read` events varies.
      return events.filter(({ eventType }) => eventType !== 'system.log.read' || filter !== undefined);
    },
  };
}

function configOf(options: TestServiceOptions, directory: string): Config {
  const { awsAccount, logBacklogBounds, outboundNetworks = [], tlsProxies = [] } = options;
  return {
    ...loadConfig({
      GATEHOUSE_NAMESPACE: options.namespace ?? 'svc',
      GATEHOUSE_BASE_DOMAIN: options.baseDomain ?? 'localhost',
      GATEHOUSE_TRUSTED_PROXIES: tlsProxies.join(','),
      GATEHOUSE_OUTBOUND_NETWORKS: outboundNetworks.join(','),
    }),
    publicPort: options.publicPort ?? 0,
    rateLimitPerMinute: options.rateLimitPerMinute === undefined ? 1_000_000 : options.rateLimitPerMinute,
    passwordHashWorkers: 1,
    logBacklogEvents: logBacklogBounds?.events ?? 200_000,
    logBacklogSeconds: logBacklogBounds?.seconds ?? 60,
    logQueryTimeoutSeconds: (options.logQueryTimeoutMilliseconds ?? 30_000) / 1_000,
    logFilesMegabytes: 10_000,
    awsAccessKeyId: awsAccount?.accessKeyId ?? null,
    awsSecretAccessKey: awsAccount?.secretAccessKey ?? null,
    awsSessionToken: awsAccount?.sessionToken ?? null,
    awsEventBridgeUrl: awsAccount?.eventBridgeUrl ?? null,
    databaseReplicaUrl: options.replicaUrl ?? null,
    dataDirectory: options.dataDirectory ?? directory,
    smtpUrl: options.smtpUrl ?? null,
    mailFrom: 'gatehouse@localhost',
    // An installation with the operator's certificate shows no emails (`showsMails` in config.ts).
    tlsCertificateFile: options.showsMails === false ? 'certificate.pem' : null,
  };
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await openTestDatabase());
  const clock = movableClock();
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-service-'));
  const authority = await openCertificateAuthority(directory, clock);
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const application = createApplication({
    config: configOf(options, directory),
    connection: database.connection,
    poolSizes: poolSizesAround(options.maximumConnections ?? 10),
    clock,
    masterKey: masterKeyOf(Buffer.alloc(32, 7)),
    makeKeyPair: makeTestKeyPair,
    log,
    hostLimitPerMinute: options.hostLimitPerMinute ?? 1_000_000,
    addressLimitPerMinute: options.addressLimitPerMinute ?? 1_000_000,
    argon2: options.argon2 ?? CHEAP_ARGON2,
    ...(options.sinkProviders === undefined ? {} : { sinkProviders: options.sinkProviders }),
    ...(options.outbound === undefined ? {} : { outbound: options.outbound }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    ...(options.geography === undefined ? {} : { geography: options.geography }),
    ...(options.otherWorkers === undefined ? {} : { otherWorkers: options.otherWorkers }),
    entityTagsEmittedSince: { v1: new Date(0) },
  });
  if (options.isStarted !== false) application.start();
  const tls = hostCertificates({ authority, clock }).options;
  const open: PublicPort = await application.listen({ host: '127.0.0.1', port: 0, tls });
  const listening = {
    application,
    port: open.port,
    ca: authority.certificate,
    clients: new Set<{ close(): void }>(),
    options,
  };
  const closeClients = () => {
    for (const client of listening.clients) client.close();
    listening.clients.clear();
  };
  const newOrg = () => openOrg(listening, clock, `t${randomAlphanumeric(8).toLowerCase()}`);
  return {
    application,
    database,
    clock,
    port: open.port,
    ca: authority.certificate,
    caFile: authority.certificateFile,
    org: await newOrg(),
    newOrg,
    drained: () => untilDrained(application, () => clock.now()),
    logged: () => lines.join(''),
    closeClients,
    close: async () => {
      closeClients();
      await open.close(1_000);
      await application.stop();
      if (options.database === undefined) await database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
