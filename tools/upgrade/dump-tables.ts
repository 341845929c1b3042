import type { Pool } from '../../server/src/platform/postgres/index.ts';
import type { FilledInstallation, FilledTable } from '../../server/test/support/upgraded-installation.ts';

/** Partitions are read through their parent tables. */
const TABLES = `select c.relname as name,
    array(select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      order by a.attnum) as columns
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'schema_migrations' order by c.relname`;
const SEQUENCES = `select sequencename as name, last_value::text as value from pg_sequences
  where schemaname = 'public' and last_value is not null order by 1`;

/** Reads filled tables and used sequences as text, so that numbers and times keep every digit. */
export async function dumpTables(pool: Pool): Promise<Pick<FilledInstallation, 'tables' | 'sequences'>> {
  const tables: FilledTable[] = [];
  const { rows } = await pool.query<{ name: string; columns: string[] }>(TABLES);
  for (const { columns, name } of rows) {
    const text = `select coalesce(json_agg(t)::text, '[]') as rows, count(*)::int as count from ${name} t`;
    const dumped = await pool.query<{ rows: string; count: number }>(text);
    const [table] = dumped.rows;
    if (table !== undefined && table.count > 0) tables.push({ name, columns, rows: table.rows });
  }
  const sequences = await pool.query<{ name: string; value: string }>(SEQUENCES);
  return { tables, sequences: sequences.rows };
}
