import { type Db, run } from '../../platform/postgres/index.ts';
import type { RelayWatch } from '../ports.ts';

/** A relay looks at its queue once a second; one that has not done so for this long does not run. */
const ALIVE_SECONDS = 10;

/** Whether a process numbers events now, and how many wait: it is one queue for all orgs. */
export async function readRelayWatch(db: Db): Promise<RelayWatch> {
  const text = `select waiting, measured_at > clock_timestamp() - interval '${ALIVE_SECONDS} seconds' as "isAlive"
    from log_relay_state`;
  const [row] = await run<RelayWatch>(db, text, []);
  return row ?? { isAlive: false, waiting: 0 };
}
