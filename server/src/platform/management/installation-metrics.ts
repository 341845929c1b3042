import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock.ts';
import { countJobs } from '../jobs/index.ts';
import type { Db } from '../postgres/index.ts';
import { readLogBacklog, readOldestSnapshotSeconds } from './cross-org-store.ts';
import { within } from './within.ts';

const PATIENCE_MILLISECONDS = 2_000;

function gauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    reachable: gauge('gatehouse_database_reachable', '1 when the database answered this very question.'),
    backlog: gauge('gatehouse_log_backlog_events', 'Events that wait for the relay, counted up to 100,000.'),
    backlogAge: gauge('gatehouse_log_backlog_age_seconds', 'Age of the event that waits longest.'),
    snapshot: gauge('gatehouse_database_oldest_snapshot_seconds', 'Age of the oldest snapshot in the database.'),
    due: gauge('gatehouse_jobs_due', 'Jobs whose time has come, counted up to 10,000.'),
    dead: gauge('gatehouse_jobs_dead', 'Jobs that were given up, counted up to 10,000.'),
  };
}

/** Text of what is measured once for the whole installation, whichever process is asked. Never rejects. */
export function createInstallationMetrics(db: Db, clock: Clock): () => Promise<string> {
  const registry = new Registry();
  const { reachable, backlog, backlogAge, snapshot, due, dead } = gauges(registry);
  async function measure(): Promise<void> {
    const [log, snapshotSeconds, jobs] = await Promise.all([
      readLogBacklog(db),
      readOldestSnapshotSeconds(db),
      countJobs(db, clock.now()),
    ]);
    reachable.set(1);
    backlog.set(log.events);
    backlogAge.set(log.oldestSeconds);
    snapshot.set(snapshotSeconds);
    due.set(jobs.due);
    dead.set(jobs.dead);
  }
  return async () => {
    try {
      await within(PATIENCE_MILLISECONDS, measure());
      return await registry.metrics();
    } catch {
      reachable.set(0);
      // The other figures are of a time when the database still answered: they would lie.
      return registry.getSingleMetricAsString('gatehouse_database_reachable');
    }
  };
}
