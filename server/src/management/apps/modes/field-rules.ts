import { isForeignPattern } from '../../../expression/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, outOfRange, required, tooLong, tooMany, wrongType } from '../../../kernel/errors/field-errors.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import { readWebUri } from '../documents/web-uri-rules.ts';

export type Stored = string | number | boolean | null | readonly Stored[] | { readonly [name: string]: Stored };
export type StoredMembers = Readonly<Record<string, Stored>>;

export interface FieldRule {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  /** The value of an absent member. Undefined means that the member is not stored. */
  readonly fallback: Stored | undefined;
  /** Returns the value in its stored form. */
  readonly read: (field: string, value: unknown) => Stored;
  /** An accepted value and some refused ones, for the tests. */
  readonly samples: { readonly good: Stored; readonly bad: readonly unknown[] };
}
export type FieldTable = Readonly<Record<string, FieldRule>>;

/** Null and the empty string count as absent, because the forms of admin consoles send them for empty fields. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Options {
  readonly required?: boolean;
  readonly fallback?: Stored | undefined;
}

function rule(options: Options, rest: Omit<FieldRule, 'required' | 'fallback'>): FieldRule {
  const fallback = 'fallback' in options ? options.fallback : null;
  return { required: options.required === true, fallback, ...rest };
}

const MAXIMUM_TEXT_LENGTH = 1_024;

function readText(field: string, value: unknown, maximum: number): string {
  if (typeof value !== 'string') throw wrongType(field, 'a string');
  if (Array.from(value).length > maximum) {
    throw tooLong(field, maximum);
  }
  if (/\p{Cc}/u.test(value)) throw invalid(field, 'must not contain control characters.');
  return value;
}

export const text = (options: Options & { readonly maximum?: number } = {}): FieldRule => {
  const { maximum = MAXIMUM_TEXT_LENGTH } = options;
  return rule(options, {
    schema: { type: 'string', maxLength: maximum },
    read: (field, value) => readText(field, value, maximum),
    samples: { good: 'text', bad: [5, {}, 'a\u0007b', 'x'.repeat(maximum + 1)] },
  });
};

export const url = (options: Options = {}): FieldRule =>
  rule(options, {
    schema: { type: 'string', format: 'uri', maxLength: MAXIMUM_TEXT_LENGTH },
    read: (field, value) => readWebUri(field, readText(field, value, MAXIMUM_TEXT_LENGTH)),
    samples: {
      good: 'https://app.example.com/in',
      bad: [5, 'nonsense', 'javascript:alert(1)', 'https://u:p@app.example.com/', 'https:/app.example.com'],
    },
  });

export const flag = (fallback: boolean | undefined = false): FieldRule =>
  rule(
    { fallback },
    {
      schema: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) },
      read: (field, value) => {
        if (typeof value !== 'boolean') throw wrongType(field, 'true or false');
        return value;
      },
      samples: { good: true, bad: ['true', 1, {}] },
    },
  );

export const word = (words: readonly [string, ...string[]], options: Options = {}): FieldRule =>
  rule(options, {
    schema: { type: 'string', enum: words },
    read: (field, value) => {
      const known = words.find((one) => one === value);
      if (known === undefined) throw notOneOf(field, words);
      return known;
    },
    samples: { good: words[0], bad: ['NO_SUCH_WORD', 5, [words[0]]] },
  });

export const integer = (bounds: { readonly minimum: number; readonly maximum: number }, options: Options = {}) =>
  rule(options, {
    schema: { type: 'integer', ...bounds },
    read: (field, value) => {
      if (typeof value === 'number' && Number.isInteger(value)) {
        if (value >= bounds.minimum && value <= bounds.maximum) return value;
      }
      throw outOfRange(field, bounds.minimum, bounds.maximum);
    },
    samples: { good: bounds.minimum, bad: ['1', bounds.minimum + 0.5, bounds.minimum - 1, bounds.maximum + 1] },
  });

/** Accepts a JavaScript regular expression, which this server never runs. */
export const expression = (options: Options = {}): FieldRule =>
  rule(options, {
    schema: { type: 'string', format: 'regex', maxLength: MAXIMUM_TEXT_LENGTH },
    read: (field, value) => {
      const pattern = readText(field, value, MAXIMUM_TEXT_LENGTH);
      if (!isForeignPattern(pattern)) throw invalid(field, 'must be a regular expression.');
      return pattern;
    },
    samples: { good: '^https://app\\.example\\.com/', bad: ['(', 5] },
  });

export const list = (item: FieldRule, options: Options & { readonly maximum: number }): FieldRule =>
  rule(options, {
    schema: { type: 'array', items: item.schema, maxItems: options.maximum },
    read: (field, value) => {
      if (!Array.isArray(value)) throw wrongType(field, 'an array');
      if (value.length > options.maximum) throw tooMany(field, options.maximum);
      const readers = value.map((one: unknown, index) => [index, () => item.read(`${field}.${index}`, one)] as const);
      return Object.values(collectFaults(Object.fromEntries(readers)));
    },
    samples: { good: [item.samples.good], bad: [{}, 'text', ...item.samples.bad.map((bad) => [bad])] },
  });

/** Reads the members that a table names and ignores others. With `before`, members left out keep their values. */
export function readFields(field: string, table: FieldTable, input: unknown, before?: StoredMembers): StoredMembers {
  if (!isAbsent(input) && !isObject(input)) throw wrongType(field, 'an object');
  const given: Readonly<Record<string, unknown>> = isObject(input) ? input : {};
  const readers = Object.entries(table).map(([name, one]) => {
    const place = `${field}.${name}`;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const read = (): Stored | undefined => {
      if (value === undefined && before !== undefined && Object.hasOwn(before, name)) return before[name];
      if (!isAbsent(value)) return one.read(place, value);
      if (one.required) throw required(place);
      return one.fallback;
    };
    return [name, read] as const;
  });
  const members = Object.entries(collectFaults(Object.fromEntries(readers)));
  return Object.fromEntries(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

export const tableSchema = (table: FieldTable): Readonly<Record<string, unknown>> => {
  const names = Object.entries(table).flatMap(([name, one]) => (one.required ? [name] : []));
  const properties = Object.fromEntries(Object.entries(table).map(([name, one]) => [name, one.schema]));
  return { type: 'object', properties, ...(names.length === 0 ? {} : { required: names }) };
};

export const sampleOf = (table: FieldTable, which: 'all' | 'required'): StoredMembers =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, one]) =>
      which === 'all' || one.required ? [[name, one.samples.good] as const] : [],
    ),
  );

export const members = (table: FieldTable, options: Options = {}): FieldRule =>
  rule(options, {
    schema: tableSchema(table),
    read: (field, value) => readFields(field, table, value),
    samples: { good: sampleOf(table, 'required'), bad: ['text', 5, []] },
  });
