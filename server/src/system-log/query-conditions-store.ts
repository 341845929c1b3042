import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, type CheckedLeaf, columnLeaf, type Field, toSql } from '../filter/index.ts';
import type { OrgId } from '../kernel/ids.ts';
import { keywordPattern } from './keyword-pattern.ts';
import { fieldPath } from './query-fields.ts';
import type { LogQuery } from './query-parameters.ts';
import { foldWord, hasPairToken, hasPresenceToken, pairToken, presenceToken, wordToken } from './tokens.ts';

/** Attributes with a column of their own, as the filter's stored form. */
const COLUMNS: ReadonlyMap<string, RawBuilder<unknown>> = new Map<string, RawBuilder<unknown>>([
  ['uuid', sql`uuid::text`],
  ['eventType', sql`event_type`],
  ['severity', sql`severity`],
  ['actor.id', sql`actor_id`],
  ['target.id', sql`target_ids`],
  ['outcome.result', sql`outcome_result`],
  ['client.ipAddress', sql`client_ip_address`],
  ['transaction.id', sql`transaction_id`],
]);

function storedValue(field: Field): RawBuilder<unknown> {
  const column = COLUMNS.get(field.name);
  if (column !== undefined) return column;
  const { array, path } = fieldPath(field);
  if (array !== null) {
    return sql`(select array_agg(element.value #>> ${[...path]}::text[])
      from jsonb_path_query(body::jsonb, ${`$.${array.join('.')}[*]`}::jsonpath) as element(value))`;
  }
  const text = sql`(body::jsonb #>> ${[...path]}::text[])`;
  if (field.type === 'string') return text;
  const type = field.type === 'number' ? sql`double precision` : sql`boolean`;
  return sql`(case when jsonb_typeof(body::jsonb #> ${[...path]}::text[]) = ${field.type} then ${text}::${type} end)`;
}

const hasToken = (token: number): RawBuilder<boolean> => sql<boolean>`tokens @> array[${token}]::integer[]`;

/** Columns behind an index of their own; `eq` on them needs no token. */
const INDEXED_COLUMNS: ReadonlySet<string> = new Set(['eventType', 'actor.id']);

/** What an index can answer of a leaf: a superset of its events. Null when no index helps. */
function indexedLeaf(orgId: OrgId, leaf: CheckedLeaf): RawBuilder<boolean> | null {
  const { name } = leaf.field;
  if (leaf.op === 'eq' && INDEXED_COLUMNS.has(name))
    return sql<boolean>`${storedValue(leaf.field)} = ${leaf.value}::text`;
  if (leaf.op === 'eq' && hasPairToken(name)) return hasToken(pairToken(orgId, name, String(leaf.value)));
  return hasPresenceToken(name) && !COLUMNS.has(name) ? hasToken(presenceToken(orgId, name)) : null;
}

/**
 * What must hold wherever the filter holds, in a form that indexes know: the filter itself is made of `coalesce`, which
 * none can use. Null when nothing narrows it (under `not`, or an `or` with a branch that no index helps).
 */
function narrowed(orgId: OrgId, expression: CheckedExpression): RawBuilder<boolean> | null {
  if (expression.op === 'not') return null;
  if (expression.op !== 'and' && expression.op !== 'or') return indexedLeaf(orgId, expression);
  const operands = expression.operands.map((operand) => narrowed(orgId, operand));
  const known = operands.filter((operand) => operand !== null);
  if (known.length === 0 || (expression.op === 'or' && known.length < operands.length)) return null;
  return sql<boolean>`(${sql.join(known, expression.op === 'and' ? sql` and ` : sql` or `)})`;
}

/** Inside `not` and `or` the token comes first too: it is cheaper than reading the body. */
function leafSql(orgId: OrgId, leaf: CheckedLeaf): RawBuilder<boolean> {
  // Tokens only narrow: they are hashes, so the stored value decides.
  const exact = columnLeaf(leaf, { value: storedValue(leaf.field) });
  const cheap = COLUMNS.has(leaf.field.name) ? null : indexedLeaf(orgId, leaf);
  return cheap === null ? exact : sql<boolean>`(${cheap} and ${exact})`;
}

/** `coalesce` keeps the planner from taking the recheck for a narrow condition, and thus from sorting all matches. */
function keywordSql(orgId: OrgId, keyword: string): RawBuilder<boolean> {
  const folded = foldWord(keyword);
  return sql<boolean>`${hasToken(wordToken(orgId, folded))} and coalesce(body ~ ${keywordPattern(folded)}, false)`;
}

/** Conditions of `filter` and `q`, to be joined by `and`. */
export function conditions(orgId: OrgId, query: LogQuery): RawBuilder<boolean>[] {
  const all = query.keywords.map((keyword) => keywordSql(orgId, keyword));
  if (query.filter === null) return all;
  const narrowing = narrowed(orgId, query.filter);
  if (narrowing !== null) all.push(narrowing);
  all.push(toSql(query.filter, (leaf) => leafSql(orgId, leaf)));
  return all;
}
