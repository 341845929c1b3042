import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, type CheckedLeaf, columnLeaf, type Field, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { foldWord, wordToken } from '../rendering/terms/search-terms.ts';
import { fieldPath, LOG_FIELDS } from './query-fields.ts';
import type { LogQuery } from './query-parameters.ts';
import { type Recheck, recheckOf } from './query-recheck.ts';
import { INDEXED_COLUMNS, isEquality, termOf } from './query-terms.ts';

/** The columns that store attributes, in the form that filters compare. */
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

/** Attributes whose values usually occur in few events, which are all read and then sorted. */
const NAMES_OF_FEW: ReadonlySet<string> = new Set(['uuid', 'transaction.id', 'debugContext.debugData.requestId']);

export interface Sieve {
  /** Conditions that indexes serve, and conditions that SQL decides without a recheck. */
  readonly conditions: readonly RawBuilder<boolean>[];
  /**
   * The `conditions` plus the filter parts that `recheck` examines. They are used once most events fail the recheck.
   */
  readonly exactConditions: readonly RawBuilder<boolean>[];
  /** A check for every event that `conditions` select. It is null if `conditions` are exact. */
  readonly recheck: Recheck | null;
  /**
   * The way an index finds the events: `ordered` by `published`, `unordered`, or only a `few` (unsorted). `none` means
   * that no index finds them.
   */
  readonly index: 'none' | 'ordered' | 'unordered' | 'few';
  readonly indexed: number;
}

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

/** Returns a condition that every event matching the leaf satisfies and that an index can serve. */
function indexedLeaf(orgId: OrgId, leaf: CheckedLeaf): RawBuilder<boolean> | null {
  if (isEquality(leaf) && INDEXED_COLUMNS.has(leaf.field.name)) {
    return sql<boolean>`${storedValue(leaf.field)} = ${leaf.value}::text`;
  }
  const token = termOf(orgId, leaf);
  return token === null ? null : hasToken(token);
}

/** Returns a condition that the filter implies and that indexes can serve. */
function narrowed(orgId: OrgId, expression: CheckedExpression): RawBuilder<boolean> | null {
  if (expression.op === 'not') return null;
  if (expression.op !== 'and' && expression.op !== 'or') return indexedLeaf(orgId, expression);
  const operands = expression.operands.map((operand) => narrowed(orgId, operand));
  const known = operands.filter((operand) => operand !== null);
  if (known.length === 0 || (expression.op === 'or' && known.length < operands.length)) return null;
  return sql<boolean>`(${sql.join(known, expression.op === 'and' ? sql` and ` : sql` or `)})`;
}

const DEBUG_DATA = 'debugContext.debugData.';

/**
 * Returns a string that occurs in the stored text of each event matching a leaf. Members of open objects other than
 * debug data may be numbers, which the filter compares as text.
 */
function textOf(leaf: CheckedLeaf): string | null {
  const { caseInsensitive, name, type } = leaf.field;
  const isKnown = LOG_FIELDS.fields.has(name) || name.startsWith(DEBUG_DATA);
  if (!isKnown || caseInsensitive?.includes(leaf.op) === true) return null;
  const key = `${JSON.stringify(fieldPath(leaf.field).path.at(-1))}:`;
  if (leaf.op === 'pr') return type === 'string' ? `${key}"` : null;
  const value = JSON.stringify(leaf.value);
  if (leaf.op === 'eq') return key + value;
  if (type !== 'string') return null;
  if (leaf.op === 'sw') return key + value.slice(0, -1);
  if (leaf.op === 'ew') return value.slice(1);
  return leaf.op === 'co' ? value.slice(1, -1) : `${key}"`;
}

/** Compiles a leaf over a column. For an array column, `eq` is one comparison instead of one per element. */
const columnSql = (leaf: CheckedLeaf): RawBuilder<boolean> =>
  isEquality(leaf) && leaf.field.array === true
    ? sql<boolean>`${storedValue(leaf.field)} @> array[${leaf.value}]::text[]`
    : columnLeaf(leaf, { value: storedValue(leaf.field) });

/** The search term and `strpos` only narrow the candidates, and cost less than parsing the body. */
function leafSql(orgId: OrgId, leaf: CheckedLeaf): RawBuilder<boolean> {
  if (COLUMNS.has(leaf.field.name)) return columnSql(leaf);
  const exact = columnLeaf(leaf, { value: storedValue(leaf.field) });
  const indexed = indexedLeaf(orgId, leaf);
  const text = textOf(leaf);
  const looks = [
    ...(indexed === null ? [] : [indexed]),
    ...(text === null ? [] : [sql<boolean>`strpos(body, ${text}) > 0`]),
  ];
  // `case` ensures that the cheap checks come first. The planner could change the order of an `and`.
  if (looks.length === 0) return exact;
  return sql<boolean>`case when ${sql.join(looks, sql` and `)} then ${exact} else false end`;
}

const leavesOf = (expression: CheckedExpression): readonly CheckedLeaf[] | null => {
  if (expression.op === 'not') return null;
  if (expression.op !== 'and' && expression.op !== 'or') return [expression];
  const leaves = expression.operands.map(leavesOf);
  return leaves.some((some) => some === null) ? null : leaves.flatMap((some) => some ?? []);
};

const conjuncts = (expression: CheckedExpression): readonly CheckedExpression[] =>
  expression.op === 'and' ? expression.operands.flatMap(conjuncts) : [expression];

interface Part {
  readonly conditions: readonly RawBuilder<boolean>[];
  readonly exact: RawBuilder<boolean> | null;
  /** The expression that `recheck` must examine. It is null if `conditions` decide it. */
  readonly rechecked: CheckedExpression | null;
  readonly index: Sieve['index'];
}

function indexOf(narrowing: RawBuilder<boolean> | null, leaves: readonly CheckedLeaf[] | null): Sieve['index'] {
  if (narrowing === null) return 'none';
  const [leaf] = leaves ?? [];
  if (leaf === undefined || leaves?.length !== 1 || !isEquality(leaf)) return 'unordered';
  if (INDEXED_COLUMNS.has(leaf.field.name)) return 'ordered';
  return NAMES_OF_FEW.has(leaf.field.name) ? 'few' : 'unordered';
}

/**
 * Wraps a condition that its search term implies, except for hash collisions. The planner assumes that `is not null` is
 * nearly always true, so the condition does not lower the estimated number of events a second time.
 */
const implied = (condition: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`nullif(${condition}, false) is not null`;

/** Compiles one operand of a filter whose operands must all be true. */
function partOf(orgId: OrgId, expression: CheckedExpression): Part {
  const narrowing = narrowed(orgId, expression);
  const leaves = leavesOf(expression);
  const index = indexOf(narrowing, leaves);
  const exact = toSql(expression, (leaf) => leafSql(orgId, leaf));
  const narrowings = narrowing === null ? [] : [narrowing];
  if (index === 'ordered') return { conditions: narrowings, exact: null, rechecked: null, index };
  // Comparing columns in SQL is faster than sending a row. SQL also evaluates an expression if one of its branches has
  // no search term, because a recheck would have to examine too many rows.
  const isOfColumns = leaves?.every((leaf) => COLUMNS.has(leaf.field.name)) === true;
  const isOfEquality = leaves?.every((leaf) => isEquality(leaf) || leaf.op === 'pr') === true;
  const isOfTokens = isOfEquality && leaves.every((leaf) => indexedLeaf(orgId, leaf) !== null);
  if (isOfColumns) {
    const columns = isOfTokens ? implied(exact) : exact;
    return { conditions: [...narrowings, columns], exact: null, rechecked: null, index };
  }
  // A single comparison has no search term if it concerns the empty string, or an attribute or a value that nearly
  // every event has.
  const isCommon = isOfEquality && leaves?.length === 1 && narrowing === null;
  if (isOfTokens || isCommon) return { conditions: narrowings, exact, rechecked: expression, index };
  return { conditions: [...narrowings, exact], exact: null, rechecked: null, index };
}

const BEST_INDEXES = ['few', 'unordered', 'ordered', 'none'] as const;

export function sieveOf(orgId: OrgId, { filter, keywords }: LogQuery): Sieve {
  const parts = filter === null ? [] : conjuncts(filter).map((expression) => partOf(orgId, expression));
  const words = keywords.map((keyword) => hasToken(wordToken(orgId, foldWord(keyword))));
  const conditions = [...words, ...parts.flatMap((part) => part.conditions)];
  const rechecked = parts.map((part) => part.rechecked).filter((expression) => expression !== null);
  const indexes: readonly Sieve['index'][] = [
    ...parts.map((part) => part.index),
    ...(words.length > 0 ? (['unordered'] as const) : []),
  ];
  return {
    conditions,
    exactConditions: [...conditions, ...parts.map((part) => part.exact).filter((exact) => exact !== null)],
    recheck: recheckOf(keywords, rechecked),
    index: BEST_INDEXES.find((index) => indexes.includes(index)) ?? 'none',
    indexed: indexes.filter((index) => index !== 'none').length + Math.max(0, words.length - 1),
  };
}
