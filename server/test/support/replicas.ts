import { createMetrics, type Metrics } from '../../src/platform/operations/index.ts';
import { type ConnectionSettings, migrate, type Pool } from '../../src/platform/postgres/index.ts';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts';
import type { PairDatabases } from './pair-databases.ts';
import { openServerPair, type ServerPair } from './standby.ts';

export const replicaUrlOf = ({ host = '', user = '' }: ConnectionSettings, name = user): string =>
  `postgresql://${name}@/gatehouse?host=${encodeURIComponent(host)}`;

/** The reads of the log since the last call, as the metric counts them. */
export interface CountedReads {
  readonly metrics: Metrics;
  /** Returns how many reads each server has served for each reason since the last call, such as `primary behind`. */
  readonly taken: () => Promise<Readonly<Record<string, number>>>;
}

const LINE = /^gatehouse_log_reads_total\{server="(\w+)",reason="(\w+)"\} (\d+)$/gm;

export function countReads(): CountedReads {
  const metrics = createMetrics();
  let before: Readonly<Record<string, number>> = {};
  return {
    metrics,
    taken: async () => {
      const text = await metrics.registry.getSingleMetricAsString('gatehouse_log_reads_total');
      const now = Object.fromEntries(
        [...text.matchAll(LINE)].map(([, server, reason, count]) => [`${server} ${reason}`, Number(count)]),
      );
      const since = Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
      before = now;
      return Object.fromEntries(since.filter(([, count]) => count > 0));
    },
  };
}

/** A primary with a standby, the proxy that leads to the standby, and a pool that does not go through the proxy. */
export interface ReplicaPair {
  readonly pair: ServerPair;
  readonly proxy: DatabaseProxy;
  readonly replica: Pool;
  /** Closes the databases, too. */
  readonly close: () => Promise<void>;
}

export async function openReplicaPair(databases: PairDatabases): Promise<ReplicaPair> {
  const pair = await openServerPair();
  await migrate({ ...pair.primary() });
  const standby = await pair.follow();
  const proxy = await openDatabaseProxy(standby);
  return {
    pair,
    proxy,
    replica: databases.newPool({ ...standby, isReplica: true }),
    close: async () => {
      await databases.close();
      await proxy.close();
      await pair.close();
    },
  };
}
