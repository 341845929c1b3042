import type { CheckedExpression, CheckedLeaf } from '../../filter/index.ts';
import { apiError } from '../../kernel/errors.ts';
import { valueKey } from '../../kernel/text.ts';
import { dateKey, MAXIMUM_KEY_CHARACTERS, textKey } from './attribute-values.ts';
import { attributeIdOf } from './search-fields.ts';

/** A stretch of the search index: one attribute, keys from `from` on and before (or up to) `to`. */
export interface KeyRange {
  readonly attributeId: number;
  readonly from: string | null;
  readonly fromInclusive: boolean;
  readonly to: string | null;
  readonly toInclusive: boolean;
}

/** The greatest code point: no stored key has a character after it. */
const LAST = '\u{10ffff}';

const range = (attributeId: number, bounds: Partial<Omit<KeyRange, 'attributeId'>>): KeyRange => ({
  attributeId,
  from: null,
  fromInclusive: true,
  to: null,
  toInclusive: true,
  ...bounds,
});

/** All keys that begin with a prefix, which is a key itself. */
export const startingWith = (attributeId: number, prefix: string): KeyRange =>
  range(attributeId, { from: prefix, to: prefix + LAST });

const keyOf = (value: unknown): string => (value instanceof Date ? dateKey(value) : textKey(String(value)));

/** The index range that holds exactly a leaf's matches; null when the index does not serve it (`co`, `ne`, the id). */
export function rangeOf(leaf: CheckedLeaf): KeyRange | null {
  const attributeId = attributeIdOf(leaf.field.name);
  if (attributeId === null) return null;
  switch (leaf.op) {
    case 'pr':
      return range(attributeId, {});
    case 'eq':
      return range(attributeId, { from: keyOf(leaf.value), to: keyOf(leaf.value) });
    case 'sw': {
      const prefix = valueKey(String(leaf.value));
      if (prefix.length <= MAXIMUM_KEY_CHARACTERS) return startingWith(attributeId, prefix);
      const limit = `sw takes at most ${MAXIMUM_KEY_CHARACTERS} characters`;
      throw apiError('E0000053', { detail: `Invalid filter value for field ${leaf.field.name}: ${limit}` });
    }
    case 'gt':
      return range(attributeId, { from: keyOf(leaf.value), fromInclusive: false });
    case 'ge':
      return range(attributeId, { from: keyOf(leaf.value) });
    case 'lt':
      return range(attributeId, { to: keyOf(leaf.value), toInclusive: false });
    case 'le':
      return range(attributeId, { to: keyOf(leaf.value) });
    case 'ne':
    case 'ew':
    case 'co':
      break;
  }
  return null;
}

/** True when all matches share one key, so that the index hands them out in id order. */
export const isPoint = (keyRange: KeyRange): boolean => keyRange.from !== null && keyRange.from === keyRange.to;

/** What can drive a search: a range, or the union of several. */
export interface Driver {
  readonly ranges: readonly KeyRange[];
}

function driverOf(operand: CheckedExpression): Driver | null {
  if (operand.op === 'not' || operand.op === 'and') return null;
  if (operand.op !== 'or') {
    const own = rangeOf(operand);
    return own === null ? null : { ranges: [own] };
  }
  const ranges = operand.operands.map((part) => driverOf(part)?.ranges ?? null);
  return ranges.includes(null) ? null : { ranges: ranges.flatMap((part) => part ?? []) };
}

/** Conjuncts any of which may drive the search: every match lies in each of them. */
export function driversOf(expression: CheckedExpression): Driver[] {
  const conjuncts = expression.op === 'and' ? expression.operands : [expression];
  return conjuncts.flatMap((conjunct) => {
    if (conjunct.op === 'and') return driversOf(conjunct);
    const driver = driverOf(conjunct);
    return driver === null ? [] : [driver];
  });
}
