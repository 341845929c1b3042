import { decide } from './access/index.ts';
import { createEdgeEvents, type EdgeEvents } from './edge-events.ts';
import { type ApplicationOptions, type Committed, type Foundation, foundationOf } from './foundation.ts';
import { createHousekeeping, type Housekeeping } from './housekeeping.ts';
import type { Namespace } from './kernel/namespace.ts';
import { type ApiTokens, createApiTokens } from './management/api-tokens/index.ts';
import { apiTokenRoutes } from './management/api-tokens/routes.ts';
import { createEdgeOrgs, type EdgeOrgs } from './management/orgs/index.ts';
import { orgRoutes } from './management/orgs/routes.ts';
import { roleRoutes } from './management/roles/routes.ts';
import { schemaRoutes } from './management/schemas/routes.ts';
import { trustedOriginRoutes } from './management/trusted-origins/routes.ts';
import type { UsersPorts } from './management/users/index.ts';
import { userRoutes } from './management/users/routes.ts';
import { createPasswordHasher, type PasswordHasher } from './platform/crypto/passwords/index.ts';
import {
  type AnyRoute,
  type CursorCodec,
  compileCidrs,
  createCursorCodec,
  createEntityTags,
  createPrefixLimiter,
  createRateLimiter,
  openPublicPort,
  type PublicPort,
  type PublicPortOptions,
  type RateLimiter,
} from './platform/http/index.ts';
import { createJobRunner, type JobRunner } from './platform/jobs/index.ts';
import { createMailJobs, type MailJobs } from './platform/mail/index.ts';
import type { Db, Pool } from './platform/postgres/index.ts';
import { startPageRoutes } from './start-page.ts';
import { connectionsOver, type Relay, type Work } from './system-log/index.ts';
import { logRoutes } from './system-log/routes.ts';
import { usersPortsOf } from './users-ports.ts';

export type { ApplicationOptions } from './foundation.ts';

/** The whole service of one process, wired; nothing runs before `start`. */
export interface Application {
  readonly namespace: Namespace;
  readonly routes: readonly AnyRoute[];
  readonly pool: Pool;
  readonly db: Db;
  readonly work: Work;
  readonly users: UsersPorts;
  readonly edgeOrgs: EdgeOrgs;
  readonly edgeEvents: EdgeEvents;
  readonly limiter: RateLimiter;
  readonly passwords: PasswordHasher;
  readonly relay: Relay;
  readonly jobs: JobRunner;
  readonly housekeeping: Housekeeping;
  /** Opens the public port; requests are served from then on. */
  readonly listen: (options: PublicPortOptions) => Promise<PublicPort>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** What use cases need beyond the foundation. */
interface Parts extends Foundation {
  readonly passwords: PasswordHasher;
  readonly cursors: CursorCodec;
  readonly edgeOrgs: EdgeOrgs;
  readonly apiTokens: ApiTokens;
  readonly users: UsersPorts;
  readonly edgeEvents: EdgeEvents;
  readonly limiter: RateLimiter;
  readonly mailJobs: MailJobs;
}

/** Events after which a cached credential or org may no longer be right. */
const CHANGES_WHO_MAY = new RegExp(
  '^(user\\.lifecycle\\.(deactivate|suspend|delete)|user\\.account\\.privilege|' +
    'system\\.api_token\\.(revoke|update)|system\\.org)\\b',
);

function partsOf(options: ApplicationOptions): Parts {
  let drop: Committed = () => undefined;
  const foundation = foundationOf(options, (orgId, events) => drop(orgId, events));
  const { clock, masterKey, namespace, smtpUrl } = options;
  const { db, work } = foundation;
  const passwords = createPasswordHasher({
    workers: options.passwordHashWorkers,
    ...(options.argon2 === undefined ? {} : { argon2: options.argon2 }),
  });
  const cursors = createCursorCodec(masterKey.subkey('cursors'));
  const edgeOrgs = createEdgeOrgs({ db, clock, baseDomain: options.baseDomain });
  const apiTokens = createApiTokens({ db, work, clock, cursors });
  // A process forgets what it changed itself at once; the others within the second that an entry lives.
  drop = (orgId, events) => {
    if (!events.some(({ eventType }) => CHANGES_WHO_MAY.test(eventType))) return;
    apiTokens.drop(orgId);
    edgeOrgs.drop(orgId);
  };
  return {
    ...foundation,
    passwords,
    cursors,
    edgeOrgs,
    apiTokens,
    users: usersPortsOf({ work, db, passwords, cursors, edgeOrgs, masterKey, smtp: smtpUrl !== null }),
    edgeEvents: createEdgeEvents({ clock, namespace, work }),
    limiter: createRateLimiter({ clock }),
    mailJobs: createMailJobs({ db, clock, masterKey, smtpUrl, from: options.mailFrom }),
  };
}

function edgePortsOf(options: ApplicationOptions, parts: Parts): Parameters<typeof openPublicPort>[0] {
  const { clock, namespace, log, metrics } = options;
  const { apiTokens, cursors, edgeOrgs, edgeEvents, limiter } = parts;
  return {
    clock,
    namespace,
    log,
    cursors,
    limiter,
    addressLimiter: createPrefixLimiter({ clock }),
    addressLimitPerMinute: options.addressLimitPerMinute,
    defaultLimitPerMinute: options.rateLimitPerMinute,
    publicPort: options.publicPort,
    baseDomain: options.baseDomain,
    tlsProxies: compileCidrs(options.tlsProxies),
    resolveOrg: (hostname) => edgeOrgs.resolve(hostname),
    authenticate: (org, authorization, now) => apiTokens.authenticate(org.orgId, authorization, now),
    decide: ({ actor, roles }, permission) => decide({ userId: actor.id, roles }, permission),
    refused: edgeEvents.refused,
    ...(metrics === undefined ? {} : { answered: metrics.requestAnswered }),
  };
}

function routesOf(options: ApplicationOptions, parts: Parts): readonly AnyRoute[] {
  const { apiTokens, cursors, db, edgeOrgs, logPool, users, work } = parts;
  const { clock, entityTagsEmittedSince, logQueryTimeoutMilliseconds: timeoutMilliseconds, namespace } = options;
  return [
    ...userRoutes({ users, tags: createEntityTags(entityTagsEmittedSince, clock.now()) }),
    ...roleRoutes({ db, work }),
    ...schemaRoutes({ db, work }),
    ...orgRoutes({ db, work, edgeOrgs, namespace }),
    ...trustedOriginRoutes({ db, work, cursors, edgeOrgs }),
    ...apiTokenRoutes({ apiTokens }),
    ...logRoutes({ connections: connectionsOver(logPool), cursors, timeoutMilliseconds }),
    ...startPageRoutes({ db, edgeOrgs }),
  ];
}

/** Composition root: the only file that knows every area. Connects to nothing before it is used. */
export function createApplication(options: ApplicationOptions): Application {
  const { clock, log, metrics } = options;
  const parts = partsOf(options);
  const { apiTokens, db, edgeEvents, limiter, logPool, mailJobs, passwords, pool, relay } = parts;
  const jobs = createJobRunner({
    db,
    clock,
    kinds: mailJobs.kinds,
    onFinished: (report) => metrics?.jobFinished(report),
    onError: (error) => log.warn({ err: error }, 'the job queue could not be read'),
  });
  const housekeeping = createHousekeeping({ db, clock, limiter, edgeEvents, apiTokens, log });
  const edgePorts = edgePortsOf(options, parts);
  const routes = routesOf(options, parts);
  metrics?.observe({
    databasePool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    passwordQueueDepth: () => passwords.queueDepth(),
  });
  return {
    ...parts,
    namespace: options.namespace,
    routes,
    jobs,
    housekeeping,
    listen: (port) => openPublicPort(edgePorts, routes, port),
    start: () => {
      relay.start();
      jobs.start();
      housekeeping.start();
    },
    stop: async () => {
      await jobs.stop();
      await housekeeping.stop();
      await relay.stop();
      mailJobs.close();
      await passwords.close();
      await Promise.all([pool.end(), logPool.end()]);
    },
  };
}
