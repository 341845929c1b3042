import {
  type ConnectionSettings,
  createPool,
  createStallWatch,
  failureCode,
  isUnavailable,
  type Pool,
  type StallWatch,
} from '../../platform/postgres/index.ts';
import { QueryTimeoutError } from '../query/query-reading-store.ts';
import { connectionsOver, type LogConnection } from '../relay/connections.ts';
import { REASONS, type Reason, ReplicaError } from './reasons.ts';

export interface ReplicaAddress {
  readonly name: string;
  readonly connection: ConnectionSettings;
}

export interface LogReplicaOptions extends ReplicaAddress {
  readonly maximumConnections: number;
  /** The longest time for a read. */
  readonly patienceMilliseconds: number;
  /** This is called when the replica can be used again (null), or cannot be used for a reason that lasts. */
  readonly onChange: (name: string, says: string | null, cause: unknown) => void;
}

const ACQUIRE_MILLISECONDS = 1_000;

/** The codes of a statement that PostgreSQL cancels, because it would delay the replay of the WAL for too long. */
const CONFLICTS = new Set(['40001', '40P01']);
const CANCELLED = '57014';
const FORBIDDEN = '42501';

function reasonOf(error: unknown): Reason {
  if (error instanceof ReplicaError) return error.reason;
  const code = failureCode(error) ?? '';
  if (CONFLICTS.has(code)) return 'conflict';
  if (code === CANCELLED || error instanceof QueryTimeoutError) return 'slow';
  if (code === FORBIDDEN) return 'rights';
  return isUnavailable(error) ? 'away' : 'failed';
}

/** The connections to one replica, and whether it is worth a try. */
export class LogReplica {
  readonly #options: LogReplicaOptions;
  readonly #pool: Pool;
  readonly #watch: StallWatch;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #said: string | null = null;

  constructor(options: LogReplicaOptions) {
    this.#options = options;
    const { maximumConnections, patienceMilliseconds } = options;
    const connection = { ...options.connection, isReplica: true };
    // A replica that hangs is noticed within seconds, and its connections are closed, so that the reads are repeated.
    this.#watch = createStallWatch({ connection });
    this.#pool = createPool({
      connection,
      maximumConnections,
      applicationName: 'gatehouse-replica',
      statementTimeoutMilliseconds: patienceMilliseconds,
      acquireTimeoutMilliseconds: ACQUIRE_MILLISECONDS,
      isReadOnly: true,
      watch: this.#watch,
    });
  }

  get name(): string {
    return this.#options.name;
  }

  get isReady(): boolean {
    return this.#watch.state() === 'well' && performance.now() >= this.#pausedUntil;
  }

  /** Runs a read on a connection to the replica. Throws only ReplicaError. */
  async read<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result> {
    const { patienceMilliseconds } = this.#options;
    const { idleCount, totalCount } = this.#pool;
    let isConnected = false;
    try {
      const result = await connectionsOver(this.#pool).withConnection((connection) => {
        isConnected = true;
        return use({ ...connection, patienceMilliseconds });
      });
      this.#say(null, null);
      return result;
    } catch (error) {
      const isBusy = !isConnected && idleCount === 0 && totalCount >= this.#options.maximumConnections;
      const reason = isBusy ? 'busy' : reasonOf(error);
      const { pauseMilliseconds, says } = REASONS[reason];
      this.#pausedUntil = performance.now() + pauseMilliseconds;
      if (says !== null) this.#say(says, error);
      throw new ReplicaError(reason, error);
    }
  }

  /** Tells of a lasting state once, when it begins and when it ends. */
  #say(says: string | null, cause: unknown): void {
    if (says === this.#said) return;
    this.#said = says;
    this.#options.onChange(this.name, says, cause);
  }

  async close(): Promise<void> {
    await this.#pool.end();
    this.#watch.stop();
  }
}
