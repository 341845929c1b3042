import { inject } from 'vitest';

/** Whether the tests run in a Citus cluster (see `docs/operate/citus.md`). */
export const isOnCitus = inject('servers').length > 1;

/** Counts the transactions that wait for a lock, as `waiting`. In a cluster, they wait on its workers. */
export const LOCK_WAITS = isOnCitus
  ? 'select count(*)::integer as waiting from citus_lock_waits'
  : `select count(*)::integer as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`;
