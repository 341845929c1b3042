import { randomInt } from 'node:crypto';
import type { Pool } from '../../server/src/platform/postgres/index.ts';
import { eventually } from '../crash/service-process.ts';
import type { Node } from '../nodes/installation.ts';
import type { Machine } from './network.ts';
import { run } from './run.ts';

const PATIENCE_MILLISECONDS = 60_000;

/** The session that holds the relay's lock, or else the one that tried to get it last. */
const LAST_RELAY = `select host(client_addr) as address, client_port as port
  from pg_stat_activity sessions
  where application_name = 'gatehouse-drains' and client_port > 0
  order by exists (
    select from pg_locks locks where locks.pid = sessions.pid and locktype = 'advisory' and granted
  ) desc, query_start desc nulls last
  limit 1`;

interface Place {
  readonly address: string;
  readonly port: number;
}

/** Returns the process of a machine that has a connection from this port. */
function processAt(machine: Machine, port: number): number | null {
  const found = /pid=(\d+)/.exec(run(...machine.prefix, 'ss', '-Htnp', 'sport', '=', `:${port}`));
  return found === null ? null : Number(found[1]);
}

/**
 * Kills the worker of a node that numbers the events. If a proxy hides which one it is, kills any worker of the given
 * node.
 */
export async function killRelayWorker(
  pool: Pool,
  machines: readonly Machine[],
  other: { readonly node: Node; readonly machine: Machine },
): Promise<void> {
  // After a failover, the first connections of the pool lead to the former primary.
  const rows = await eventually('the primary', PATIENCE_MILLISECONDS, () =>
    pool.query<Place>(LAST_RELAY).then(
      (found) => found.rows,
      () => null,
    ),
  );
  const [place] = rows;
  const machine = machines.find(({ address }) => address === place?.address);
  const relay = machine === undefined || place === undefined ? null : processAt(machine, place.port);
  const workers = other.machine.processes().filter((pid) => pid !== other.node.service.pid);
  const pid = relay ?? workers[randomInt(Math.max(1, workers.length))];
  if (pid === undefined) throw new Error('there is no worker');
  process.kill(pid, 'SIGKILL');
}
