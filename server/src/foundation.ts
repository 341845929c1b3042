import type { Logger } from 'pino';
import { CONSTRAINT_ERRORS } from './constraints.ts';
import type { Clock } from './kernel/clock.ts';
import type { OrgId } from './kernel/ids.ts';
import type { Namespace } from './kernel/namespace.ts';
import type { MasterKey } from './platform/crypto/index.ts';
import type { Argon2Parameters } from './platform/crypto/passwords/index.ts';
import type { Metrics } from './platform/management/index.ts';
import type { Outbound } from './platform/outbound/index.ts';
import {
  type ConnectionSettings,
  createPool,
  createUnitOfWork,
  type Db,
  type Pool,
  requestReaderOver,
} from './platform/postgres/index.ts';
import { REACTIONS } from './reactions.ts';
import {
  connectionsOver,
  createOutboxRowMaker,
  createOutboxStatement,
  createRelay,
  type NewEvent,
  type Relay,
  type Work,
} from './system-log/index.ts';

export interface ApplicationOptions {
  readonly connection: ConnectionSettings;
  readonly databasePoolSize: number;
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly masterKey: MasterKey;
  readonly log: Logger;
  /** The port in every link and issuer; null: the one listened on. */
  readonly publicPort: number | null;
  readonly baseDomain: string;
  /** CIDR list of proxies that end TLS for us. */
  readonly tlsProxies: readonly string[];
  readonly rateLimitPerMinute: number | null;
  readonly addressLimitPerMinute: number;
  readonly passwordHashWorkers: number;
  readonly argon2?: Argon2Parameters;
  readonly logQueryTimeoutMilliseconds: number;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** When each entity tag algorithm was first emitted, as the database remembers it. */
  readonly entityTagsEmittedSince: Readonly<Record<string, Date>>;
  readonly metrics?: Metrics;
  /** The way out to addresses that others name; guarded unless given. */
  readonly outbound?: Outbound;
}

export interface Foundation {
  readonly pool: Pool;
  readonly logPool: Pool;
  readonly db: Db;
  readonly work: Work;
  readonly relay: Relay;
}

/** Told what a commit of this process left behind. */
export type Committed = (orgId: OrgId, events: readonly NewEvent[]) => void;

/** Database, unit of work and relay: what every area stands on. */
export function foundationOf(options: ApplicationOptions, committed: Committed): Foundation {
  const { clock, connection, log, metrics, namespace } = options;
  const onError = (error: Error) => log.warn({ err: error }, 'a database connection was lost');
  const pool = createPool({
    connection,
    maximumConnections: options.databasePoolSize,
    applicationName: 'gatehouse',
    statementTimeoutMilliseconds: 15_000,
    onError,
  });
  // Searches of the log may take 30 s: in a pool of their own they can't keep sign-ins waiting for a connection.
  const logPool = createPool({
    connection,
    maximumConnections: Math.max(2, Math.ceil(options.databasePoolSize / 4)),
    applicationName: 'gatehouse-log',
    statementTimeoutMilliseconds: options.logQueryTimeoutMilliseconds,
    onError,
  });
  const makeRow = createOutboxRowMaker();
  const relay = createRelay({
    connections: connectionsOver(logPool),
    clock,
    namespace,
    makeRow,
    onDrained: (report) => metrics?.relayDrained(report),
    onQuarantined: (orgId, reason) => {
      metrics?.eventQuarantined();
      log.error({ orgId, reason }, 'an event was set aside');
    },
    onError: (error) => {
      metrics?.relayFailed();
      log.warn({ err: error }, 'the relay could not drain');
    },
  });
  const work = createUnitOfWork<NewEvent>({
    pool,
    constraints: CONSTRAINT_ERRORS,
    reactions: REACTIONS,
    outbox: createOutboxStatement(makeRow),
    committed: (context, events) => {
      relay.wake();
      committed(context.orgId, events);
    },
  });
  return { pool, logPool, db: requestReaderOver(pool), work, relay };
}
