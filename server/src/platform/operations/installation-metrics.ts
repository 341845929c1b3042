import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock.ts';
import { countJobs } from '../jobs/index.ts';
import type { Db } from '../postgres/index.ts';
import {
  readLogBacklog,
  readLogPartitions,
  readOldestSnapshotSeconds,
  readOutboxRows,
  readSinksState,
  readStandbyLags,
} from './cross-org-store.ts';
import { readSealingLag } from './sealing-state.ts';
import { within } from './within.ts';

const PATIENCE_MILLISECONDS = 2_000;
const PARTITIONS_AHEAD = 'gatehouse_log_partitions_ahead';

function gauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    reachable: gauge('gatehouse_database_reachable', '1 when the database answered this very question.'),
    backlog: gauge('gatehouse_log_backlog_events', 'Events that wait for the relay; estimated beyond 10,000.'),
    backlogAge: gauge('gatehouse_log_backlog_age_seconds', 'How long the event that waits longest has waited.'),
    outboxDead: gauge('gatehouse_log_outbox_dead_rows', 'Rows of the outbox that were drained and not yet vacuumed.'),
    outboxBytes: gauge('gatehouse_log_outbox_bytes', 'Size of the outbox with its indexes.'),
    partitions: gauge('gatehouse_log_partitions', 'Weeks of the System Log that are kept or made ahead.'),
    partitionsAhead: gauge(PARTITIONS_AHEAD, 'Weeks of the System Log that are made ahead.'),
    oldestPartition: gauge(
      'gatehouse_log_oldest_partition_seconds',
      'Age of the oldest week of the System Log, or of the oldest event that the last whole run of retention left.',
    ),
    unsealed: gauge('gatehouse_log_unsealed_events', 'Events that the last look of the sealer found not sealed.'),
    sealingLag: gauge(
      'gatehouse_log_sealing_lag_seconds',
      'How long ago an event should have been sealed that is not.',
    ),
    sealingBlocked: gauge(
      'gatehouse_log_sealing_blocked_orgs',
      'Orgs with an event that is not what was written, so that nothing after it is sealed.',
    ),
    sinks: gauge('gatehouse_log_sinks_active', 'Active event hooks and log streams.'),
    sinkBehind: gauge(
      'gatehouse_log_sink_lag_events',
      'Events by which the active sink that is furthest behind its org is behind.',
    ),
    sinkFailing: gauge('gatehouse_log_sink_failing_seconds', 'For how long the active sink fails that fails longest.'),
    snapshot: gauge('gatehouse_database_oldest_snapshot_seconds', 'Age of the oldest snapshot in the database.'),
    standbyLag: new Gauge({
      name: 'gatehouse_database_standby_lag_bytes',
      help: 'Changes that a connected standby of the database has not written yet; absent if that cannot be read.',
      labelNames: ['standby', 'sync'] as const,
      registers: [registry],
    }),
    due: gauge('gatehouse_jobs_due', 'Jobs whose time has come, counted up to 10,000.'),
    dead: gauge('gatehouse_jobs_dead', 'Jobs that were given up, counted up to 10,000.'),
  };
}

export function createInstallationMetrics(db: Db, clock: Clock): () => Promise<string> {
  const registry = new Registry();
  const meters = gauges(registry);
  async function measure(): Promise<void> {
    const [log, partitions, outbox, sealing, sinks, snapshotSeconds, standbys, jobs] = await Promise.all([
      readLogBacklog(db),
      readLogPartitions(db),
      readOutboxRows(db),
      readSealingLag(db),
      readSinksState(db),
      readOldestSnapshotSeconds(db),
      readStandbyLags(db),
      countJobs(db, clock.now()),
    ]);
    meters.reachable.set(1);
    meters.backlog.set(log.events);
    meters.backlogAge.set(log.oldestSeconds);
    meters.outboxDead.set(outbox.dead);
    meters.outboxBytes.set(outbox.bytes);
    meters.partitions.set(partitions.count);
    // Without the gauge, an alarm on a low number does not go off when no partition is needed any more.
    if (partitions.ahead === null) registry.removeSingleMetric(PARTITIONS_AHEAD);
    else meters.partitionsAhead.set(partitions.ahead);
    meters.oldestPartition.set(partitions.oldestSeconds);
    meters.unsealed.set(sealing?.unsealed ?? 0);
    meters.sealingLag.set(sealing?.seconds ?? 0);
    meters.sealingBlocked.set(sealing?.blockedOrgs ?? 0);
    meters.sinks.set(sinks.active);
    meters.sinkBehind.set(sinks.behind);
    meters.sinkFailing.set(sinks.failingSeconds);
    meters.snapshot.set(snapshotSeconds);
    meters.standbyLag.reset();
    for (const { bytes, name: standby, sync } of standbys) meters.standbyLag.set({ standby, sync }, bytes);
    meters.due.set(jobs.due);
    meters.dead.set(jobs.dead);
  }
  return async () => {
    try {
      await within(PATIENCE_MILLISECONDS, measure());
      return await registry.metrics();
    } catch {
      meters.reachable.set(0);
      // The other gauges still have their values from before the outage, which would be misleading.
      return registry.getSingleMetricAsString('gatehouse_database_reachable');
    }
  };
}
