import { OPERATORS, type Operator } from './ast.ts';

export type FieldType = 'string' | 'number' | 'boolean' | 'date';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Whether the stored value is an array. A condition on an array holds if it holds for at least one element. */
  readonly array?: boolean;
  readonly operators: readonly Operator[];
  /** The operators of a string field that compare the `valueKey` of both sides instead of the exact values. */
  readonly caseInsensitive?: readonly Operator[];
  /** The minimum length of the operand of `co`, in code points. */
  readonly minimumCoLength?: number;
  /** Reads the value from an object for `matches`. By default, the name is a dotted path of own properties. */
  readonly value?: (object: unknown) => unknown;
}

export interface FieldTable {
  readonly fields: ReadonlyMap<string, Field>;
  /** Finds fields that are not in the table, such as custom profile attributes. */
  readonly resolve?: (name: string) => Field | undefined;
  /** The operators that an error for an unknown operator lists. */
  readonly expectedOperators: readonly Operator[];
}

export interface FieldTableOptions {
  readonly resolve?: (name: string) => Field | undefined;
  /** By default, these are the operators that at least one of the fields in the table supports. */
  readonly expectedOperators?: readonly Operator[];
}

// biome-ignore format: the columns are the documentation
const OPERATORS_BY_TYPE: Readonly<Record<FieldType, readonly Operator[]>> = {
  string:  OPERATORS,
  number:  ['eq', 'pr', 'gt', 'ge', 'lt', 'le', 'ne'],
  date:    ['eq', 'pr', 'gt', 'ge', 'lt', 'le', 'ne'],
  boolean: ['eq', 'pr', 'ne'],
};

export const suitsType = (operator: Operator, type: FieldType): boolean => OPERATORS_BY_TYPE[type].includes(operator);

/** Makes a field table. Throws a plain Error for contradictory or duplicate fields, which are mistakes in our code. */
export function fieldTable(fields: readonly Field[], options: FieldTableOptions = {}): FieldTable {
  const byName = new Map(fields.map((field) => [field.name, field]));
  if (byName.size !== fields.length) throw new Error('two filter fields have one name');
  for (const field of fields) {
    const unsuited = field.operators.filter((operator) => !suitsType(operator, field.type));
    if (unsuited.length > 0) throw new Error(`${field.name}: ${unsuited.join()} cannot compare a ${field.type}`);
    if (field.caseInsensitive && field.type !== 'string') throw new Error(`${field.name}: only strings have case`);
  }
  const supported = OPERATORS.filter((operator) => fields.some((field) => field.operators.includes(operator)));
  return { fields: byName, expectedOperators: supported, ...options };
}

/**
 * Returns undefined for an unknown name. Because the table is a map, `constructor` and `toString` are ordinary names.
 */
export const findField = (table: FieldTable, name: string): Field | undefined =>
  table.fields.get(name) ?? table.resolve?.(name);

export interface OperatorsRow {
  readonly name: string;
  /** The type, such as `string` or `string[]`. */
  readonly type: string;
  /** The operators in the order of OPERATORS. A remark follows its operator in parentheses. */
  readonly operators: readonly string[];
}

/** Describes the static fields of a table, in the table's order. */
export function assertOperatorsText(table: FieldTable): OperatorsRow[] {
  return [...table.fields.values()].map((field) => ({
    name: field.name,
    type: field.array ? `${field.type}[]` : field.type,
    operators: OPERATORS.filter((operator) => field.operators.includes(operator)).map((operator) =>
      operatorText(field, operator),
    ),
  }));
}

function operatorText(field: Field, operator: Operator): string {
  const notes: string[] = [];
  if (operator === 'co' && field.minimumCoLength) notes.push(`at least ${field.minimumCoLength} characters`);
  if (operator !== 'pr' && field.caseInsensitive?.includes(operator)) notes.push('ignores case');
  return notes.length === 0 ? operator : `${operator} (${notes.join(', ')})`;
}
