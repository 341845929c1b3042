import type { Clock } from '../../../kernel/clock.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { LogSigner } from '../../relay/log-signer.ts';
import { findMovedHeads, type MovedHead } from '../cross-org-store.ts';
import { signCheckpoint } from '../statements.ts';
import { insertCheckpoint, pruneCheckpoints } from './checkpoint-store.ts';

export interface CheckpointPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly logSigner: LogSigner;
  /** The next run continues with the orgs that have waited longest. */
  readonly maximumOrgs?: number;
}

const MINUTE_MILLISECONDS = 60_000;
const DAY_MILLISECONDS = 86_400_000;
const EVERY_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/**
 * The minimum age of an org's last checkpoint before the next one. This age is less than the time between runs, so that
 * a run does not skip an org that got its checkpoint late in the previous run.
 */
const YOUNGEST_MILLISECONDS = 4 * MINUTE_MILLISECONDS;
/** The age after which only the last checkpoint of each day is kept. */
const ALL_KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS;
const MAXIMUM_ORGS = 5_000;
/** Other work uses the same thread pool, so few signatures are made at a time. */
const AT_ONCE = 2;

const dayOf = (date: Date): number => Math.floor(date.getTime() / DAY_MILLISECONDS);

async function checkpoint({ clock, db, logSigner }: CheckpointPorts, { head, last, orgId }: MovedHead): Promise<void> {
  const now = clock.now();
  const signed = await signCheckpoint(logSigner, orgId, head, last?.position ?? null, now);
  await insertCheckpoint(db, orgId, { ...head, createdAt: now, signed });
  // Pruning once a day is enough to keep the table small.
  if (last === null || dayOf(last.createdAt) === dayOf(now)) return;
  await pruneCheckpoints(db, orgId, new Date(now.getTime() - ALL_KEPT_MILLISECONDS));
}

/**
 * Signs the heads that moved since their last checkpoint, until `signal` aborts. If a checkpoint fails, signs the other
 * heads and then throws.
 */
export async function makeCheckpoints(ports: CheckpointPorts, signal?: AbortSignal): Promise<number> {
  const now = ports.clock.now();
  const before = new Date(now.getTime() - YOUNGEST_MILLISECONDS);
  const waiting = await findMovedHeads(ports.db, { before, now, limit: ports.maximumOrgs ?? MAXIMUM_ORGS });
  const failures: unknown[] = [];
  let made = 0;
  let next = 0;
  const signOn = async (): Promise<void> => {
    for (;;) {
      const moved = waiting[next];
      next += 1;
      if (moved === undefined || signal?.aborted === true) return;
      try {
        await checkpoint(ports, moved);
        made += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, signOn));
  if (failures.length === 0) return made;
  throw new Error(`${failures.length} of ${waiting.length} logs got no checkpoint`, { cause: failures[0] });
}

export const checkpointJobs = (ports: CheckpointPorts): Readonly<Record<string, JobKind>> => ({
  'systemLog.checkpoints': {
    everyMilliseconds: EVERY_MILLISECONDS,
    // A failed run is not repeated at once, because the next run does the same work.
    maximumAttempts: 1,
    run: async ({ signal }) => {
      await makeCheckpoints(ports, signal);
    },
  },
});
