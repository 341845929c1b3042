import type { TestOrg, TestService } from '../support/service.ts';

/** Tables that may change in the background or with any request, even one that only reads. */
const VOLATILE = /^(log_|rate_limit_counts$|idempotency_keys$|jobs$|sign_in_attempts$|mail_outbox$)/;

const TABLES = `select table_name as name from information_schema.columns c join information_schema.tables t
    using (table_schema, table_name)
  where c.table_schema = 'public' and c.column_name = 'org_id' and t.table_type = 'BASE TABLE' order by 1`;

const digestOf = (table: string): string =>
  `select '${table}' as name, md5(coalesce(string_agg(row, ',' order by row), '')) as digest, count(*) as count
   from (select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t where org_id = $1) r`;

let text = '';

/**
 * Returns digests of an org's rows in the tables that are not volatile. Leaves out the column `last_used_at`, which
 * requests that only read may change.
 */
export async function stateOf({ database }: TestService, one: TestOrg): Promise<unknown> {
  if (text === '') {
    const { rows: tables } = await database.pool.query<{ name: string }>(TABLES);
    const kept = tables.filter(({ name }) => !VOLATILE.test(name));
    text = kept.map(({ name }) => digestOf(name)).join(' union all ');
  }
  // The query runs often, so it is one named statement, which each connection parses only once.
  return (await database.pool.query({ name: 'state of an org', text, values: [one.id] })).rows;
}
