import { byText } from './markdown.ts';

export type Query = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  generated: boolean;
}

/** The TypeScript types of the values that our pools return, by PostgreSQL type. */
const TYPES: Readonly<Record<string, string>> = {
  text: 'string',
  varchar: 'string',
  bpchar: 'string',
  uuid: 'string',
  inet: 'string',
  cidr: 'string',
  interval: 'string',
  numeric: 'string',
  xid8: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  bool: 'boolean',
  timestamptz: 'Date',
  date: 'Date',
  jsonb: 'unknown',
  json: 'unknown',
  bytea: 'Buffer',
};

// Partitions are left out, because they are read through their parent tables.
const COLUMNS = `
  select c.relname as table_name, a.attname as column_name, t.typname as type_name,
         a.attnotnull as not_null, a.atthasdef or a.attidentity <> '' as generated
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where n.nspname = 'public' and c.relkind in ('r', 'p', 'v') and not c.relispartition
    and c.relname <> 'schema_migrations'
  order by c.relname collate "C", a.attnum`;

function typeOf(column: Column): string {
  const isArray = column.type.startsWith('_');
  const base = TYPES[isArray ? column.type.slice(1) : column.type];
  if (base === undefined) {
    throw new Error(`${column.table}.${column.name}: no TypeScript type is known for ${column.type}`);
  }
  const plain = isArray ? `${base}[]` : base;
  const nullable = column.nullable && plain !== 'unknown' ? `${plain} | null` : plain;
  return column.generated ? `Generated<${nullable}>` : nullable;
}

const interfaceName = (tableName: string): string =>
  tableName
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function readColumn(row: Readonly<Record<string, unknown>>): Column {
  return {
    table: String(row['table_name']),
    name: String(row['column_name']),
    type: String(row['type_name']),
    nullable: row['not_null'] !== true,
    generated: row['generated'] === true,
  };
}

export async function generateSchema(query: Query): Promise<string> {
  const columns = (await query(COLUMNS)).map(readColumn);
  if (columns.length === 0) throw new Error('the database has no tables');
  const tables = [...new Set(columns.map((column) => column.table))].sort(byText);
  const interfaces = tables.map((name) => {
    const lines = columns.filter((column) => column.table === name).map((one) => `  ${one.name}: ${typeOf(one)};`);
    return [`export interface ${interfaceName(name)} {`, ...lines, '}'].join('\n');
  });
  const database = ['export interface DB {', ...tables.map((name) => `  ${name}: ${interfaceName(name)};`), '}'];
  const needsGenerated = columns.some((column) => column.generated);
  const head = needsGenerated ? ["import type { Generated } from 'kysely';"] : [];
  return `${[...head, ...interfaces, database.join('\n')].join('\n\n')}\n`;
}

const FOREIGN_KEYS = `
  select c.conname as name, p.relname as parent
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid and not t.relispartition
  join pg_class p on p.oid = c.confrelid
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace
  order by c.conname collate "C"`;

export async function generateForeignKeys(query: Query): Promise<string> {
  const rows = await query(FOREIGN_KEYS);
  const lines = rows.map((row) => `  ${String(row['name'])}: '${String(row['parent'])}',`);
  const head = '/** The foreign keys of the migrated schema, by name, each with the table that it points at. */';
  const type = 'export type ParentTable = (typeof FOREIGN_KEYS)[keyof typeof FOREIGN_KEYS];';
  return `${[head, 'export const FOREIGN_KEYS = {', ...lines, '} as const;', '', type].join('\n')}\n`;
}
