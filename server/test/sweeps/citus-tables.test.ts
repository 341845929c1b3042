import { describe, expect, test } from 'vitest';
import { DISTRIBUTION_COLUMN, REFERENCE_TABLES } from '../../src/platform/postgres/citus/table-placement.ts';
import { FOREIGN_KEYS } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { isOnCitus } from '../support/citus.ts';
import { openTestDatabase } from '../support/database.ts';

/** The tables that exist only on the coordinator. They hold nothing of an org. */
const LOCAL_TABLES = ['installation', 'log_relay_state', 'nodes', 'schema_migrations'];

describe.skipIf(!isOnCitus)('the tables of a Citus cluster', () => {
  const database = beforeTests(() => openTestDatabase());

  const namesOf = async (text: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ name: string }>(text);
    return rows.map(({ name }) => name).toSorted();
  };

  test('are distributed by org, and all placed alike, unless they are listed', async () => {
    const { rows } = await database.pool.query<{ column: string; groups: number }>(
      `select distribution_column as column, count(distinct colocation_id)::integer as groups from citus_tables
       where citus_table_type = 'distributed' group by 1`,
    );
    expect(rows).toEqual([{ column: DISTRIBUTION_COLUMN, groups: 1 }]);
    expect(
      await namesOf("select table_name::text as name from citus_tables where citus_table_type = 'reference'"),
    ).toEqual([...REFERENCE_TABLES].toSorted());
    expect(
      await namesOf(
        `select c.relname as name from pg_class c
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
           and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
      ),
    ).toEqual(LOCAL_TABLES);
  });

  test('are logged and have a key, so that they can move to another worker while clients write', async () => {
    const fixed = await namesOf(
      `select c.relname as name from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
       where p.partmethod = 'h' and (c.relpersistence = 'u' or not exists (
         select from pg_index i where i.indrelid = c.oid and i.indisprimary))`,
    );
    expect(fixed).toEqual([]);
  });

  test('have all their foreign keys again', async () => {
    const found = await namesOf(
      `select distinct k.conname as name from pg_constraint k join pg_dist_partition p on p.logicalrelid = k.conrelid
       where k.contype = 'f'`,
    );
    expect(found).toEqual(Object.keys(FOREIGN_KEYS).toSorted());
  });
});
