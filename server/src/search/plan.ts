import type { CheckedExpression, CheckedLeaf } from '../filter/index.ts';
import {
  handsOutOnce,
  intersection,
  isEmptyRange,
  isPoint,
  type KeyRange,
  outside,
  rangeOf,
} from './scan/key-range.ts';
import type { SearchedTable } from './searched-table.ts';

/**
 * A way to find the matches of a branch. All matches lie in the range. A row of the range matches if it satisfies
 * `rest`, or if `rest` is null.
 */
export interface Candidate {
  readonly range: KeyRange;
  readonly rest: CheckedExpression | null;
}

export interface Branch {
  readonly expression: CheckedExpression;
  /** A branch has at least one candidate. */
  readonly candidates: readonly Candidate[];
}

/**
 * One conjunct, or several on one attribute, whose matches all lie in index ranges. A search can start with these
 * ranges.
 */
export interface Driver {
  readonly branches: readonly Branch[];
  /**
   * The conjuncts that are not part of the driver. Null means that there are none, or that the candidates' `rest`
   * contains them.
   */
  readonly others: CheckedExpression | null;
}

export interface Route extends Candidate {
  readonly expression: CheckedExpression;
}

export const isLeaf = (expression: CheckedExpression): expression is CheckedLeaf =>
  expression.op !== 'and' && expression.op !== 'or' && expression.op !== 'not';

/** Combines conditions with `and`. Null means true: it is ignored among conditions, and returned if there are none. */
export function allOf(given: readonly (CheckedExpression | null)[]): CheckedExpression | null {
  const operands = given.filter((operand) => operand !== null);
  return operands.length > 1 ? { op: 'and', operands } : (operands[0] ?? null);
}

export function noneOf(expressions: readonly CheckedExpression[]): CheckedExpression | null {
  return allOf(expressions.map((operand) => ({ op: 'not', operand })));
}

/** Tests whether a condition compares values exactly. The case-folded index then also finds rows that do not match. */
export const comparesExactly = (leaf: CheckedLeaf): boolean =>
  leaf.op === 'eq' && leaf.field.type === 'string' && leaf.field.caseInsensitive === undefined;

/** Tests whether a condition must read the row itself, because the index of values alone cannot decide it. */
export function readsRow(expression: CheckedExpression): boolean {
  if (expression.op === 'not') return readsRow(expression.operand);
  if (expression.op === 'and' || expression.op === 'or') return expression.operands.some(readsRow);
  return expression.op === 'co' || (expression.field.name !== 'id' && comparesExactly(expression));
}

function distinct(operands: readonly CheckedExpression[]): readonly CheckedExpression[] {
  return [...new Map(operands.map((operand) => [JSON.stringify(operand), operand])).values()];
}

/**
 * Moves every `not` to the leaves, flattens nested `and` and `or`, and removes duplicate operands. This is safe because
 * a leaf is either true or false, never null.
 */
export function normal(expression: CheckedExpression, negated = false): CheckedExpression {
  if (expression.op === 'not') return normal(expression.operand, !negated);
  if (expression.op !== 'and' && expression.op !== 'or')
    return negated ? { op: 'not', operand: expression } : expression;
  const op = (expression.op === 'and') === negated ? 'or' : 'and';
  const operands = expression.operands.map((operand) => normal(operand, negated));
  const flat = distinct(operands.flatMap((operand) => (operand.op === op ? operand.operands : [operand])));
  return flat.length === 1 && flat[0] !== undefined ? flat[0] : { op, operands: flat };
}

/**
 * Returns ranges that contain all matches of a condition, or null if no ranges are possible. The ranges of exact
 * comparisons may also contain other rows, because the index folds case.
 */
function rangesOf(table: SearchedTable, condition: CheckedExpression): readonly KeyRange[] | null {
  if (isLeaf(condition)) {
    const own = rangeOf(table, condition);
    return own === null ? null : [own];
  }
  if (condition.op !== 'not' || !isLeaf(condition.operand) || comparesExactly(condition.operand)) return null;
  const own = rangeOf(table, condition.operand);
  // A row that lacks the attribute matches a `not`, although the index has no key for the row.
  return own === null || own.multiple || !table.neverAbsent.has(own.attributeId) ? null : outside(own);
}

const kept = (condition: CheckedExpression): CheckedExpression | null =>
  isLeaf(condition) && comparesExactly(condition) ? condition : null;

export const conjunctsOf = (expression: CheckedExpression): readonly CheckedExpression[] =>
  expression.op === 'and' ? expression.operands : [expression];

interface Way extends Candidate {
  readonly expression: CheckedExpression;
}

/** Returns a way for each range that contains all matches. The ranges of a single-valued attribute are intersected. */
function waysOf(table: SearchedTable, conjuncts: readonly CheckedExpression[]): Way[] {
  const found: { range: KeyRange; indexes: Set<number> }[] = [];
  for (const [index, conjunct] of conjuncts.entries()) {
    const ranges = rangesOf(table, conjunct);
    const [range] = ranges ?? [];
    if (range === undefined || ranges?.length !== 1) continue;
    const same = range.multiple ? undefined : found.find((one) => one.range.attributeId === range.attributeId);
    if (same === undefined) found.push({ range, indexes: new Set([index]) });
    else {
      same.range = intersection(same.range, range);
      same.indexes.add(index);
    }
  }
  return found.flatMap(({ range, indexes }) => {
    const expression = allOf(conjuncts.filter((_, index) => indexes.has(index)));
    const rest = allOf(conjuncts.map((conjunct, index) => (indexes.has(index) ? kept(conjunct) : conjunct)));
    return expression === null ? [] : [{ expression, range, rest }];
  });
}

/**
 * Returns the branches of an `or` whose operands all have ranges, or of a conjunct with two ranges. Returns null for
 * any other conjunct.
 */
function branchesOf(table: SearchedTable, conjunct: CheckedExpression): readonly Branch[] | null {
  if (conjunct.op !== 'or') {
    const ranges = rangesOf(table, conjunct);
    if (ranges === null || ranges.length < 2) return null;
    return ranges.map((range) => ({ expression: conjunct, candidates: [{ range, rest: null }] }));
  }
  const branches = conjunct.operands.flatMap((operand): readonly Branch[] => {
    const candidates = waysOf(table, conjunctsOf(operand));
    if (candidates.length === 0) return branchesOf(table, operand) ?? [];
    const once = candidates.filter(({ range }) => handsOutOnce(range));
    return [{ expression: operand, candidates: once.length > 0 ? once : candidates }];
  });
  const served = new Set(branches.map(({ expression }) => expression));
  return conjunct.operands.every((operand) => served.has(operand)) ? branches : null;
}

/** Returns the drivers of a search. Each of them covers all matches of the search. */
export function driversOf(table: SearchedTable, expression: CheckedExpression): Driver[] {
  const conjuncts = conjunctsOf(normal(expression));
  const single = waysOf(table, conjuncts).map(
    (way): Driver => ({ branches: [{ expression: way.expression, candidates: [way] }], others: null }),
  );
  const unions = conjuncts.flatMap((conjunct, index): Driver[] => {
    const branches = branchesOf(table, conjunct);
    return branches === null ? [] : [{ branches, others: allOf(conjuncts.filter((_, other) => other !== index)) }];
  });
  return [...single, ...unions];
}

export function conditionOf({ branches }: Driver): CheckedExpression | null {
  const operands = [...new Set(branches.map(({ expression }) => expression))];
  return operands.length > 1 ? { op: 'or', operands } : (operands[0] ?? null);
}

/** Tests whether empty ranges show that nothing can match, for example because conjuncts contradict each other. */
export const isNever = (drivers: readonly Driver[]): boolean =>
  drivers.some(({ branches }) =>
    branches.every(({ candidates }) => candidates.some(({ range }) => isEmptyRange(range))),
  );

export const routesOf = ({ branches }: Driver, picks: readonly number[]): Route[] =>
  branches.flatMap(({ expression, candidates }, index) => {
    const candidate = candidates[picks[index] ?? 0] ?? candidates[0];
    return candidate === undefined ? [] : [{ ...candidate, expression }];
  });

/**
 * Encodes the chosen ways as a mixed-radix number in hexadecimal. The result is empty if every branch takes its first
 * way.
 */
export function packPicks({ branches }: Driver, picks: readonly number[]): string {
  const packed = branches.reduceRight(
    (number, { candidates }, index) => number * BigInt(candidates.length) + BigInt(picks[index] ?? 0),
    0n,
  );
  return packed === 0n ? '' : packed.toString(16);
}

export function unpackPicks({ branches }: Driver, packed: string): number[] {
  let rest = BigInt(`0x0${packed}`);
  return branches.map(({ candidates }) => {
    const ways = BigInt(candidates.length);
    const pick = Number(rest % ways);
    rest /= ways;
    return pick;
  });
}

const leavesIn = (expression: CheckedExpression): number => {
  if (expression.op === 'not') return leavesIn(expression.operand);
  if (expression.op !== 'and' && expression.op !== 'or') return 1;
  return expression.operands.reduce((sum, operand) => sum + leavesIn(operand), 0);
};

/** The maximum number of branches that may repeat the other conjuncts in a statement. */
const MAXIMUM_REPEATING = 10;
/** The maximum number of repeated conditions in a statement, added up over its branches. */
const MAXIMUM_REPEATED = 1_000;

/** Tests whether each branch can repeat the other conjuncts, which multiplies the size of the statement. */
export const canRepeatOthers = ({ branches, others }: Driver): boolean =>
  branches.length <= MAXIMUM_REPEATING && (others === null || branches.length * leavesIn(others) <= MAXIMUM_REPEATED);

const rangesIn = ({ branches }: Driver): readonly KeyRange[] =>
  branches.flatMap(({ candidates }) => candidates.map(({ range }) => range));

/** Tests whether the driver is one range that returns each of its rows only once. */
export const scansRange = (driver: Driver): boolean =>
  driver.branches.length === 1 && rangesIn(driver).every(handsOutOnce);

/** Tests whether each range returns each of its rows only once, so that the ranges can be walked one after another. */
export const scansChain = (driver: Driver): boolean => rangesIn(driver).every(handsOutOnce);

export const allPoints = (driver: Driver): boolean => rangesIn(driver).every(isPoint);
