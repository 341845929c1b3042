import type pg from 'pg';

type Queryable = Pick<pg.Client, 'query'>;

/**
 * Returns the name of the table that rows are filled into. It is `log_older` in a build whose relay appends to
 * `log_fresh` (ADR 0081). Older builds, with which runs are compared, have only `log_events`.
 */
export async function filledTable(client: Queryable): Promise<'log_older' | 'log_events'> {
  const { rows } = await client.query<{ name: string | null }>(
    `select coalesce(to_regclass('log_older'), to_regclass('log_events'))::text as name`,
  );
  const name = rows[0]?.name;
  if (name !== 'log_older' && name !== 'log_events') throw new Error('there is no ledger to fill');
  return name;
}

/** Makes the partitions of some weeks, for which the table must have its former name. The relay must wait meanwhile. */
export async function ensurePartitions(client: Queryable, from: Date, to: Date): Promise<void> {
  const isRenamed = (await filledTable(client)) === 'log_older';
  if (isRenamed) await client.query('alter table log_older rename to log_events');
  try {
    await client.query('select log_ensure_partitions($1, $2)', [from, to]);
  } finally {
    if (isRenamed) await client.query('alter table log_events rename to log_older');
  }
}

const MOVED_AT_ONCE = 20_000;
const COLUMNS = `org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids,
  outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body`;

/** Moves all events of an org that are rows to the fresh end, where the relay of a new installation appends them. */
export async function moveToFreshEnd(client: Queryable, orgId: string): Promise<void> {
  for (let moved = MOVED_AT_ONCE; moved === MOVED_AT_ONCE; ) {
    const { rowCount } = await client.query(
      `with oldest as (select position from log_older where org_id = $1 order by position limit ${MOVED_AT_ONCE}),
         moved as (
           delete from log_older where org_id = $1 and position <= (select max(position) from oldest)
           returning ${COLUMNS}
         )
       insert into log_fresh (${COLUMNS}) select * from moved order by position`,
      [orgId],
    );
    moved = rowCount ?? 0;
  }
}
