import type { Type, Value, ValueType } from '../language/types.ts';
import type { Meter } from '../meter.ts';
import type { PatternCompiler } from '../pattern.ts';

/** A group that the user is a member of. `source` is the type of app it comes from; empty for the org's own. */
export interface GroupFact {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly source: string;
}

/** The data that an expression is evaluated with. */
export interface Facts {
  /** The data of the variables by name. Only own members are read. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** All groups of the user. Absent if the expression cannot use group functions. */
  readonly groups?: readonly GroupFact[];
  /** The current instant. Absent if no function needs it. */
  readonly now?: Date;
}

/** Context that a function may use in addition to its arguments. */
export interface CallContext {
  readonly meter: Meter;
  readonly groups: readonly GroupFact[];
  readonly now: Date;
  /** The result of `prepare` for the literal arguments, made at compile time. */
  readonly prepared: unknown;
}

export type Prepared = { readonly prepared: unknown } | { readonly refused: string };

/** A search criterion of `user.isMemberOf({...})`: literal names with their values. */
export type CriteriaArgument = ReadonlyMap<string, Value>;

export interface FunctionDefinition {
  readonly parameters: readonly ValueType[];
  /** How many of the last parameters the caller may omit; 0 by default. */
  readonly optional?: number;
  /** Type of all further arguments. Without it, the function accepts none. */
  readonly rest?: ValueType;
  /** Minimum number of further arguments. */
  readonly minimumRest?: number;
  readonly result: ValueType | ((given: readonly Type[]) => ValueType);
  readonly asks?: 'groups' | 'now';
  /** Checks and prepares the arguments at compile time. An argument that is not a literal is `undefined`. */
  readonly prepare?: (given: readonly (Value | undefined)[], patterns: PatternCompiler) => Prepared;
  /**
   * Gets arguments of the declared types or null, without those that the caller omitted. It must not throw, except
   * through the meter.
   */
  readonly call: (given: readonly Value[], context: CallContext) => Value;
}

/**
 * Functions by the name that expressions use, such as `String.len` or `toUpperCase`. A map, so that `constructor` is
 * unknown.
 */
export type FunctionTable = ReadonlyMap<string, FunctionDefinition>;

/** Methods by the kind of their receiver and then by name. The receiver is passed as the first argument. */
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
