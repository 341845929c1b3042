import type pg from 'pg';
import { applyDeferred, type ConnectionSettings } from '../../src/platform/postgres/index.ts';
import { isOnCitus } from './citus.ts';

// A new installation appends to `log_fresh` from the start. An upgraded one appends to `log_events` until a deferred
// migration gives that table its other name (ADR 0081).

export interface SwitchedDatabase {
  readonly connection: ConnectionSettings;
  readonly pool: Pick<pg.Pool, 'query'>;
}

const OLDER_PROCESS = 'a process of an older version';

const RENAME_CONSTRAINT = 'alter table log_older rename constraint log_older_pkey to log_events_pkey';

const UNDO = [
  'alter table log_older rename to log_events',
  // While this process seems to run, no service switches by itself.
  `insert into nodes (node_id, version, seen_at)
   select '${OLDER_PROCESS}', version - 1, 'infinity' from schema_migrations where name ~ '_fresh_end\\.'
   on conflict (node_id) do update set seen_at = excluded.seen_at`,
  `delete from schema_migrations where name ~ '_fresh_end\\.'`,
];

/** Tells whether the relay appends to `log_fresh`. */
export async function isSwitched({ pool }: SwitchedDatabase): Promise<boolean> {
  const { rows } = await pool.query<{ name: string | null }>(`select to_regclass('log_older')::text as name`);
  return rows[0]?.name === 'log_older';
}

/** Makes the schema that of an upgraded installation before the switch. */
export async function undoSwitch(database: SwitchedDatabase): Promise<void> {
  if (!(await isSwitched(database))) return;
  // Citus refuses this. Nothing but the migration that switches again would notice.
  if (!isOnCitus) await database.pool.query(RENAME_CONSTRAINT);
  for (const text of UNDO) await database.pool.query(text);
}

/** Switches as processes do when no older one has run for a minute. Does nothing if the table is in use. */
export async function switchLog({ connection, pool }: SwitchedDatabase): Promise<boolean> {
  await pool.query('delete from nodes where node_id = $1', [OLDER_PROCESS]);
  return (await applyDeferred(connection)).length > 0;
}
