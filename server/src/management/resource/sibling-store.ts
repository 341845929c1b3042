import type { OrgId } from '../../kernel/words/ids.ts';
import { run, type Tx } from '../../platform/postgres/index.ts';
import type { Shift } from './order-rules.ts';

/** The columns that siblings share in addition to the org, such as the id of their parent. */
type Parent = Readonly<Record<string, string>>;

const isSibling = (parent: Parent): string =>
  ['org_id', ...Object.keys(parent)].map((name, index) => `${name} = $${index + 1}`).join(' and ');

/** Counts the rows with the same parent. Needs the lock on the parent. */
export async function countSiblings(tx: Tx, orgId: OrgId, table: string, parent: Parent): Promise<number> {
  const text = `select count(*)::int as count from ${table} where ${isSibling(parent)}`;
  const [row] = await run<{ count: number }>(tx, text, [orgId, ...Object.values(parent)]);
  return row?.count ?? 0;
}

export async function shiftSiblings(
  tx: Tx,
  orgId: OrgId,
  table: string,
  parent: Parent,
  { by, from, to }: Shift,
): Promise<void> {
  const values = [orgId, ...Object.values(parent)];
  const [low, high, step] = [1, 2, 3].map((index) => `$${values.length + index}::integer`);
  const text = `update ${table} set priority = priority + ${step}, revision = revision + 1
    where ${isSibling(parent)} and priority between ${low} and ${high}`;
  await run(tx, text, [...values, from, to, by]);
}
