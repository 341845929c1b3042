import type pg from 'pg';
import type { Db } from '../connections/database.ts';
import { prepared, run } from '../connections/statements.ts';

/** The names of the connections of builds that do not write to `nodes` (up to 0.3.0). */
const NAMES_OF_OLDER_BUILDS = ['gatehouse', 'gatehouse-log', 'gatehouse-relay', 'gatehouse-cli', 'gatehouse-migrate'];

/** This statement records this process, and each connection of an older build as a process of schema version 0. */
const BEAT = `with seen as (
    select $1::text as node_id, $2::text as version
    union all
    select 'older build, backend ' || pid, '0' from pg_stat_activity
      where datname = current_database() and application_name = any ($3::text[])
  )
  insert into nodes (node_id, version, seen_at) select node_id, version, clock_timestamp() from seen order by node_id
  on conflict on constraint nodes_pkey do update set version = excluded.version, seen_at = excluded.seen_at`;

/** `version` is the newest schema version that the build of this process knows. */
export async function beat(db: Db, nodeId: string, version: number): Promise<void> {
  await prepared(db, 'nodes_beat', BEAT, [nodeId, String(version), NAMES_OF_OLDER_BUILDS]);
}

export async function forgetNode(db: Db, nodeId: string): Promise<void> {
  await run(db, 'delete from nodes where node_id = $1', [nodeId]);
}

/** Deletes the rows of processes that ended without deleting their rows. */
export async function dropOldNodes(db: Db): Promise<void> {
  await run(db, "delete from nodes where seen_at < clock_timestamp() - interval '1 day'", []);
}

export async function appliedAmong(db: Db, versions: readonly number[]): Promise<ReadonlySet<number>> {
  const text = 'select version from schema_migrations where version = any ($1::integer[])';
  const rows = await prepared<{ version: number }>(db, 'nodes_applied', text, [versions]);
  return new Set(rows.map(({ version }) => version));
}

const OLDER = `select exists (select from nodes where seen_at > clock_timestamp() - interval '1 minute'
    and case when version ~ '^[0-9]{1,6}$' then version::integer else 0 end < $1) as older`;

/** Tells whether a process whose build does not know this schema version was seen in the last minute. */
export async function hasOlderNode(client: pg.Client, version: number): Promise<boolean> {
  const { rows } = await client.query<{ older: boolean }>(OLDER, [version]);
  return rows[0]?.older !== false;
}
