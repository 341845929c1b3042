// This program seals the events of all orgs again and again, as if each day were over at once. `crash-test.ts` and
// `failover-test.ts` run it beside the service and kill it. It prints each fault that it finds as a line, and ends when
// its input ends.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findRunningCluster } from '../../server/src/cli/running/running-cluster.ts';
import type { OrgId } from '../../server/src/kernel/words/ids.ts';
import { type ConnectionSettings, createPool, type Pool } from '../../server/src/platform/postgres/index.ts';
import { openExternalDatabase } from '../../server/src/process/database/database.ts';
import { loadConfig } from '../../server/src/settings/config.ts';
import { connectionsOver } from '../../server/src/system-log/index.ts';
import { createPacking } from '../../server/src/system-log/sealing/packing/packing.ts';
import { sealTurn } from '../../server/src/system-log/sealing/turn/seal-turn.ts';

const [dataDirectory = '', databaseUrl] = process.argv.slice(2);
const FAR_FUTURE = new Date('2100-01-01T00:00:00Z');
const NEVER = new AbortController().signal;
const LONGEST_PAUSE_MILLISECONDS = 40;
/** The newest events that a turn leaves as rows, at most. */
const MOST_LEFT = 30;

interface Head {
  readonly orgId: OrgId;
  readonly position: string;
}

async function sealAll(pool: Pool): Promise<void> {
  const connections = connectionsOver(pool);
  for (;;) {
    const { rows } = await pool.query<Head>('select org_id as "orgId", position from log_heads');
    for (const { orgId, position } of rows) {
      const packing = createPacking(null);
      const upTo = Number(position) - randomInt(MOST_LEFT);
      const turn = { orgId, upTo, maximumEvents: randomInt(1, 500) };
      const { end, segments } = await sealTurn({ connections, packing, now: FAR_FUTURE, signal: NEVER }, turn);
      if (segments > 0) process.stdout.write(`sealed ${segments}\n`);
      if (typeof end === 'object' && 'fault' in end)
        process.stdout.write(`fault ${orgId} ${JSON.stringify(end.fault)}\n`);
      if (typeof end === 'object' && 'error' in end) throw end.error;
    }
    await delay(randomInt(LONGEST_PAUSE_MILLISECONDS));
  }
}

async function findDatabase(): Promise<ConnectionSettings | null> {
  if (databaseUrl === undefined) return findRunningCluster(dataDirectory);
  return (await openExternalDatabase({ ...loadConfig({}), dataDirectory }, databaseUrl)).connection;
}

process.stdin.once('end', () => process.exit(0)).resume();
for (;;) {
  const connection = await findDatabase().catch(() => null);
  if (connection !== null) {
    const pool = createPool({
      connection,
      maximumConnections: 2,
      applicationName: 'crash-test',
      statementTimeoutMilliseconds: 10_000,
    });
    // PostgreSQL may be killed at any moment. The next round of this loop goes on with the next server.
    await sealAll(pool).catch(() => undefined);
    await pool.end().catch(() => undefined);
  }
  await delay(LONGEST_PAUSE_MILLISECONDS);
}
