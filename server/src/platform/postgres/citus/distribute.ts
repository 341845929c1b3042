import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { OperatorError } from '../../../kernel/errors/operator-error.ts';
import { packageFile } from '../../package-folder.ts';
import { DISTRIBUTION_COLUMN, FIRST_DISTRIBUTED_TABLE, REFERENCE_TABLES } from './table-placement.ts';

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const IS_CITUS = "select exists (select from pg_extension where extname = 'citus') as installed";

export async function isCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ installed: boolean }>(IS_CITUS);
  return rows[0]?.installed === true;
}

async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const text = 'select exists (select from pg_dist_partition where logicalrelid = $1::text::regclass) as distributed';
  const { rows } = await client.query<{ distributed: boolean }>(text, [FIRST_DISTRIBUTED_TABLE]);
  return rows[0]?.distributed === true;
}

const UNPLACED_TABLES = `
  select c.oid::regclass::text as table
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and (c.relname = any ($1) or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = $2))
    and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
  order by array_position($1, c.relname::text), c.relname <> $3, c.relname`;

const FOREIGN_KEYS = `
  select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where contype = 'f' and conparentid = 0
    and (conrelid = any ($1::text[]::regclass[]) or confrelid = any ($1::text[]::regclass[]))`;

/**
 * Places the tables that are not placed yet, with their rows. Citus does not let a distributed table refer to a local
 * one, so the foreign keys of these tables leave first and come back at the end. Must run in a transaction.
 */
async function distributeTables(client: pg.ClientBase): Promise<readonly string[]> {
  const asked = [[...REFERENCE_TABLES], DISTRIBUTION_COLUMN, FIRST_DISTRIBUTED_TABLE];
  const { rows } = await client.query<{ table: string }>(UNPLACED_TABLES, asked);
  const tables = rows.map(({ table }) => table);
  if (tables.length === 0) return [];
  const { rows: keys } = await client.query<ForeignKey>(FOREIGN_KEYS, [tables]);
  // Otherwise Citus opens connections that do not see what this transaction has created.
  await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
  for (const key of keys) await client.query(`alter table ${key.table} drop constraint ${key.name}`);
  for (const table of tables) await place(client, table);
  for (const key of keys) await client.query(`alter table ${key.table} add constraint ${key.name} ${key.definition}`);
  return tables;
}

/**
 * Makes the schema one of a Citus cluster. Does nothing to what is so already. Must run in a transaction. Tables with
 * rows are distributed only if all migrations were applied (`hasAll`), because an older migration that is still to come
 * may do what Citus refuses.
 */
export async function distribute(client: pg.ClientBase, hasAll: boolean): Promise<void> {
  if (!hasAll && !(await isDistributed(client))) {
    throw new OperatorError(
      'The database has Citus, but some migrations have not been applied yet: start this version without Citus ' +
        'first, and wait for a minute.',
    );
  }
  await distributeTables(client);
  await replaceFunctions(client);
}

/** Replaces the functions whose statements Citus cannot run over several shards. */
async function replaceFunctions(client: pg.ClientBase): Promise<void> {
  await client.query(await readFile(packageFile('migrations/citus/functions.sql'), 'utf8'));
}

const UNLOGGED = "select relpersistence = 'u' as unlogged from pg_class where oid = $1::text::regclass";

/** A table that is not logged cannot move to another worker while clients write. */
async function isUnlogged(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ unlogged: boolean }>(UNLOGGED, [table]);
  return rows[0]?.unlogged === true;
}

async function place(client: pg.ClientBase, table: string): Promise<void> {
  if (REFERENCE_TABLES.includes(table)) {
    await client.query('select create_reference_table($1::text::regclass)', [table]);
    return;
  }
  if (await isUnlogged(client, table)) await client.query(`alter table ${table} set logged`);
  const neighbour = table === FIRST_DISTRIBUTED_TABLE ? 'default' : FIRST_DISTRIBUTED_TABLE;
  await client.query('select create_distributed_table($1::text::regclass, $2, colocate_with => $3)', [
    table,
    DISTRIBUTION_COLUMN,
    neighbour,
  ]);
}
