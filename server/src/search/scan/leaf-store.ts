import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, type CheckedLeaf, columnLeaf, escapeLike, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { comparesExactly } from '../plan.ts';
import type { SearchedTable } from '../searched-table.ts';
import { isPoint, type KeyRange, rangeOf } from './key-range.ts';

/** `alias` is the alias of the index. */
export const keyCondition = (keyRange: KeyRange, alias: string): RawBuilder<boolean> => {
  const key = sql.ref(`${alias}.value_key`);
  const parts = [sql<boolean>`${sql.ref(`${alias}.attribute_id`)} = ${keyRange.attributeId}`];
  if (keyRange.from !== null && keyRange.from === keyRange.to && keyRange.fromInclusive && keyRange.toInclusive) {
    parts.push(sql`${key} = ${keyRange.from}`);
    return sql<boolean>`${sql.join(parts, sql` and `)}`;
  }
  if (keyRange.from !== null) {
    parts.push(keyRange.fromInclusive ? sql`${key} >= ${keyRange.from}` : sql`${key} > ${keyRange.from}`);
  }
  if (keyRange.to !== null) {
    parts.push(keyRange.toInclusive ? sql`${key} <= ${keyRange.to}` : sql`${key} < ${keyRange.to}`);
  }
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
};

function storedText(table: SearchedTable, name: string): RawBuilder<unknown> {
  const text = Object.hasOwn(table.texts, name) ? table.texts[name] : undefined;
  if (text === undefined) throw new Error(`no column holds ${name} as it is stored`);
  return sql.raw(text);
}

const exactly = (table: SearchedTable, leaf: CheckedLeaf): RawBuilder<unknown> =>
  comparesExactly(leaf) && leaf.op !== 'pr' ? sql` and ${storedText(table, leaf.field.name)} = ${leaf.value}` : sql``;

/** Without `offset 0`, the planner might read the whole range instead of the values of one row. */
function probeSql(
  table: SearchedTable,
  orgId: OrgId,
  id: RawBuilder<unknown>,
  keyRange: KeyRange,
): RawBuilder<unknown> {
  const index = sql.raw(table.index);
  const owner = sql.raw(`v.${table.ownerColumn}`);
  const ofRow = sql`v.org_id = ${orgId} and ${owner} = ${id} and v.attribute_id = ${keyRange.attributeId}`;
  if (isPoint(keyRange)) return sql`from ${index} v where ${ofRow} and ${keyCondition(keyRange, 'v')}`;
  return sql`from (select v.attribute_id, v.value_key from ${index} v where ${ofRow} offset 0) v
    where ${keyCondition(keyRange, 'v')}`;
}

/** Leaves whose matching ids are all read first. The set compares leaves by object identity. */
export type Hashed = ReadonlySet<CheckedExpression>;

/** The maximum number of ids that one leaf may read into a hash table. */
export const MAXIMUM_HASHED = 50_000;

/** The limit makes the planner read the range into a hash table once. */
function hashedSql(
  table: SearchedTable,
  orgId: OrgId,
  id: RawBuilder<unknown>,
  keyRange: KeyRange,
): RawBuilder<boolean> {
  const owner = sql.raw(`v.${table.ownerColumn}`);
  return sql<boolean>`${id} in (select ${owner} from ${sql.raw(table.index)} v
    where v.org_id = ${orgId} and ${keyCondition(keyRange, 'v')} limit ${2 * MAXIMUM_HASHED})`;
}

/** Returns a function that compiles a leaf for the row with the given `id`, usually to a probe of the index. */
function leafSql(
  table: SearchedTable,
  orgId: OrgId,
  id: RawBuilder<unknown>,
  hashed: Hashed | undefined,
): (leaf: CheckedLeaf) => RawBuilder<boolean> {
  return (leaf) => {
    if (leaf.field.name === 'id') return columnLeaf(leaf, { value: id });
    if (leaf.op === 'co') {
      return sql<boolean>`${storedText(table, leaf.field.name)} like ${`%${escapeLike(leaf.value)}%`}`;
    }
    const keyRange = rangeOf(table, leaf);
    if (keyRange === null) throw new Error(`no index serves ${leaf.op} on ${leaf.field.name}`);
    if (hashed?.has(leaf) && !comparesExactly(leaf)) return hashedSql(table, orgId, id, keyRange);
    return sql<boolean>`exists (select ${probeSql(table, orgId, id, keyRange)}${exactly(table, leaf)} offset 0)`;
  };
}

/**
 * Compiles a condition for a WHERE clause, which treats null as false. Column comparisons outside of `not` have no
 * `coalesce`, so that indexes can serve them. Probes have one, because the planner would otherwise turn them into joins
 * that read all values of an attribute.
 */
export function whereSql(
  table: SearchedTable,
  orgId: OrgId,
  expression: CheckedExpression,
  id: RawBuilder<unknown>,
  hashed?: Hashed,
): RawBuilder<boolean> {
  const leaf = leafSql(table, orgId, id, hashed);
  const scan = (part: CheckedExpression): RawBuilder<boolean> => {
    if (part.op === 'and' || part.op === 'or') {
      return sql<boolean>`(${sql.join(part.operands.map(scan), part.op === 'and' ? sql` and ` : sql` or `)})`;
    }
    const comparesColumns = part.op !== 'not' && (part.field.name === 'id' || part.op === 'co');
    return comparesColumns ? leaf(part) : toSql(part, leaf);
  };
  return scan(expression);
}
