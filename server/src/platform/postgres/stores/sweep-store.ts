import type { Database, Db } from '../connections/database.ts';
import { run } from '../connections/statements.ts';

/** The rows of a table, in all orgs, that are no longer needed. */
export interface Outdated {
  readonly table: keyof Database;
  /** The primary key without `org_id`, as columns with their types. */
  readonly key: Readonly<Record<string, string>>;
  /** The condition under which a row is outdated. It compares a column with `$1`, a time. */
  readonly condition: string;
  /** The order in which rows are found, if the condition needs it to use its index. */
  readonly order?: string;
}

type FoundKeys = Readonly<Record<string, unknown>> & { readonly org_id: string };

/**
 * Deletes outdated rows of all orgs, at most `maximum`. Rows that a transaction has locked stay for the next sweep.
 * They are found in all orgs at once and deleted org by org, by their keys, so that only the finding has to look at
 * every shard of a Citus cluster. Returns true if there may be more that are not locked.
 */
export async function sweep(db: Db, outdated: Outdated, before: Date, maximum = 5_000): Promise<boolean> {
  const { condition, key, order, table } = outdated;
  const names = Object.keys(key);
  const found = await run<FoundKeys>(
    db,
    `select org_id, ${names.join(', ')} from ${table} where ${condition}
     ${order === undefined ? '' : `order by ${order}`} limit $2::integer`,
    [before, maximum],
  );
  const text = deletion(outdated);
  let deleted = 0;
  for (const [orgId, rows] of byOrg(found)) {
    const gone = await run(db, text, [before, orgId, ...names.map((name) => rows.map((row) => row[name]))]);
    deleted += gone.length;
  }
  return found.length >= maximum && deleted > 0;
}

/** Groups rows that were found in several orgs. */
export function byOrg<Row extends { readonly org_id: string }>(
  found: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const orgs = new Map<string, Row[]>();
  for (const row of found) {
    const rows = orgs.get(row.org_id);
    if (rows === undefined) orgs.set(row.org_id, [row]);
    else rows.push(row);
  }
  return orgs;
}

/** The arrays may name more rows than were found, but all that are deleted meet the condition. */
function deletion({ condition, key, table }: Outdated): string {
  const names = Object.keys(key);
  const isNamed = names.map((name, index) => `${name} = any ($${index + 3}::${key[name]}[])`).join(' and ');
  const last = names.at(-1);
  return `delete from ${table} where org_id = $2 and ${condition} and ${isNamed} and ${last} = any (array(
    select ${last} from ${table} where org_id = $2 and ${condition} and ${isNamed} for update skip locked))
    returning 1 as deleted`;
}
