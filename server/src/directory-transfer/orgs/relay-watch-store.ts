import { type Db, run } from '../../platform/postgres/index.ts';
import type { RelayWatch } from '../ports.ts';

const ALIVE_SECONDS = 10;

/** The backlog covers all orgs, because they share one outbox. */
export async function readRelayWatch(db: Db): Promise<RelayWatch> {
  const text = `select waiting, measured_at > clock_timestamp() - interval '${ALIVE_SECONDS} seconds' as "isAlive"
    from log_relay_state`;
  const [row] = await run<RelayWatch>(db, text, []);
  return row ?? { isAlive: false, waiting: 0 };
}
