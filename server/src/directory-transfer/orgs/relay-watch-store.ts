import { type Db, run } from '../../platform/postgres/index.ts';
import type { RelayWatch } from '../ports.ts';

/** A relay polls its queue every second. One that has not done so for this long counts as stopped. */
const ALIVE_SECONDS = 10;

/** Reads whether a relay is running and how many events wait. The queue is shared by all orgs. */
export async function readRelayWatch(db: Db): Promise<RelayWatch> {
  const text = `select waiting, measured_at > clock_timestamp() - interval '${ALIVE_SECONDS} seconds' as "isAlive"
    from log_relay_state`;
  const [row] = await run<RelayWatch>(db, text, []);
  return row ?? { isAlive: false, waiting: 0 };
}
