import { arrayOf, BOOLEAN, INTEGER, NUMBER, STRING, type ValueType } from '../../../expression/index.ts';
import type { Field } from '../../../filter/index.ts';

interface ScalarTypeRow {
  readonly isValue: (value: unknown) => boolean;
  /**
   * Converts a string to a value of the type. Returns null if the caller must keep the string as it is. `numbers`
   * matches the strings that may become numbers.
   */
  readonly parse: (text: string, numbers: RegExp) => number | boolean | null;
  readonly expression: ValueType;
  readonly search: Pick<Field, 'type' | 'operators' | 'caseInsensitive'>;
  readonly members: readonly string[];
  /** Whether the elements of an array may have this type. */
  readonly isElement: boolean;
  /** The kind of form field on the account page. */
  readonly field: 'text' | 'yesOrNo';
}

const ANY_SCALAR = ['unique', 'enum'] as const;

const NUMERIC = {
  parse: (text, numbers) => (numbers.test(text) ? Number(text) : null),
  search: { type: 'number', operators: ['eq', 'pr', 'gt', 'ge', 'lt', 'le'] },
  members: [...ANY_SCALAR, 'minimum', 'maximum'],
  isElement: true,
  field: 'text',
} as const satisfies Partial<ScalarTypeRow>;

/** The types of attributes with one value (OpenAPI UserSchemaAttributeType). */
const SCALAR_TYPES = {
  string: {
    isValue: (value) => typeof value === 'string',
    parse: () => null,
    expression: STRING,
    search: {
      type: 'string',
      operators: ['eq', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'],
      caseInsensitive: ['eq', 'sw', 'gt', 'ge', 'lt', 'le'],
    },
    members: [...ANY_SCALAR, 'minLength', 'maxLength', 'pattern', 'format'],
    isElement: true,
    field: 'text',
  },
  boolean: {
    isValue: (value) => typeof value === 'boolean',
    parse: (text) => (text === 'true' ? true : text === 'false' ? false : null),
    expression: BOOLEAN,
    search: { type: 'boolean', operators: ['eq', 'pr'] },
    members: [],
    isElement: false,
    field: 'yesOrNo',
  },
  number: { ...NUMERIC, isValue: Number.isFinite, expression: NUMBER },
  // Integers outside the safe range can lose digits when JSON is parsed.
  integer: { ...NUMERIC, isValue: Number.isSafeInteger, expression: INTEGER },
} as const satisfies Readonly<Record<string, ScalarTypeRow>>;

type Rows = typeof SCALAR_TYPES;
type ScalarName = keyof Rows;
export type AttributeType = ScalarName | 'array';
export type ItemType = { [Name in ScalarName]: Rows[Name]['isElement'] extends true ? Name : never }[ScalarName];

const NAMES = Object.keys(SCALAR_TYPES) as readonly ScalarName[];
export const ATTRIBUTE_TYPES: readonly AttributeType[] = [...NAMES, 'array'];
export const ITEM_TYPES = NAMES.filter((name): name is ItemType => SCALAR_TYPES[name].isElement);

const rowOf = (name: ScalarName): ScalarTypeRow => SCALAR_TYPES[name];

interface Typed {
  readonly type: AttributeType;
  readonly items?: { readonly type: ItemType };
}

export const scalarTypeOf = ({ items, type }: Typed): ScalarTypeRow =>
  rowOf(type === 'array' ? (items?.type ?? 'string') : type);

export const expressionTypeOf = (attribute: Typed): ValueType => {
  const { expression } = scalarTypeOf(attribute);
  return attribute.type === 'array' ? arrayOf(expression) : expression;
};

/** Tests whether a value has the type, but does not check the elements of an array. */
export const hasType = (value: unknown, type: AttributeType): boolean =>
  type === 'array' ? Array.isArray(value) : rowOf(type).isValue(value);

export const hasMember = (type: AttributeType, member: string): boolean =>
  type === 'array' ? member === 'items' : rowOf(type).members.includes(member);
