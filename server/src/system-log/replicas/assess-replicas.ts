import type { ConnectionSettings, Db } from '../../platform/postgres/index.ts';
import { checkedLook, lagBytes } from './following.ts';
import { LogReplica, type ReplicaAddress } from './log-replica.ts';
import { REASONS, ReplicaError } from './reasons.ts';
import { lookAt, readMark } from './replica-store.ts';

export interface AssessedReplica {
  readonly name: string;
  /** Why nothing is read from the replica. It is null if it follows the primary. */
  readonly objection: string | null;
  readonly lagBytes: number;
}

export interface AssessedInstallation {
  readonly replicas: readonly ReplicaAddress[];
  /** The primary. */
  readonly connection: ConnectionSettings;
  readonly db: Db;
}

const PATIENCE_MILLISECONDS = 5_000;

async function assess({ connection, db }: AssessedInstallation, address: ReplicaAddress): Promise<AssessedReplica> {
  const { name } = address;
  const replica = new LogReplica({
    ...address,
    maximumConnections: 1,
    patienceMilliseconds: PATIENCE_MILLISECONDS,
    onChange: () => undefined,
  });
  try {
    const mark = await readMark(db, []);
    const look = await replica.read(async (line) => checkedLook(await lookAt(line, null), mark, connection));
    return { name, objection: null, lagBytes: lagBytes(look, mark) };
  } catch (error) {
    if (!(error instanceof ReplicaError)) throw error;
    return { name, objection: REASONS[error.reason].says ?? error.reason, lagBytes: 0 };
  } finally {
    await replica.close();
  }
}

/** Looks at each replica as a reader of the log does, for an operator. */
export const assessReplicas = (installation: AssessedInstallation): Promise<readonly AssessedReplica[]> =>
  Promise.all(installation.replicas.map((address) => assess(installation, address)));
