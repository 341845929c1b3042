import type { CheckedLeaf } from '../../filter/index.ts';
import { apiError } from '../../kernel/errors/errors.ts';
import { valueKey } from '../../kernel/texts/text.ts';
import type { SearchedAttribute, SearchedTable } from '../searched-table.ts';
import { keyOf, MAXIMUM_KEY_CHARACTERS } from '../value-keys.ts';

/** A range of the search index: one attribute's keys between `from` and `to`. Null means that there is no bound. */
export interface KeyRange {
  readonly attributeId: number;
  readonly multiple: boolean;
  readonly from: string | null;
  readonly fromInclusive: boolean;
  readonly to: string | null;
  readonly toInclusive: boolean;
}

/** The greatest code point. No character of a stored key sorts after it. */
const LAST = '\u{10ffff}';

const range = (
  attribute: SearchedAttribute,
  bounds: Partial<Omit<KeyRange, 'attributeId' | 'multiple'>>,
): KeyRange => ({
  attributeId: attribute.id,
  multiple: attribute.multiple,
  from: null,
  fromInclusive: true,
  to: null,
  toInclusive: true,
  ...bounds,
});

export const wholeRange = (attribute: SearchedAttribute): KeyRange => range(attribute, {});

/** The prefix must be folded like a key (`valueKey`). */
export const startingWith = (attribute: SearchedAttribute, prefix: string): KeyRange =>
  range(attribute, { from: prefix, to: prefix + LAST });

/** Returns the range that contains a leaf's matches, or null if the index has no such range. */
export function rangeOf(table: SearchedTable, leaf: CheckedLeaf): KeyRange | null {
  const attribute = table.attributeOf(leaf.field.name);
  if (attribute === null) return null;
  switch (leaf.op) {
    case 'pr':
      return wholeRange(attribute);
    case 'eq':
      return range(attribute, { from: keyOf(leaf.value), to: keyOf(leaf.value) });
    case 'sw': {
      const prefix = valueKey(String(leaf.value));
      if (prefix.length <= MAXIMUM_KEY_CHARACTERS) return startingWith(attribute, prefix);
      const limit = `sw takes at most ${MAXIMUM_KEY_CHARACTERS} characters`;
      throw apiError('E0000053', { detail: `Invalid filter value for field ${leaf.field.name}: ${limit}` });
    }
    case 'gt':
      return range(attribute, { from: keyOf(leaf.value), fromInclusive: false });
    case 'ge':
      return range(attribute, { from: keyOf(leaf.value) });
    case 'lt':
      return range(attribute, { to: keyOf(leaf.value), toInclusive: false });
    case 'le':
      return range(attribute, { to: keyOf(leaf.value) });
    case 'ne':
    case 'ew':
    case 'co':
      break;
  }
  return null;
}

/** Tests whether a range has at most one key, so that the index returns its rows in id order. */
export const isPoint = (keyRange: KeyRange): boolean => keyRange.from !== null && keyRange.from === keyRange.to;

/** Tests whether the index returns each row of a range at most once. */
export const handsOutOnce = (keyRange: KeyRange): boolean => !keyRange.multiple || isPoint(keyRange);

/** Compares keys in the order of the "C" collation. */
const compareKeys = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

export function isEmptyRange({ from, fromInclusive, to, toInclusive }: KeyRange): boolean {
  if (from === null || to === null) return false;
  const order = compareKeys(from, to);
  return order > 0 || (order === 0 && !(fromInclusive && toInclusive));
}

/** Intersects two ranges of the same single-valued attribute. */
export function intersection(one: KeyRange, other: KeyRange): KeyRange {
  const later = (): boolean => {
    if (one.from === null || other.from === null) return other.from !== null;
    const order = compareKeys(other.from, one.from);
    return order > 0 || (order === 0 && !other.fromInclusive);
  };
  const earlier = (): boolean => {
    if (one.to === null || other.to === null) return other.to !== null;
    const order = compareKeys(other.to, one.to);
    return order < 0 || (order === 0 && !other.toInclusive);
  };
  const { from, fromInclusive } = later() ? other : one;
  const { to, toInclusive } = earlier() ? other : one;
  return { ...one, from, fromInclusive, to, toInclusive };
}

const NO_KEY = { from: '', fromInclusive: false, to: '', toInclusive: false } as const;

/** Returns the ranges below and above a range, or one empty range if it has no bounds. */
export function outside(keyRange: KeyRange): KeyRange[] {
  const whole = wholeRange({ id: keyRange.attributeId, multiple: keyRange.multiple });
  const { from, fromInclusive, to, toInclusive } = keyRange;
  if (from === null && to === null) return [{ ...whole, ...NO_KEY }];
  return [
    ...(from === null ? [] : [{ ...whole, to: from, toInclusive: !fromInclusive }]),
    ...(to === null ? [] : [{ ...whole, from: to, fromInclusive: !toInclusive }]),
  ];
}
