/** A point in time with the zone in which it is printed: `UTC`, an offset such as `+02:00`, or an IANA name. */
export interface Instant {
  readonly epochMilliseconds: number;
  readonly zone: string;
}

/** The result of an expression. An absent attribute is null. */
export type Value = string | number | boolean | null | Instant | readonly Value[];

export type ScalarKind = 'string' | 'integer' | 'number' | 'boolean' | 'instant' | 'null' | 'any';

/** The type of a value of kind `any` is known only at evaluation. */
export interface ScalarType {
  readonly kind: ScalarKind;
}

export interface ArrayType {
  readonly kind: 'array';
  readonly element: ValueType;
}

export type ValueType = ScalarType | ArrayType;

/** An attribute or object that an expression can name. `at` is its path in the data, if it differs from the name. */
export interface Member {
  readonly type: ValueType | ObjectType;
  readonly at?: readonly string[];
}

export interface ObjectType {
  readonly kind: 'object';
  readonly member: (name: string) => Member | undefined;
  /** The members that `getInternalProperty("name")` can read. */
  readonly internal?: ReadonlyMap<string, Member>;
  /**
   * Comparing the object with `null` reads this attribute, because only an existing object has the attribute.
   * `presence` is absent if the object always exists.
   */
  readonly presence?: string;
}

export type Type = ValueType | ObjectType;

const scalar = (kind: ScalarKind): ScalarType => ({ kind });

export const STRING = scalar('string');
export const INTEGER = scalar('integer');
export const NUMBER = scalar('number');
export const BOOLEAN = scalar('boolean');
export const INSTANT = scalar('instant');
export const NULL = scalar('null');
export const ANY = scalar('any');
export const arrayOf = (element: ValueType): ArrayType => ({ kind: 'array', element });
export const ARRAY = arrayOf(ANY);
export const STRINGS = arrayOf(STRING);

/** Makes an object type from a map. A map has no inherited members, so `constructor` and similar names are unknown. */
export const objectOf = (members: ReadonlyMap<string, Member>): ObjectType => ({
  kind: 'object',
  member: (name) => members.get(name),
});

export const isNumeric = ({ kind }: Type): boolean => kind === 'number' || kind === 'integer';

export const nameOfType = (type: Type): string =>
  type.kind === 'array' && type.element.kind !== 'any' ? `array of ${nameOfType(type.element)}` : type.kind;

/**
 * Tests whether a value of type `given` may stand where `expected` is required. Null is always accepted. So is `any`,
 * which is checked at evaluation.
 */
export function accepts(expected: ValueType, given: Type): boolean {
  if (given.kind === 'object') return false;
  if (expected.kind === 'any' || given.kind === 'any' || given.kind === 'null') return true;
  if (expected.kind === 'array') return given.kind === 'array' && accepts(expected.element, given.element);
  return expected.kind === given.kind || (expected.kind === 'number' && given.kind === 'integer');
}

export function unified(one: ValueType, other: ValueType): ValueType {
  if (one.kind === 'null') return other;
  if (other.kind === 'null') return one;
  if (one.kind === 'array' && other.kind === 'array') return arrayOf(unified(one.element, other.element));
  if (one.kind === other.kind) return one;
  return isNumeric(one) && isNumeric(other) ? NUMBER : ANY;
}

export const unifiedAll = (types: readonly ValueType[]): ValueType =>
  types.length === 0 ? ANY : types.reduce(unified);

export const isInstant = (value: unknown): value is Instant =>
  typeof value === 'object' && value !== null && 'epochMilliseconds' in value && 'zone' in value;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Replaces a value, or an element of an array, with null if its type is wrong. Stored data may violate its schema. */
export function conform(value: Value, type: ValueType): Value {
  if (value === null || type.kind === 'any') return value;
  if (type.kind === 'array') {
    return isList(value) ? value.map((element) => conform(element, type.element)) : null;
  }
  return isOfKind(value, type.kind) ? value : null;
}

function isOfKind(value: Value, kind: ScalarKind): boolean {
  if (kind === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (kind === 'instant') return isInstant(value);
  return typeof value === kind;
}

/** Converts host data to a value. Dates become instants in UTC, and unsupported data becomes null. */
export function toValue(data: unknown): Value {
  if (typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return Number.isFinite(data) ? data : null;
  if (data instanceof Date) {
    const epochMilliseconds = data.getTime();
    return Number.isNaN(epochMilliseconds) ? null : { epochMilliseconds, zone: 'UTC' };
  }
  return Array.isArray(data) ? data.map(toValue) : null;
}
