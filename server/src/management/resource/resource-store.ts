import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import {
  type Columns,
  type Db,
  keysetRows,
  prepared,
  type RowStatement,
  type Tx,
} from '../../platform/postgres/index.ts';

/** The SQL statements for a table of resources. `Key` lists the ids that follow the org in the table's primary key. */
export interface ResourceStore<Row, Key extends readonly string[] = [id: string]> {
  readonly table: string;
  readonly find: (db: Db, orgId: OrgId, ...key: Key) => Promise<Row | undefined>;
  readonly findForUpdate: (tx: Tx, orgId: OrgId, ...key: Key) => Promise<Row | undefined>;
  readonly count: (tx: Tx, orgId: OrgId, maximum: number) => Promise<number>;
  readonly insert: (tx: Tx, orgId: OrgId, row: Row) => Promise<void>;
  /** Writes the columns that may change, and raises the revision. */
  readonly update: (tx: Tx, orgId: OrgId, row: Row) => Promise<void>;
  readonly remove: (tx: Tx, orgId: OrgId, ...key: Key) => Promise<void>;
  readonly readPage: (
    db: Db,
    orgId: OrgId,
    conditions: readonly RawBuilder<unknown>[],
    request: KeysetRequest<string | number>,
    order?: string,
  ) => Promise<Row[]>;
}

/**
 * Builds the statements for a table from its columns. The names of prepared statements begin with `name`, so no other
 * store may use it.
 */
export function resourceStore<Row, Key extends readonly string[] = [id: string]>(
  name: string,
  columns: Columns<Row>,
  update: RowStatement<Row> = columns.update(),
): ResourceStore<Row, Key> {
  const { isKey, table } = columns;
  const select = `select ${columns.select()} from ${table}`;
  const insert = columns.insert();
  return {
    table,
    find: async (db, orgId, ...key) => {
      const [row] = await prepared<Row>(db, `${name}_by_id`, `${select} where ${isKey}`, [orgId, ...key]);
      return row;
    },
    findForUpdate: async (tx, orgId, ...key) => {
      const text = `${select} where ${isKey} for update`;
      const [row] = await prepared<Row>(tx, `${name}_for_update`, text, [orgId, ...key]);
      return row;
    },
    count: async (tx, orgId, maximum) => {
      const text = `select count(*)::int as count from (select 1 from ${table} where org_id = $1 limit $2) t`;
      const [row] = await prepared<{ count: number }>(tx, `${name}_count`, text, [orgId, maximum]);
      return row?.count ?? 0;
    },
    insert: async (tx, orgId, row) => {
      await prepared(tx, `${name}_insert`, insert.text, insert.values(orgId, row));
    },
    update: async (tx, orgId, row) => {
      await prepared(tx, `${name}_update`, update.text, update.values(orgId, row));
    },
    remove: async (tx, orgId, ...key) => {
      await prepared(tx, `${name}_delete`, `delete from ${table} where ${isKey}`, [orgId, ...key]);
    },
    readPage: (db, orgId, conditions, request, order = 'id') => {
      const all = sql.join([sql`org_id = ${orgId}`, ...conditions], sql` and `);
      return keysetRows(db, sql`${sql.raw(select)} where ${all}`, order, request);
    },
  };
}
