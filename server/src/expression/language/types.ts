/** A point in time, and the zone in which it is printed: `UTC`, an offset such as `+02:00`, or an IANA name. */
export interface Instant {
  readonly epochMilliseconds: number;
  readonly zone: string;
}

/** The result of an expression. An absent attribute is null. */
export type Value = string | number | boolean | null | Instant | readonly Value[];

export type ScalarKind = 'string' | 'integer' | 'number' | 'boolean' | 'instant' | 'null' | 'any';

/** `any`: known only when it is evaluated; whoever takes it checks it then. */
export interface ScalarType {
  readonly kind: ScalarKind;
}

export interface ArrayType {
  readonly kind: 'array';
  readonly element: ValueType;
}

export type ValueType = ScalarType | ArrayType;

/** The target of a name after a dot, with its place in the object's data (by default, under its own name). */
export interface Member {
  readonly type: ValueType | ObjectType;
  readonly at?: readonly string[];
}

/** A thing with attributes, such as `user`. It has no value of its own: only its attributes are looked at. */
export interface ObjectType {
  readonly kind: 'object';
  readonly member: (name: string) => Member | undefined;
  /** The members that `getInternalProperty("name")` can read. */
  readonly internal?: ReadonlyMap<string, Member>;
  /** An attribute that it always has, so that `appuser != null` can be asked; absent where it is always there. */
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

/** An object whose attributes are those of a map: `constructor` and its like are none. */
export const objectOf = (members: ReadonlyMap<string, Member>): ObjectType => ({
  kind: 'object',
  member: (name) => members.get(name),
});

export const isNumeric = ({ kind }: Type): boolean => kind === 'number' || kind === 'integer';

/** A type as errors name it. */
export const nameOfType = (type: Type): string =>
  type.kind === 'array' && type.element.kind !== 'any' ? `array of ${nameOfType(type.element)}` : type.kind;

/** Whether a value of type `given` may stand where `expected` is asked for; `any` is looked at when it is evaluated. */
export function accepts(expected: ValueType, given: Type): boolean {
  if (given.kind === 'object') return false;
  if (expected.kind === 'any' || given.kind === 'any' || given.kind === 'null') return true;
  if (expected.kind === 'array') return given.kind === 'array' && accepts(expected.element, given.element);
  return expected.kind === given.kind || (expected.kind === 'number' && given.kind === 'integer');
}

/** The narrowest type that takes both. */
export function unified(one: ValueType, other: ValueType): ValueType {
  if (one.kind === 'null') return other;
  if (other.kind === 'null') return one;
  if (one.kind === 'array' && other.kind === 'array') return arrayOf(unified(one.element, other.element));
  if (one.kind === other.kind) return one;
  return isNumeric(one) && isNumeric(other) ? NUMBER : ANY;
}

/** The type of all elements of a list. */
export const unifiedAll = (types: readonly ValueType[]): ValueType =>
  types.length === 0 ? ANY : types.reduce(unified);

export const isInstant = (value: unknown): value is Instant =>
  typeof value === 'object' && value !== null && 'epochMilliseconds' in value && 'zone' in value;

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** The value where it is of the type, else null: data that does not keep to its schema is no reason to fail. */
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

/** Data of the host as a value: dates become instants; what no expression knows becomes null. */
export function toValue(data: unknown): Value {
  if (typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return Number.isFinite(data) ? data : null;
  if (data instanceof Date) {
    const epochMilliseconds = data.getTime();
    return Number.isNaN(epochMilliseconds) ? null : { epochMilliseconds, zone: 'UTC' };
  }
  return Array.isArray(data) ? data.map(toValue) : null;
}
