import { setTimeout as delay } from 'node:timers/promises';
import { failureCode } from '../../platform/postgres/index.ts';
import { type Connections, inTransaction, type LogConnection } from '../relay/connections.ts';
import { areFinal, isEmpty, isOlderSnapshotLeft, limitLooks, readNextTransaction } from './empty-partitions-store.ts';
import { closePartition, dropPartition, findPartitions, type Partition, tryRetentionLock } from './retention-store.ts';

interface EmptyPartitions {
  /** The names of the dropped partitions. */
  readonly dropped: readonly string[];
  /** Whether there may be more of them than a run drops. */
  readonly unfinished: boolean;
}

/** Each drop locks the table for a moment, so a run drops only so many partitions. */
export const MOST_DROPS = 20;
const MOST_LOOKS = 20;
const LOOK_MILLISECONDS = 500;

const UNDEFINED_TABLE = '42P01';
/** The PostgreSQL error codes for a lock that is not available, a deadlock, and a statement that took too long. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '57014']);

interface Found {
  readonly partitions: readonly Partition[];
  /** The transactions that emptied the partitions have ids below this one. */
  readonly transaction: string;
}

/** The reader holds the lock, another process has dropped the partition, or the look took too long. */
const isPassing = (error: unknown): boolean => IN_USE.has(failureCode(error)) || failureCode(error) === UNDEFINED_TABLE;

async function isKnownEmpty(connections: Connections, partition: Partition): Promise<boolean> {
  const look = (connection: LogConnection) =>
    inTransaction(connection, limitLooks, () => isEmpty(connection, partition));
  try {
    return (await connections.withConnection(look)) === true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
}

async function findEmpty(connections: Connections, signal: AbortSignal): Promise<Found | null> {
  const candidates = await connections.withConnection(async (connection) =>
    (await areFinal(connection)) ? findPartitions(connection) : [],
  );
  const partitions: Partition[] = [];
  for (const partition of candidates) {
    if (signal.aborted || partitions.length === MOST_DROPS) break;
    if (await isKnownEmpty(connections, partition)) partitions.push(partition);
  }
  if (partitions.length === 0) return null;
  return { partitions, transaction: await connections.withConnection(readNextTransaction) };
}

/**
 * Waits until every reader sees the segments into which the rows were sealed. A reader with an older snapshot would
 * find neither the segments nor, once the partition has been dropped, the rows. Returns false if that takes too long.
 */
async function outlastReaders(connections: Connections, transaction: string, signal: AbortSignal): Promise<boolean> {
  const isLeft = () => connections.withConnection((connection) => isOlderSnapshotLeft(connection, transaction));
  for (let looks = 0; looks < MOST_LOOKS && !signal.aborted; looks += 1) {
    if (!(await isLeft())) return true;
    await delay(LOOK_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Returns false if the partition was not dropped. */
async function dropIfEmpty(connections: Connections, partition: Partition): Promise<boolean> {
  const dropped = await connections.withConnection((connection) =>
    inTransaction(connection, tryRetentionLock, async () => {
      await closePartition(connection, partition);
      if (!(await isEmpty(connection, partition))) return null;
      await dropPartition(connection, partition);
      return true;
    }),
  );
  return dropped === true;
}

/**
 * Drops partitions from which sealing has moved every event. That needs no anchor, because no event leaves the log.
 * Before the relay appends to `log_fresh`, partitions are empty because their week has not come, so none is dropped.
 */
export async function dropEmptyPartitions(connections: Connections, signal: AbortSignal): Promise<EmptyPartitions> {
  const dropped: string[] = [];
  try {
    const found = await findEmpty(connections, signal);
    const isReady = found !== null && (await outlastReaders(connections, found.transaction, signal));
    for (const partition of isReady ? found.partitions : []) {
      if (signal.aborted) break;
      if (await dropIfEmpty(connections, partition)) dropped.push(partition.name);
    }
  } catch (error) {
    // There is time until the next run.
    if (!isPassing(error)) throw error;
  }
  return { dropped, unfinished: dropped.length === MOST_DROPS };
}
