import type { Ask } from '../orgs/org-rows-store.ts';
import type { SealedTable } from './sealed-tables.ts';

// These statements cover all orgs, because the master key belongs to the installation.

const KEY_ID = (column: string): string => `encode(substring(t.${column} from 2 for 8), 'hex')`;

/** Finds the sealed columns by their names. Returns them as `table.column`. */
export async function findSealedColumns(ask: Ask): Promise<string[]> {
  const text = `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname like 'sealed\\_%' and not a.attisdropped order by 1`;
  return (await ask<{ name: string }>(text, [])).map(({ name }) => name);
}

/** Counts the values that are sealed with the keys in `keyIds` or, if `others` is true, with any other key. */
export async function countSealed(
  ask: Ask,
  { column, table }: SealedTable,
  keyIds: readonly string[],
  others = false,
): Promise<number> {
  const text = `select count(*)::integer as count from ${table} t
    where t.${column} is not null and (${KEY_ID(column)} = any($1::text[])) <> $2`;
  const [row] = await ask<{ count: number }>(text, [keyIds, others]);
  return row?.count ?? 0;
}

export interface SealedRow {
  readonly orgId: string;
  readonly key: readonly string[];
  readonly row: readonly string[];
  readonly sealed: Buffer;
}

/** The columns of the primary key except `org_id`, with their types. */
export type RowKey = readonly { readonly name: string; readonly type: string }[];

export function nextSealed(
  ask: Ask,
  { column, row, table }: SealedTable,
  key: RowKey,
  given: { readonly keyId: string; readonly after: SealedRow | null; readonly limit: number },
): Promise<readonly SealedRow[]> {
  const { after, keyId, limit } = given;
  const names = ['t.org_id', ...key.map(({ name }) => `t.${name}`)].join(', ');
  const texts = (columns: readonly string[]): string => `array[${columns.map((name) => `t.${name}::text`).join(', ')}]`;
  const beyond = key.map(({ type }, index) => `$${index + 4}::text::${type}`);
  const behind = after === null ? '' : `and (${names}) > (${['$3::text', ...beyond].join(', ')})`;
  const text = `select t.org_id as "orgId", ${texts(key.map(({ name }) => name))}::text[] as key,
      ${texts(row)}::text[] as row, t.${column} as sealed
    from ${table} t where ${KEY_ID(column)} = $1 ${behind} order by ${names} limit $2`;
  return ask<SealedRow>(text, [keyId, limit, ...(after === null ? [] : [after.orgId, ...after.key])]);
}

/** Changes nothing and returns false if the value has changed since it was read. */
export async function replaceSealed(
  ask: Ask,
  { column, table }: SealedTable,
  key: RowKey,
  found: SealedRow,
  sealed: Buffer,
): Promise<boolean> {
  const own = key.map(({ name, type }, index) => `and t.${name} = $${index + 4}::text::${type}`).join(' ');
  const text = `update ${table} t set ${column} = $2
    where t.org_id = $1 and t.${column} = $3 ${own} returning 1 as one`;
  return (await ask(text, [found.orgId, sealed, found.sealed, ...found.key])).length > 0;
}

const LOCK = `hashtextextended('rekey', 0)`;

/** Returns false if another connection holds the lock. */
export async function lockRekey(ask: Ask): Promise<boolean> {
  const [row] = await ask<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK}) as locked`, []);
  return row?.locked === true;
}

export async function unlockRekey(ask: Ask): Promise<void> {
  await ask(`select pg_advisory_unlock(${LOCK})`, []);
}

/** Records the check value of the new master key. Changes nothing if the recorded value is not `from`. */
export async function noteMasterKey(ask: Ask, from: string, to: string): Promise<void> {
  await ask(`update installation set value = $2 where name = 'master_key_check' and value = $1`, [from, to]);
}
