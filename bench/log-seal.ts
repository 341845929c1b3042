import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { OrgId } from '../server/src/kernel/words/ids.ts';
import { built } from './built.ts';
import type { Gatehouse } from './gatehouse.ts';
import { moveToFreshEnd } from './ledger-table.ts';

// A log that was filled is sealed by the product's own sealer, in this process, until nothing is due.

export interface SealedPart {
  readonly events: number;
  readonly milliseconds: number;
}

const HOLD = "update jobs set lease_until = 'infinity' where kind = 'log.sealing'";
const RELEASE = "update jobs set lease_until = null where kind = 'log.sealing'";
const LONGEST_WAIT_MILLISECONDS = 60_000;

/** Runs `fill` while the service seals nothing, because another process seems to do it. */
export async function withoutSealing<Result>({ pool }: Gatehouse, fill: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + LONGEST_WAIT_MILLISECONDS;
  // The service adds its recurring jobs soon after its start.
  while ((await pool.query(HOLD)).rowCount === 0) {
    if (performance.now() > until) throw new Error('the service has no job that seals');
    await delay(100);
  }
  try {
    return await fill();
  } finally {
    await pool.query(RELEASE);
  }
}

/** Seals what is due of all orgs. Throws if an event has a fault, or if an org cannot be sealed. */
export async function sealLog({ pool }: Gatehouse): Promise<SealedPart> {
  const { connectionsOver, packThreadFile } = await built('system-log/index');
  const { Sealer } = await built('system-log/sealing/sealer');
  const failures: unknown[] = [];
  const sealer = new Sealer({
    connections: connectionsOver(pool),
    clock: { now: () => new Date() },
    maySeal: () => true,
    packThreadFile: packThreadFile(),
    onFault: (orgId, fault) => {
      failures.push(new Error(`the log of ${orgId} has a fault: ${JSON.stringify(fault)}`));
    },
    onError: (error) => {
      failures.push(error);
    },
  });
  const started = performance.now();
  let events = 0;
  // The first run may only end the walk that another process began.
  for (let idleRuns = 0; idleRuns < 2; ) {
    const report = await sealer.run(new AbortController().signal);
    if (failures.length > 0) throw failures[0];
    events += report.events;
    idleRuns = report.unfinished || report.events > 0 ? 0 : idleRuns + 1;
  }
  return { events, milliseconds: performance.now() - started };
}

/** Leaves the log as if the relay had appended all events to the fresh end: what is not sealed yet is there. */
export async function leaveFreshEnd(client: pg.Client, orgIds: readonly OrgId[]): Promise<void> {
  for (const orgId of orgIds) await moveToFreshEnd(client, orgId);
  await client.query('truncate log_older');
  for (const table of ['log_fresh', 'log_segments', 'log_older']) await client.query(`vacuum analyze ${table}`);
}
