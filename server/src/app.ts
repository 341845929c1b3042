import type { EdgeEvents } from './edge-events.ts';
import { edgePortsOf } from './edge-ports.ts';
import type { ApplicationOptions } from './foundation.ts';
import { createHousekeeping, type Housekeeping } from './housekeeping.ts';
import type { Namespace } from './kernel/namespace.ts';
import { logJobsOf } from './log-jobs.ts';
import { apiTokenRoutes } from './management/api-tokens/routes.ts';
import { appRoutes } from './management/apps/routes.ts';
import { eventHookRoutes } from './management/event-hooks/routes.ts';
import { listProviderFacts } from './management/identity-providers/index.ts';
import { identityProviderRoutes } from './management/identity-providers/routes.ts';
import { logStreamRoutes } from './management/log-streams/routes.ts';
import type { EdgeOrgs } from './management/orgs/index.ts';
import { orgRoutes } from './management/orgs/routes.ts';
import { findRuleNaming, type PolicyEngine } from './management/policies/index.ts';
import { policyRoutes } from './management/policies/routes.ts';
import { roleRoutes } from './management/roles/routes.ts';
import { schemaRoutes } from './management/schemas/routes.ts';
import { trustedOriginRoutes } from './management/trusted-origins/routes.ts';
import type { UsersPorts } from './management/users/index.ts';
import { userRoutes } from './management/users/routes.ts';
import type { Zones } from './management/zones/index.ts';
import { zoneRoutes } from './management/zones/routes.ts';
import type { OAuth } from './oauth/index.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { type Parts, partsOf } from './parts.ts';
import type { PasswordHasher } from './platform/crypto/passwords/index.ts';
import {
  type AnyRoute,
  createEntityTags,
  openPublicPort,
  type PublicPort,
  type PublicPortOptions,
  type RateLimiter,
} from './platform/http/index.ts';
import { createJobRunner, type JobRunner } from './platform/jobs/index.ts';
import type { Db, Pool } from './platform/postgres/index.ts';
import type { RoutingEvents } from './routing-events.ts';
import type { Sessions } from './sign-in/index.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { startPageRoutes } from './start-page.ts';
import {
  type Backpressure,
  connectionsOver,
  type LogSigner,
  type LogTrace,
  type Relay,
  type Work,
} from './system-log/index.ts';
import { checkpointRoutes, logRoutes } from './system-log/routes.ts';

export type { ApplicationOptions } from './foundation.ts';

/** The whole service of one process, wired; nothing runs before `start`. */
export interface Application {
  readonly namespace: Namespace;
  readonly routes: readonly AnyRoute[];
  readonly pool: Pool;
  readonly relayPool: Pool;
  readonly db: Db;
  readonly work: Work;
  readonly users: UsersPorts;
  readonly edgeOrgs: EdgeOrgs;
  readonly edgeEvents: EdgeEvents;
  readonly routingEvents: RoutingEvents;
  readonly limiter: RateLimiter;
  readonly passwords: PasswordHasher;
  readonly relay: Relay;
  readonly backpressure: Backpressure;
  readonly logTrace: LogTrace;
  readonly zones: Zones;
  readonly policies: PolicyEngine;
  readonly sessions: Sessions;
  readonly oauth: OAuth;
  readonly logSigner: LogSigner;
  readonly jobs: JobRunner;
  readonly sinks: JobRunner;
  readonly housekeeping: Housekeeping;
  /** Opens the public port; requests are served from then on. */
  readonly listen: (options: PublicPortOptions) => Promise<PublicPort>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

function routesOf(options: ApplicationOptions, parts: Parts): readonly AnyRoute[] {
  const { apiTokens, cursors, db, edgeEvents, edgeOrgs, logPool, oauth, policies, sessions, users, work, zones } =
    parts;
  const { clock, entityTagsEmittedSince, logFilesMegabytes, masterKey, namespace } = options;
  const { logQueryTimeoutMilliseconds: timeoutMilliseconds } = options;
  const scopes = (): readonly string[] => apiScopes(routes);
  const routes = [
    ...userRoutes({ users, tags: createEntityTags(entityTagsEmittedSince, clock.now()) }),
    ...roleRoutes({ db, work }),
    ...schemaRoutes({ db, work }),
    ...orgRoutes({ db, work, edgeOrgs, namespace }),
    ...trustedOriginRoutes({ db, work, cursors, edgeOrgs }),
    ...eventHookRoutes({ db, work, cursors, masterKey, outbound: parts.outbound }),
    ...logStreamRoutes({ db, work, cursors, masterKey, hasAwsCredentials: options.aws !== null, logFilesMegabytes }),
    ...zoneRoutes({
      db,
      work,
      cursors,
      zones,
      zoneUsedBy: (tx, { orgId }, zoneId) => findRuleNaming(tx, orgId, zoneId),
    }),
    ...identityProviderRoutes({
      db,
      work,
      cursors,
      masterKey,
      providerUsedBy: (tx, { orgId }, id) => findRuleNaming(tx, orgId, id),
    }),
    ...appRoutes({ db, work, cursors, masterKey }),
    ...policyRoutes({ db, work, cursors, listProviders: listProviderFacts }),
    ...apiTokenRoutes({ apiTokens }),
    ...oauthRoutes({ oauth, work, clock, masterKey, scopes, refused: edgeEvents.refused }),
    ...signInRoutes({
      users,
      policies,
      sessions,
      zonesOf: (orgId, address) => zones.idsAt(orgId, address),
      subdomainOf: (orgId) => edgeOrgs.subdomainOf(orgId),
      routed: parts.routingEvents.routed,
    }),
    ...checkpointRoutes({ db, cursors }),
    ...logRoutes({ connections: connectionsOver(logPool), cursors, timeoutMilliseconds, trace: parts.logTrace }),
    ...startPageRoutes({ db, edgeOrgs }),
  ];
  return routes;
}

/** Neutral scopes that anything of the API asks for. */
const apiScopes = (routes: readonly AnyRoute[]): readonly string[] =>
  [...new Set(routes.flatMap(({ scopes }) => scopes))].toSorted();

/** Composition root: the only file that knows every area. Connects to nothing before it is used. */
export function createApplication(options: ApplicationOptions): Application {
  const { clock, log, metrics } = options;
  const parts = partsOf(options);
  const { db, logPool, mailJobs, oauth, outbound, passwords, pool, publicPort, relay, relayPool, sinks } = parts;
  const jobs = createJobRunner({
    db,
    clock,
    kinds: { ...mailJobs.kinds, ...oauth.jobs, ...logJobsOf(options, parts) },
    onFinished: (report) => metrics?.jobFinished(report),
    onError: (error) => log.warn({ err: error }, 'the job queue could not be read'),
  });
  const housekeeping = createHousekeeping({ ...parts, clock, log });
  const edgePorts = edgePortsOf(options, parts);
  const routes = routesOf(options, parts);
  metrics?.observe({
    databasePool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    passwordQueueDepth: () => passwords.queueDepth(),
    backpressure: parts.backpressure.level,
  });
  return {
    ...parts,
    namespace: options.namespace,
    routes,
    jobs,
    housekeeping,
    listen: async (port) => {
      const open = await openPublicPort(edgePorts, routes, port);
      publicPort.value ??= open.port;
      return open;
    },
    start: () => {
      relay.start();
      jobs.start();
      sinks.start();
      housekeeping.start();
    },
    stop: async () => {
      await Promise.all([jobs.stop(), sinks.stop()]);
      await housekeeping.stop();
      await relay.stop();
      mailJobs.close();
      await outbound.close();
      await passwords.close();
      await Promise.all([pool.end(), logPool.end(), relayPool.end()]);
    },
  };
}
