import type pg from 'pg';

type Queryable = Pick<pg.Client, 'query'>;

/**
 * Returns the name of the table that `fillLog` fills. It is `log_older` in a build whose relay appends to `log_fresh`
 * (ADR 0081). Older builds, with which runs are compared, have only `log_events`.
 */
export async function filledTable(client: Queryable): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `select coalesce(to_regclass('log_older'), to_regclass('log_events'))::text as name`,
  );
  const name = rows[0]?.name;
  if (name !== 'log_older' && name !== 'log_events') throw new Error('there is no ledger to fill');
  return name;
}

/** Runs `fill` while the table has the name by which partitions are made for it. The relay must wait meanwhile. */
export async function asLogEvents<Result>(client: Queryable, fill: () => Promise<Result>): Promise<Result> {
  const name = await filledTable(client);
  if (name === 'log_events') return fill();
  await client.query('alter table log_older rename to log_events');
  try {
    return await fill();
  } finally {
    await client.query('alter table log_events rename to log_older');
  }
}

const MOVED_AT_ONCE = 20_000;
const COLUMNS = `org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids,
  outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body`;

/**
 * Moves the newest `events` events of an org that was filled to the fresh end, as if nothing had been sealed for that
 * long. Returns false if the build has no fresh end.
 */
export async function fillFreshEnd(client: Queryable, orgId: string, last: number, events: number): Promise<boolean> {
  if ((await filledTable(client)) === 'log_events') return false;
  const first = Math.max(1, last - events + 1);
  for (let upTo = last; upTo >= first; upTo -= MOVED_AT_ONCE) {
    await client.query(
      `with moved as (
         delete from log_older where org_id = $1 and position between $2 and $3 returning ${COLUMNS}
       )
       insert into log_fresh (${COLUMNS}) select * from moved order by position`,
      [orgId, Math.max(first, upTo - MOVED_AT_ONCE + 1), upTo],
    );
  }
  await client.query('vacuum analyze log_fresh');
  return true;
}
