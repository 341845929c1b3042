import type { Logger } from 'pino';
import type { Clock, FollowingClock } from '../kernel/clock.ts';
import type { OrgId } from '../kernel/words/ids.ts';
import { namespaceOf } from '../kernel/words/namespace.ts';
import type { MakeKeyPair, MasterKey } from '../platform/crypto/index.ts';
import type { Argon2Parameters } from '../platform/crypto/passwords/index.ts';
import { createGeography, type Geography } from '../platform/geography/index.ts';
import type { Metrics } from '../platform/operations/index.ts';
import type { Outbound } from '../platform/outbound/index.ts';
import {
  type ConnectionSettings,
  createPool,
  createSharedWork,
  createStallWatch,
  createUnitOfWork,
  knownMigrations,
  type Pool,
  requestReaderOver,
  type StallWatch,
  type UnitOfWorkOptions,
} from '../platform/postgres/index.ts';
import { createDatabaseLog, type DatabaseLog } from '../process/database/database-log.ts';
import { replicasIn } from '../process/database/log-replicas.ts';
import type { Config } from '../settings/config.ts';
import {
  type Backpressure,
  connectionsOver,
  createBackpressure,
  createInputMaker,
  createOutboxStatement,
  createRelay,
  type Foundation,
  type LogReads,
  type NewEvent,
  type Relay,
  ReplicaReads,
  readsAtPrimary,
  renderThreadFile,
  type SinkProviders,
} from '../system-log/index.ts';
import { createNodes, type Nodes } from './background/nodes.ts';
import type { OtherWorkers } from './background/other-workers.ts';
import { CONSTRAINT_ERRORS } from './constraints.ts';
import type { PoolSizes } from './pool-sizes.ts';
import { REACTIONS, SET_REACTIONS } from './reactions.ts';

/** The settings, the resources that are already open, and the replacements that tests pass for real resources. */
export interface ApplicationOptions {
  /** If `publicPort` is 0, as in tests, links and issuers contain the port that was actually opened. */
  readonly config: Config;
  readonly connection: ConnectionSettings;
  readonly poolSizes: PoolSizes;
  readonly clock: Clock;
  /** This is set if `clock` follows the database's clock. */
  readonly followingClock?: FollowingClock;
  readonly masterKey: MasterKey;
  readonly log: Logger;
  /** The times when entity tag algorithms were first used, as recorded in the database. */
  readonly entityTagsEmittedSince: Readonly<Record<string, Date>>;
  readonly metrics?: Metrics;
  /** This is set if this process is one of several workers. */
  readonly otherWorkers?: OtherWorkers;
  readonly geography?: Geography;
  /** Tests pass a function that takes pairs from a pool. */
  readonly makeKeyPair?: MakeKeyPair;
  readonly argon2?: Argon2Parameters;
  readonly sinkProviders?: SinkProviders;
  /**
   * The sender of requests to addresses that callers chose. The default refuses internal addresses outside
   * `outboundNetworks`.
   */
  readonly outbound?: Outbound;
  /** This limit replaces `ADDRESS_LIMIT_PER_MINUTE` in edge.ts. */
  readonly addressLimitPerMinute?: number;
  readonly hostLimitPerMinute?: number;
}

export interface Infrastructure extends Omit<Foundation, 'cursors'> {
  readonly pool: Pool;
  readonly logPool: Pool;
  /** The relay and retention have their own pool, so that searches and sinks do not make them wait. */
  readonly relayPool: Pool;
  /** The watch closes the connections of all three pools while the database does not respond. */
  readonly stallWatch: StallWatch;
  readonly logReads: LogReads;
  readonly databaseLog: DatabaseLog;
  readonly relay: Relay;
  readonly nodes: Nodes;
  readonly geography: Geography;
  readonly backpressure: Backpressure;
}

/** The migration after which events may wait for the relay as inputs instead of rendered rows (ADR 0071). */
const SMALL_OUTBOX = 49;

/**
 * With the limit on idle transactions, this timeout limits how long a vanished node holds the lock of retention. The
 * relay sets a shorter timeout when it takes its own lock.
 */
const RELAY_STATEMENT_MILLISECONDS = 15_000;

/** A paused process holds the locks of a request no longer than this. */
const IDLE_MILLISECONDS = 15_000;

/** Callbacks that are set after construction, because their receivers depend on the infrastructure. */
export interface ProcessEvents {
  /** This is called with the events of each unit of work that has committed or may have committed. */
  committed: (orgId: OrgId, events: readonly NewEvent[]) => void;
  drained: () => void;
}

function followTime({ followingClock, log }: ApplicationOptions, aheadMilliseconds: number): void {
  if (followingClock?.follow(aheadMilliseconds) !== true) return;
  const correctionMilliseconds = followingClock.correctionMilliseconds;
  if (correctionMilliseconds === 0) log.info("this machine's clock agrees with the database's again");
  else log.warn({ correctionMilliseconds }, "this machine's clock differs from the database's, which is followed");
}

function logReadsOf(options: ApplicationOptions, db: Foundation['db'], logPool: Pool): LogReads {
  const { config, connection, log, metrics, poolSizes } = options;
  const connections = connectionsOver(logPool);
  if (config.databaseReplicaUrl === null) return readsAtPrimary(connections);
  return new ReplicaReads({
    replicas: replicasIn(config.databaseReplicaUrl),
    connection,
    db,
    connections,
    maximumConnections: poolSizes.queries,
    timeoutMilliseconds: config.logQueryTimeoutSeconds * 1_000,
    onRead: (server, reason) => metrics?.logRead(server, reason),
    onLag: (replica, bytes) => metrics?.replicaLag(replica, bytes),
    onChange: (replica, says, err) => {
      if (says === null) log.info({ replica }, 'the System Log is read from the replica');
      else log.warn({ replica, err }, `the replica ${says}: the System Log is read from the primary instead`);
    },
  });
}

/**
 * Creates the pools of a process, and the watch that closes their connections while the database does not respond.
 * Builds that do not write to the table `nodes` use other connection names, by which they are recognized (ADR 0070).
 */
function poolsOf(options: ApplicationOptions, databaseLog: DatabaseLog) {
  const { connection, poolSizes } = options;
  const onError = (error: Error) => databaseLog.failed(error, 'a database connection was lost');
  const watch = createStallWatch({
    connection,
    onChange: (change) => databaseLog.changed(change),
    onTime: (aheadMilliseconds) => followTime(options, aheadMilliseconds),
  });
  const pool = createPool({
    connection,
    maximumConnections: poolSizes.requests,
    applicationName: 'gatehouse-requests',
    statementTimeoutMilliseconds: 15_000,
    idleInTransactionMilliseconds: IDLE_MILLISECONDS,
    onError,
    watch,
  });
  // A log search may run for `logQueryTimeoutSeconds`. With a pool of their own, searches do not delay sign-ins.
  const logPool = createPool({
    connection,
    maximumConnections: poolSizes.queries,
    applicationName: 'gatehouse-queries',
    statementTimeoutMilliseconds: options.config.logQueryTimeoutSeconds * 1_000,
    isReadOnly: true,
    onError,
    watch,
  });
  const relayPool = createPool({
    connection,
    maximumConnections: poolSizes.relay,
    applicationName: 'gatehouse-drains',
    statementTimeoutMilliseconds: RELAY_STATEMENT_MILLISECONDS,
    onError,
    watch,
  });
  const db = requestReaderOver(pool);
  return { pool, logPool, relayPool, stallWatch: watch, db, logReads: logReadsOf(options, db, logPool) };
}

export function createInfrastructure(options: ApplicationOptions, listeners: ProcessEvents): Infrastructure {
  const { clock, config, log, masterKey, metrics } = options;
  const namespace = namespaceOf(config.namespace);
  const databaseLog = createDatabaseLog(log);
  const pools = poolsOf(options, databaseLog);
  const { db, pool, relayPool } = pools;
  const backpressure = createBackpressure({
    bounds: { events: config.logBacklogEvents, seconds: config.logBacklogSeconds },
    onChange: (level, backlog) => {
      if (level === 'none') log.info({ ...backlog }, 'the relay has caught up: all changes are taken again');
      else log.error({ level, ...backlog }, 'events wait for the relay: changes are refused until it has caught up');
    },
  });
  const nodes = createNodes({
    db,
    connection: options.connection,
    migrations: knownMigrations,
    onApplied: (names) => log.info({ names }, 'deferred migrations were applied'),
    onError: (error) => databaseLog.failed(error, 'this process could not be recorded in nodes'),
  });
  const geography = options.geography ?? createGeography();
  const makeInput = createInputMaker({ places: geography });
  const relay = createRelay({
    connections: connectionsOver(relayPool),
    clock,
    namespace,
    makeInput,
    renderThreadFile: renderThreadFile(),
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
  const workOptions: UnitOfWorkOptions<NewEvent> = {
    pool,
    constraints: CONSTRAINT_ERRORS,
    reactions: REACTIONS,
    setReactions: SET_REACTIONS,
    outbox: createOutboxStatement(makeInput, { clock, mayWriteInputs: () => nodes.mayWrite(SMALL_OUTBOX) }),
    committed: (context, events) => {
      relay.wake();
      listeners.committed(context.orgId, events);
    },
  };
  const work = createUnitOfWork(workOptions);
  const works = { work, newSharedWork: () => createSharedWork(workOptions, work) };
  return {
    ...pools,
    ...works,
    databaseLog,
    clock,
    masterKey,
    namespace,
    relay,
    backpressure,
    geography,
    nodes,
  };
}
