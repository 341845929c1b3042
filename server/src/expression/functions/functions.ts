import type { Type, Value, ValueType } from '../language/types.ts';
import type { Meter } from '../meter.ts';
import type { PatternCompiler } from '../pattern.ts';

/** A group of the user. `source` is an app id, or the namespace word in capitals for the org's own groups. */
export interface GroupFact {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly source: string;
}

export interface Facts {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly groups?: readonly GroupFact[];
  /** The current instant. It is needed only if the program asks for `now`. */
  readonly now?: Date;
}

export interface CallContext {
  readonly meter: Meter;
  readonly groups: readonly GroupFact[];
  readonly now: Date;
  /** The value that was prepared at compile time, such as a pattern. It is null if no value was prepared. */
  readonly prepared: unknown;
}

export type Prepared = { readonly prepared: unknown } | { readonly refused: string };

/** The criteria in one argument of `user.isMemberOf({...})`: literal values by criterion name. */
export type CriteriaArgument = ReadonlyMap<string, Value>;

export interface FunctionDefinition {
  readonly parameters: readonly ValueType[];
  /** The number of trailing parameters that the caller may omit. */
  readonly optional?: number;
  /** The type of all arguments after `parameters`. If absent, no further arguments are allowed. */
  readonly rest?: ValueType;
  /** The minimum number of arguments after `parameters`. */
  readonly minimumRest?: number;
  readonly result: ValueType | ((given: readonly Type[]) => ValueType);
  readonly asks?: 'groups' | 'now';
  /**
   * Checks and prepares the arguments at compile time. An argument that is neither a literal nor a list of literals is
   * `undefined`.
   */
  readonly prepare?: (given: readonly (Value | undefined)[], patterns: PatternCompiler) => Prepared;
  /**
   * Computes the result. Each argument has its declared type or is null. The function may throw only the meter's
   * errors.
   */
  readonly call: (given: readonly Value[], context: CallContext) => Value;
}

/** Functions by name, such as `String.len`. A map has no inherited members, so `constructor` is unknown. */
export type FunctionTable = ReadonlyMap<string, FunctionDefinition>;

/** Methods by the type of their receiver, then by name. The receiver is passed as the first argument. */
export type MethodTable = ReadonlyMap<string, FunctionTable>;

export const functionTable = (definitions: Readonly<Record<string, FunctionDefinition>>): FunctionTable =>
  new Map(Object.entries(definitions));

export const joinedTables = (...tables: readonly FunctionTable[]): FunctionTable =>
  new Map(tables.flatMap((table) => [...table]));

/** Makes a function that returns null if one of its arguments is null. */
export const strict =
  (call: (given: readonly Exclude<Value, null>[], context: CallContext) => Value): FunctionDefinition['call'] =>
  (given, context) =>
    given.some((value) => value === null) ? null : call(given as readonly Exclude<Value, null>[], context);

/** Makes a condition that is false if one of its arguments is null. */
export const question =
  (asked: (given: readonly Exclude<Value, null>[], context: CallContext) => boolean): FunctionDefinition['call'] =>
  (given, context) =>
    !given.some((value) => value === null) && asked(given as readonly Exclude<Value, null>[], context);

export const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);
export const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);
