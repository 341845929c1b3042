import { beforeAll, describe, expect, test } from 'vitest';
import { LEFT_OUT_TABLES, TRANSFER_TABLES } from '../../src/directory-transfer/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

/** Tables to which the rules for tenant tables do not apply, each with the reason. All others are tenant tables. */
const GLOBAL_TABLES: ReadonlySet<string> = new Set([
  'schema_migrations', // This table records the applied migrations.
  'installation', // Its rows are facts about the whole installation.
  'nodes', // A node is a process, which serves all orgs.
  'log_relay_state', // The relay, whose state it contains, serves all orgs.
  'orgs', // The key of an org is its own id.
  'org_domains', // A domain must be unique across all orgs.
]);

interface KeyRow {
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[];
}

const database = beforeTests(() => openTestDatabase());
let tables: string[];
let keys: KeyRow[];

beforeAll(async () => {
  const found = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  tables = found.rows.map((row) => row.name);
  const constraints = await database.pool.query<KeyRow>(
    `select c.conrelid::regclass::text as table, c.conname as name, c.contype as kind,
       array(select a.attname::text from unnest(c.conkey) with ordinality k (attnum, ord)
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum order by k.ord) as columns
     from pg_constraint c join pg_class t on t.oid = c.conrelid
     where t.relnamespace = 'public'::regnamespace and not t.relispartition and c.contype in ('p', 'u', 'f')
     union all
     select i.indrelid::regclass::text, i.indexrelid::regclass::text, 'i',
       array(select coalesce(a.attname::text, '(expression)')
         from unnest(i.indkey::int2[]) with ordinality k (attnum, ord)
         left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.ord)
     from pg_index i join pg_class t on t.oid = i.indrelid
     where i.indisunique and t.relnamespace = 'public'::regnamespace and not t.relispartition`,
  );
  keys = constraints.rows;
});

describe('tenant tables', () => {
  test('there are some, and every exemption exists', () => {
    expect(tables.length).toBeGreaterThan(15);
    expect([...GLOBAL_TABLES].filter((table) => !tables.includes(table))).toEqual([]);
  });

  test('every one has a primary key that begins with org_id', () => {
    const without = tables.filter((table) => {
      const primary = keys.find((key) => key.table === table && key.kind === 'p');
      return !GLOBAL_TABLES.has(table) && primary?.columns[0] !== 'org_id';
    });
    expect(without).toEqual([]);
  });

  test('every unique key and every foreign key begins with org_id, so that two orgs cannot refer to each other', () => {
    const loose = keys.filter((key) => !GLOBAL_TABLES.has(key.table) && key.columns[0] !== 'org_id');
    expect(loose).toEqual([]);
  });

  test('every constraint is named after its table', () => {
    const strange = keys.filter((key) => key.kind !== 'i' && !key.name.startsWith(`${key.table}_`));
    expect(strange).toEqual([]);
  });

  test('every indexed text is compared by code point: search keys and cursors depend on it', async () => {
    const { rows } = await database.pool.query<{ index: string; column: string }>(
      `select i.indexrelid::regclass::text as index, a.attname::text as column
       from pg_index i join pg_class t on t.oid = i.indrelid
         cross join lateral unnest(i.indkey::int2[]) as k (attnum)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         join pg_collation c on c.oid = a.attcollation
       where t.relnamespace = 'public'::regnamespace and not t.relispartition and c.collname <> 'C'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('the export of an org', () => {
  /** Global tables whose rows each belong to one org, so an export must account for them. */
  const OF_ORGS: ReadonlySet<string> = new Set(['orgs', 'org_domains']);
  const exported = TRANSFER_TABLES.map(({ name }) => name);

  test('has every table of tenant data, or says why not', () => {
    const tenant = tables.filter((table) => !GLOBAL_TABLES.has(table) || OF_ORGS.has(table));
    const listed = [...exported, ...Object.keys(LEFT_OUT_TABLES)];
    expect(listed.toSorted()).toEqual(tenant.toSorted());
  });

  test('inserts nothing before what it points to', async () => {
    const { rows } = await database.pool.query<{ table: string; target: string }>(
      `select conrelid::regclass::text as table, confrelid::regclass::text as target from pg_constraint
       where contype = 'f' and connamespace = 'public'::regnamespace`,
    );
    const early = rows.filter(({ table, target }) => {
      if (!exported.includes(table) || table === target) return false;
      return !exported.includes(target) || exported.indexOf(target) > exported.indexOf(table);
    });
    expect(early).toEqual([]);
  });

  test('knows every column that is sealed for this installation', async () => {
    const { rows } = await database.pool.query<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relname = any($1) and a.attname like 'sealed%' and c.relnamespace = 'public'::regnamespace`,
      [exported],
    );
    const known = TRANSFER_TABLES.flatMap(({ name, sealed }) =>
      sealed === undefined ? [] : [`${name}.${sealed.column}`],
    );
    expect(rows.map(({ column, table }) => `${table}.${column}`).toSorted()).toEqual(known.toSorted());
  });
});
