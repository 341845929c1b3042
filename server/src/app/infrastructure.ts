import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import type { OrgId } from '../kernel/words/ids.ts';
import type { Namespace } from '../kernel/words/namespace.ts';
import type { AwsAccount } from '../management/log-streams/index.ts';
import type { MakeKeyPair, MasterKey } from '../platform/crypto/index.ts';
import type { Argon2Parameters } from '../platform/crypto/passwords/index.ts';
import { createGeography, type Geography } from '../platform/geography/index.ts';
import type { Metrics } from '../platform/operations/index.ts';
import type { Outbound } from '../platform/outbound/index.ts';
import {
  type ConnectionSettings,
  createPool,
  createStallWatch,
  createUnitOfWork,
  type Db,
  type Pool,
  requestReaderOver,
  type StallWatch,
} from '../platform/postgres/index.ts';
import { createDatabaseLog, type DatabaseLog } from '../process/database-log.ts';
import {
  type BacklogBounds,
  type Backpressure,
  connectionsOver,
  createBackpressure,
  createOutboxRowMaker,
  createOutboxStatement,
  createRelay,
  type NewEvent,
  type Relay,
  type SinkProviders,
  type Work,
} from '../system-log/index.ts';
import { CONSTRAINT_ERRORS } from './constraints.ts';
import { REACTIONS, SET_REACTIONS } from './reactions.ts';

export interface ApplicationOptions {
  readonly connection: ConnectionSettings;
  readonly databasePoolSize: number;
  readonly clock: Clock;
  readonly namespace: Namespace;
  readonly masterKey: MasterKey;
  /** Makes the key pairs of signing keys; tests hand in pairs that were made before. */
  readonly makeKeyPair?: MakeKeyPair;
  readonly log: Logger;
  /** The port in every link and issuer; null: the one listened on. */
  readonly publicPort: number | null;
  readonly baseDomain: string;
  /** `localhost` leads here (`isAtLocalhost` in config.ts). */
  readonly isAtLocalhost: boolean;
  /** CIDR list of proxies that end TLS for us. */
  readonly tlsProxies: readonly string[];
  /** CIDR list of private networks that addresses which others name may lead to. */
  readonly outboundNetworks: readonly string[];
  readonly rateLimitPerMinute: number | null;
  readonly addressLimitPerMinute: number;
  /** Look-ups of hosts that an address prefix may cause before anybody is found by them. */
  readonly hostLimitPerMinute: number;
  readonly passwordHashWorkers: number;
  readonly argon2?: Argon2Parameters;
  readonly logQueryTimeoutMilliseconds: number;
  /** The relay's backlog from which administrative changes are refused. */
  readonly logBacklogBounds: BacklogBounds;
  /** Most that the files of one org's log streams may take. */
  readonly logFilesMegabytes: number;
  /** AWS credentials for EventBridge log streams, shared by all orgs. Null disables that stream type. */
  readonly aws: AwsAccount | null;
  /** Where log streams that write files have them. */
  readonly dataDirectory: string;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** Mails that nobody sends stand on a page for whoever sits at this machine: on development installs alone. */
  readonly showsMails: boolean;
  /** When each entity tag algorithm was first emitted, as the database remembers it. */
  readonly entityTagsEmittedSince: Readonly<Record<string, Date>>;
  readonly metrics?: Metrics;
  /** Where addresses are; the data we bring unless given. */
  readonly geography?: Geography;
  /** Where events go instead of the stored hooks and streams. */
  readonly sinkProviders?: SinkProviders;
  /** The way out to addresses that others name; guarded unless given. */
  readonly outbound?: Outbound;
}

export interface Infrastructure {
  readonly pool: Pool;
  readonly logPool: Pool;
  /** The relay's and retention's own: searches and sinks can't keep them waiting for a connection. */
  readonly relayPool: Pool;
  /** Closes the connections of all three while the database is not heard. */
  readonly stallWatch: StallWatch;
  readonly databaseLog: DatabaseLog;
  readonly db: Db;
  readonly work: Work;
  readonly relay: Relay;
  readonly geography: Geography;
  readonly backpressure: Backpressure;
}

/** One connection serves the relay, the other retention. */
const RELAY_CONNECTIONS = 2;
/** With the idle limit of its transactions, this bounds how long a node that is gone can hold the relay's lock. */
const RELAY_STATEMENT_MILLISECONDS = 15_000;

/** Whom a process tells what it does for all of its services; the listeners are made later. */
export interface ProcessEvents {
  /** What a commit left behind. */
  committed: (orgId: OrgId, events: readonly NewEvent[]) => void;
  /** The relay added events to logs. */
  drained: () => void;
}

/** The pools of a process, and who closes them while the database is not heard. */
function poolsOf(options: ApplicationOptions, databaseLog: DatabaseLog) {
  const { connection } = options;
  const onError = (error: Error) => databaseLog.failed(error, 'a database connection was lost');
  const watch = createStallWatch({ connection, onChange: (change) => databaseLog.changed(change) });
  const pool = createPool({
    connection,
    maximumConnections: options.databasePoolSize,
    applicationName: 'gatehouse',
    statementTimeoutMilliseconds: 15_000,
    onError,
    watch,
  });
  // Searches of the log may take 30 s: in a pool of their own they can't keep sign-ins waiting for a connection.
  const logPool = createPool({
    connection,
    maximumConnections: Math.max(2, Math.ceil(options.databasePoolSize / 4)),
    applicationName: 'gatehouse-log',
    statementTimeoutMilliseconds: options.logQueryTimeoutMilliseconds,
    onError,
    watch,
  });
  const relayPool = createPool({
    connection,
    maximumConnections: RELAY_CONNECTIONS,
    applicationName: 'gatehouse-relay',
    statementTimeoutMilliseconds: RELAY_STATEMENT_MILLISECONDS,
    onError,
    watch,
  });
  return { pool, logPool, relayPool, stallWatch: watch };
}

/** Database, unit of work and relay: what every area stands on. */
export function createInfrastructure(options: ApplicationOptions, listeners: ProcessEvents): Infrastructure {
  const { clock, log, metrics, namespace } = options;
  const databaseLog = createDatabaseLog(log);
  const pools = poolsOf(options, databaseLog);
  const { pool, relayPool } = pools;
  const backpressure = createBackpressure({
    bounds: options.logBacklogBounds,
    onChange: (level, backlog) => {
      if (level === 'none') log.info({ ...backlog }, 'the relay has caught up: all changes are taken again');
      else log.error({ level, ...backlog }, 'events wait for the relay: changes are refused until it has caught up');
    },
  });
  const geography = options.geography ?? createGeography();
  const makeRow = createOutboxRowMaker({ places: geography });
  const relay = createRelay({
    connections: connectionsOver(relayPool),
    clock,
    namespace,
    makeRow,
    onDrained: (report) => {
      metrics?.relayDrained(report);
      listeners.drained();
    },
    onMeasured: backpressure.observe,
    onQuarantined: (orgId, reason) => {
      metrics?.eventQuarantined();
      log.error({ orgId, reason }, 'an event was set aside');
    },
    onError: (error) => {
      metrics?.relayFailed();
      databaseLog.failed(error, 'the relay could not drain');
    },
  });
  const work = createUnitOfWork<NewEvent>({
    pool,
    constraints: CONSTRAINT_ERRORS,
    reactions: REACTIONS,
    setReactions: SET_REACTIONS,
    outbox: createOutboxStatement(makeRow, clock),
    committed: (context, events) => {
      relay.wake();
      listeners.committed(context.orgId, events);
    },
  });
  const db = requestReaderOver(pool);
  return { ...pools, databaseLog, db, work, relay, backpressure, geography };
}
