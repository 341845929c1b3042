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
  /** Data of the variables by their names; own members only are looked at. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** All groups of the user; absent where no group function is known. */
  readonly groups?: readonly GroupFact[];
  /** The instant it is now; absent where no function asks for it. */
  readonly now?: Date;
}

/** The context that functions may use besides their arguments. */
export interface CallContext {
  readonly meter: Meter;
  readonly groups: readonly GroupFact[];
  readonly now: Date;
  /** The result of `prepare` for the literal arguments, made when the expression was compiled. */
  readonly prepared: unknown;
}

export type Prepared = { readonly prepared: unknown } | { readonly refused: string };

/** A search criterion of `user.isMemberOf({...})`: literal names with their values. */
export type CriteriaArgument = ReadonlyMap<string, Value>;

export interface FunctionDefinition {
  readonly parameters: readonly ValueType[];
  /** How many of the last parameters may be left out; 0 unless said. */
  readonly optional?: number;
  /** Type of all further arguments; none are taken unless said. */
  readonly rest?: ValueType;
  /** At least so many further arguments. */
  readonly minimumRest?: number;
  readonly result: ValueType | ((given: readonly Type[]) => ValueType);
  readonly asks?: 'groups' | 'now';
  /** Looks at the arguments when the expression is compiled: `undefined` where one is no literal. */
  readonly prepare?: (given: readonly (Value | undefined)[], patterns: PatternCompiler) => Prepared;
  /** Arguments of their types or null; those left out are missing. Total: never throws but by the meter. */
  readonly call: (given: readonly Value[], context: CallContext) => Value;
}

/** Functions by name as they are written: `String.len`, `toUpperCase`. A map: `constructor` is none of them. */
export type FunctionTable = ReadonlyMap<string, FunctionDefinition>;

/** By kind of what stands before the dot, and the name behind it. The receiver is the first argument. */
export type MethodTable = ReadonlyMap<string, FunctionTable>;

export const functionTable = (definitions: Readonly<Record<string, FunctionDefinition>>): FunctionTable =>
  new Map(Object.entries(definitions));

export const joinedTables = (...tables: readonly FunctionTable[]): FunctionTable =>
  new Map(tables.flatMap((table) => [...table]));

/** A function that comes to null as soon as one of its arguments is null. */
export const strict =
  (call: (given: readonly Exclude<Value, null>[], context: CallContext) => Value): FunctionDefinition['call'] =>
  (given, context) =>
    given.some((value) => value === null) ? null : call(given as readonly Exclude<Value, null>[], context);

/** A question: false as soon as one of its arguments is null. */
export const question =
  (asked: (given: readonly Exclude<Value, null>[], context: CallContext) => boolean): FunctionDefinition['call'] =>
  (given, context) =>
    !given.some((value) => value === null) && asked(given as readonly Exclude<Value, null>[], context);

export const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);
export const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);
