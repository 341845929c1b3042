import { type Db, run } from '../../platform/postgres/index.ts';
import type { RelayWatch } from '../ports.ts';

/** A relay that has not polled its queue for this long counts as stopped. A running relay polls every second. */
const ALIVE_SECONDS = 10;

/** Reads whether a relay is running and how many events are waiting. All orgs share the queue. */
export async function readRelayWatch(db: Db): Promise<RelayWatch> {
  const text = `select waiting, measured_at > clock_timestamp() - interval '${ALIVE_SECONDS} seconds' as "isAlive"
    from log_relay_state`;
  const [row] = await run<RelayWatch>(db, text, []);
  return row ?? { isAlive: false, waiting: 0 };
}
