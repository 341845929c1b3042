import type { Namespace } from '../kernel/words/namespace.ts';
import { groupRuleJobs } from '../management/group-rules/index.ts';
import { type OrgDirectory, orgCompletionJobs, orgJobs } from '../management/orgs/index.ts';
import { type PolicyEngine } from '../management/policies/index.ts';
import { schemaJobs } from '../management/schemas/index.ts';
import { linkJobs, type UsersPorts } from '../management/users/index.ts';
import type { Zones } from '../management/zones/index.ts';
import type { OAuth } from '../oauth/index.ts';
import type { PasswordHasher } from '../platform/crypto/passwords/index.ts';
import {
  type AnyRoute,
  openPublicPort,
  type PublicPort,
  type PublicPortOptions,
  type RateLimiter,
} from '../platform/http/index.ts';
import { createJobRunner, type JobReport, type JobRunner } from '../platform/jobs/index.ts';
import type { Db, Pool, StallWatch } from '../platform/postgres/index.ts';
import type { RoutingEvents, Sessions } from '../sign-in/index.ts';
import type { Backpressure, EdgeEvents, LogReads, LogSigner, LogTrace, Relay, Work } from '../system-log/index.ts';
import { logJobsOf } from './background/log-jobs.ts';
import type { Nodes } from './background/nodes.ts';
import { edgePortsOf } from './edge.ts';
import { createHousekeeping, type Housekeeping } from './housekeeping.ts';
import type { ApplicationOptions } from './infrastructure.ts';
import { completeOrg } from './reactions.ts';
import { createRoutes } from './routes.ts';
import { createServices } from './services.ts';

export type { ApplicationOptions } from './infrastructure.ts';

/** The service of one process, fully wired. Its background work begins with `start`. */
export interface Application {
  readonly namespace: Namespace;
  readonly routes: readonly AnyRoute[];
  readonly pool: Pool;
  readonly relayPool: Pool;
  readonly stallWatch: StallWatch;
  readonly db: Db;
  readonly work: Work;
  readonly users: UsersPorts;
  readonly orgDirectory: OrgDirectory;
  readonly edgeEvents: EdgeEvents;
  readonly routingEvents: RoutingEvents;
  readonly limiter: RateLimiter;
  readonly passwords: PasswordHasher;
  readonly relay: Relay;
  readonly backpressure: Backpressure;
  readonly logTrace: LogTrace;
  readonly logReads: LogReads;
  readonly zones: Zones;
  readonly policies: PolicyEngine;
  readonly sessions: Sessions;
  readonly oauth: OAuth;
  readonly logSigner: LogSigner;
  readonly jobs: JobRunner;
  /** The runner that sends notices to apps, for example about users who signed out. */
  readonly notices: JobRunner;
  readonly sinks: JobRunner;
  readonly housekeeping: Housekeeping;
  readonly nodes: Nodes;
  readonly listen: (options: PublicPortOptions) => Promise<PublicPort>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** The maximum number of notices that one process sends at once. */
const NOTICES_AT_ONCE = 8;

/** Creates an application that opens no connection before its first use. */
export function createApplication(options: ApplicationOptions): Application {
  const { clock, metrics } = options;
  const services = createServices(options);
  const { db, logPool, mailJobs, nodes, oauth, outbound, passwords, pool, publicPort, relay, relayPool, sinks } =
    services;
  const queue = {
    db,
    clock,
    onFinished: (report: JobReport) => metrics?.jobFinished(report),
    onError: (error: unknown) => services.databaseLog.failed(error, 'the job queue could not be read'),
  };
  const jobs = createJobRunner({
    ...queue,
    kinds: {
      ...mailJobs.kinds,
      ...oauth.jobs,
      ...orgJobs({ db, work: services.work, clock, namespace: services.namespace }),
      ...orgCompletionJobs({ db, work: services.work, clock, namespace: services.namespace, complete: completeOrg }),
      ...schemaJobs({ work: services.work, clock, namespace: services.namespace }),
      ...groupRuleJobs({ work: services.work, clock, namespace: services.namespace }),
      ...linkJobs({ users: services.users, clock, namespace: services.namespace, addressOf: services.canonicalUrlOf }),
      ...logJobsOf(options, services),
    },
  });
  // Notices have their own runner, so that an app that never answers delays no other jobs.
  const notices = createJobRunner({
    ...queue,
    kinds: oauth.notices,
    concurrency: NOTICES_AT_ONCE,
  });
  const housekeeping = createHousekeeping({ ...services, kept: [services.orgDirectory, services.zones, oauth] });
  const edgePorts = edgePortsOf(options, services);
  const routes = createRoutes(options, services);
  metrics?.observe({
    databasePool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    passwordQueueDepth: () => passwords.queueDepth(),
    backpressure: services.backpressure.level,
  });
  return {
    ...services,
    routes,
    jobs,
    notices,
    housekeeping,
    listen: async (port) => {
      const open = await openPublicPort(edgePorts, routes, port);
      publicPort.value ??= open.port;
      return open;
    },
    start: () => {
      relay.start();
      jobs.start();
      notices.start();
      sinks.start();
      housekeeping.start();
      nodes.start();
    },
    stop: async () => {
      await Promise.all([jobs.stop(), notices.stop(), sinks.stop()]);
      await housekeeping.stop();
      await nodes.stop();
      await relay.stop();
      mailJobs.close();
      await outbound.close();
      await passwords.close();
      await Promise.all([pool.end(), logPool.end(), relayPool.end(), services.logReads.close()]);
      services.stallWatch.stop();
    },
  };
}
