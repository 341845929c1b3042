import { setTimeout as delay } from 'node:timers/promises';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { ConnectionSettings, Db } from '../../platform/postgres/index.ts';
import type { Connections, LogConnection } from '../relay/connections.ts';
import { checkedLook, hasReplayed, isSeen, lagBytes } from './following.ts';
import { inBatches } from './in-batches.ts';
import { LogReplica, type LogReplicaOptions, type ReplicaAddress } from './log-replica.ts';
import { type Reason, ReplicaError } from './reasons.ts';
import { type Look, lookAt, type Mark, readMark } from './replica-store.ts';

/** Large reads of the log. They may run twice, so they only read. */
export interface LogReads {
  /** Returns the connections for reads of an org's log. */
  readonly of: (orgId: OrgId) => Connections;
  /** Closes the connections to replicas. */
  readonly close: () => Promise<void>;
}

export const readsAtPrimary = (connections: Connections): LogReads => ({
  of: () => connections,
  close: async () => undefined,
});

export interface ReplicaReadsOptions {
  readonly replicas: readonly ReplicaAddress[];
  /** The primary. */
  readonly connection: ConnectionSettings;
  readonly db: Db;
  readonly connections: Connections;
  readonly maximumConnections: number;
  /** The time limit of a query. A replica gets a third of it, so that the primary has time to repeat the query. */
  readonly timeoutMilliseconds: number;
  readonly onRead?: (server: 'replica' | 'primary', reason: Reason | 'current') => void;
  readonly onLag?: (replica: string, bytes: number) => void;
  readonly onChange?: LogReplicaOptions['onChange'];
}

const REPLICA_SHARE = 1 / 3;
/** The longest time for which a read waits until the replica has replayed the mark, or until the primary shows more. */
const PATIENCE_MILLISECONDS = 200;
const FIRST_PAUSE_MILLISECONDS = 3;
const LONGEST_PAUSE_MILLISECONDS = 25;

/** Asks until the answer is good. Throws if there is no good answer in time. */
async function until<Answer>(isGood: (answer: Answer) => boolean, ask: () => Promise<Answer>, otherwise: Reason) {
  const end = performance.now() + PATIENCE_MILLISECONDS;
  for (let pause = FIRST_PAUSE_MILLISECONDS; performance.now() < end; pause *= 2) {
    await delay(Math.min(pause, LONGEST_PAUSE_MILLISECONDS));
    if (isGood(await ask())) return;
  }
  throw new ReplicaError(otherwise);
}

/** Reads from a replica if nobody can tell the difference, and otherwise from the primary (ADR 0089). */
export class ReplicaReads implements LogReads {
  readonly #options: ReplicaReadsOptions;
  readonly #replicas: readonly LogReplica[];
  readonly #ask: (orgId: OrgId) => Promise<Mark>;
  #turn = 0;

  constructor(options: ReplicaReadsOptions) {
    this.#options = options;
    const { db, maximumConnections, onChange, replicas, timeoutMilliseconds } = options;
    const patienceMilliseconds = Math.ceil(timeoutMilliseconds * REPLICA_SHARE);
    const shared = { maximumConnections, patienceMilliseconds };
    this.#replicas = replicas.map(
      (address) => new LogReplica({ ...address, ...shared, onChange: onChange ?? (() => undefined) }),
    );
    this.#ask = inBatches<OrgId, Mark>((orgIds) => readMark(db, orgIds));
  }

  of = (orgId: OrgId): Connections => ({ withConnection: (use) => this.#read(orgId, use) });

  async #read<Result>(orgId: OrgId, use: (connection: LogConnection) => Promise<Result>): Promise<Result> {
    const { connections, onRead } = this.#options;
    try {
      const replica = this.#next();
      const result = await replica.read((connection) => this.#readAt(replica, connection, orgId, use));
      onRead?.('replica', 'current');
      return result;
    } catch (error) {
      if (!(error instanceof ReplicaError)) throw error;
      onRead?.('primary', error.reason);
      return connections.withConnection(use);
    }
  }

  /** Takes the replicas in turn, except those that are left alone. */
  #next(): LogReplica {
    const ready = this.#replicas.filter(({ isReady }) => isReady);
    this.#turn += 1;
    const replica = ready[this.#turn % Math.max(1, ready.length)];
    if (replica === undefined) throw new ReplicaError('paused');
    return replica;
  }

  async #mark(orgId: OrgId): Promise<Mark> {
    try {
      return await this.#ask(orgId);
    } catch (error) {
      throw new ReplicaError('unasked', error);
    }
  }

  /**
   * The look after the read proves for the whole read that the server followed the primary, because recovery never goes
   * back, neither in its position nor in its timeline.
   */
  async #readAt<Result>(
    replica: LogReplica,
    connection: LogConnection,
    orgId: OrgId,
    use: (connection: LogConnection) => Promise<Result>,
  ): Promise<Result> {
    const [mark, first] = await Promise.all([this.#mark(orgId), lookAt(connection, orgId)]);
    const check = (look: Look): Look => checkedLook(look, mark, this.#options.connection);
    const look = async (): Promise<Look> => check(await lookAt(connection, orgId));
    const isCurrent = (seen: Look): boolean => hasReplayed(seen, mark);
    this.#options.onLag?.(replica.name, lagBytes(check(first), mark));
    if (!isCurrent(first)) await until(isCurrent, look, 'behind');
    const result = await use(connection);
    const last = await look();
    if (!isSeen(last, mark.ends[orgId], true)) {
      const isShown = ({ ends }: Mark): boolean => isSeen(last, ends[orgId], false);
      await until(isShown, () => this.#mark(orgId), 'unseen');
    }
    return result;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
