import type { OrgId } from '../../../kernel/words/ids.ts';
import { CLOCK, type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';

export interface OrgTable {
  readonly name: string;
  /** The columns of the primary key, without `org_id`. */
  readonly key: readonly { readonly name: string; readonly type: string }[];
}

/**
 * Returns the tables with an `org_id`. Except in cycles, each table comes before the tables that it references, so that
 * deleting a row does not cascade.
 */
export async function findOrgTables(db: Db): Promise<readonly OrgTable[]> {
  const text = `select c.relname::text as name,
      array(select json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
        from pg_constraint k cross join lateral unnest(k.conkey) with ordinality n (attnum, ord)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.attnum
        where k.conrelid = c.oid and k.contype = 'p' and a.attname <> 'org_id' order by n.ord) as key,
      array(select distinct k.conrelid::regclass::text from pg_constraint k
        where k.confrelid = c.oid and k.contype = 'f' and k.conrelid <> c.oid) as "pointedToBy"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;
  const waiting = await run<OrgTable & { readonly pointedToBy: readonly string[] }>(db, text, []);
  const ordered: OrgTable[] = [];
  const placed = new Set<string>();
  const names = new Set(waiting.map(({ name }) => name));
  while (placed.size < waiting.length) {
    const left = waiting.filter(({ name }) => !placed.has(name));
    const isFree = (table: (typeof left)[number]): boolean =>
      table.pointedToBy.every((name) => placed.has(name) || !names.has(name));
    // If only cycles of references are left, no table is free, so the first one is taken.
    const next = left.find(isFree) ?? left[0];
    if (next === undefined) break;
    placed.add(next.name);
    ordered.push({ name: next.name, key: next.key });
  }
  return ordered;
}

export interface Deleted {
  readonly rows: number;
  /** The key after which the next batch starts, or null if this was the last batch. */
  readonly place: readonly string[] | null;
}

/** Rows of running jobs are kept, because `isWriterLeft` must see them until the jobs end. */
const KEPT: Readonly<Record<string, string>> = {
  jobs: `and (t.lease_until is null or t.lease_until < (select clock.now from ${CLOCK}))`,
};

/**
 * Deletes the next rows of a table in the order of its key: `limit`, or more if rows are added meanwhile, or fewer if
 * no more are left. Deletes nothing of an org that is active, because an org that was deleted may have been imported
 * again.
 */
export async function deleteRows(
  db: Db,
  orgId: OrgId,
  { key, name }: OrgTable,
  after: readonly string[] | null,
  limit: number,
): Promise<Deleted> {
  const names = key.map((column) => `t.${column.name}`);
  const tuple = `(${names.join(', ')})`;
  const given = (first: number): string =>
    `(${key.map(({ type }, index) => `$${first + index}::text::${type}`).join(', ')})`;
  const values = [orgId, ...(after ?? [])];
  const rows = `from ${name} t
    where t.org_id = $1 and not exists (select 1 from orgs where id = $1 and status = 'ACTIVE')
      ${KEPT[name] ?? ''} ${after === null ? '' : `and ${tuple} > ${given(2)}`}`;
  let place: readonly string[] | null = null;
  if (key.length > 0) {
    const texts = names.map((column) => `${column}::text`).join(', ');
    const text = `select array[${texts}] as place ${rows} order by ${names.join(', ')} offset ${limit - 1} limit 1`;
    place = (await run<{ place: readonly string[] }>(db, text, values))[0]?.place ?? null;
  }
  const last = place === null ? '' : `and ${tuple} <= ${given(values.length + 1)}`;
  const deleted = await run(db, `delete ${rows} ${last} returning 1 as deleted`, [...values, ...(place ?? [])]);
  return { rows: deleted.length, place };
}

/** Nothing may be sent for an org while its rows are being deleted. */
const OUTGOING = ['log_sinks', 'mail_outbox'] as const;

/** Deactivates the org and stops its outgoing events and emails. Returns the time by the database's clock. */
export async function closeOrg(tx: Tx, orgId: OrgId): Promise<Date> {
  for (const table of OUTGOING) await run(tx, `delete from ${table} where org_id = $1`, [orgId]);
  const text = `with closed as (update orgs set status = 'INACTIVE' where id = $1 returning id)
    select date_trunc('milliseconds', clock_timestamp()) as at from closed`;
  const [row] = await prepared<{ at: Date }>(tx, 'org_close', text, [orgId]);
  if (row === undefined) throw new Error(`the org ${orgId} is gone`);
  return row.at;
}

/** Returns true while transactions or jobs may still write rows of the org. */
export async function isWriterLeft(db: Db, orgId: OrgId, closedAt: Date, graceSeconds: number): Promise<boolean> {
  const text = `select clock_timestamp() < $2::timestamptz + make_interval(secs => $3::integer)
      or exists (select 1 from jobs where org_id = $1)
      or exists (select 1 from pg_stat_activity a where a.pid <> pg_backend_pid()
        -- A transaction that writes to the workers of a Citus cluster has no id at the coordinator.
        and (a.backend_xid is not null or exists (select 1 from pg_extension where extname = 'citus'))
        and a.datname = current_database() and a.xact_start < $2::timestamptz + make_interval(secs => $3::integer))
      as "isLeft"`;
  const [row] = await run<{ isLeft: boolean }>(db, text, [orgId, closedAt, graceSeconds]);
  return row?.isLeft ?? true;
}

export async function isSince(db: Db, instant: Date, seconds: number): Promise<boolean> {
  const text = 'select clock_timestamp() > $1::timestamptz + make_interval(secs => $2::integer) as "isPast"';
  const [row] = await run<{ isPast: boolean }>(db, text, [instant, seconds]);
  return row?.isPast ?? false;
}

/** Returns false if the org is no longer closed, or if it has been deleted already. */
export async function deleteOrg(tx: Tx, orgId: OrgId): Promise<boolean> {
  const text = `delete from orgs where id = $1 and status = 'INACTIVE' returning id`;
  return (await prepared(tx, 'org_delete', text, [orgId])).length > 0;
}

/** Returns the end of the ledger. Published checkpoints can be compared with it after the org has been deleted. */
export async function findLogEnd(db: Db, orgId: OrgId): Promise<{ position: number; hash: string } | null> {
  const text = `select position, encode(hash, 'hex') as hash from log_heads where org_id = $1`;
  const [row] = await run<{ position: number; hash: string }>(db, text, [orgId]);
  return row ?? null;
}
