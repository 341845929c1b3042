import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, repeated, tooLong } from '../../../kernel/errors/field-errors.ts';

export interface QueryField<Value> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly repeatable?: boolean;
  /** `raw` is undefined if the parameter is absent. Throws an error with status 400 if the value is not valid. */
  readonly parse: (raw: string | undefined, name: string, all: readonly string[]) => Value;
}

export type QueryValues<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends QueryField<infer Value> ? Value : never;
};

const typeMismatch = (name: string, value: string, type: string) =>
  apiError('E0000037', { detail: `'${name}': cannot convert '${value.slice(0, 100)}' to ${type}` });

export function text(description: string, maxLength = 2_048): QueryField<string | undefined> {
  return {
    schema: { type: 'string', maxLength },
    description,
    parse: (raw, name) => {
      if (raw !== undefined && raw.length > maxLength) {
        throw tooLong(name, maxLength);
      }
      return raw;
    },
  };
}

function readFlag(raw: string, name: string): boolean {
  const value = raw.toLowerCase();
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw typeMismatch(name, raw, 'boolean');
}

export function flag(description: string, defaultValue: boolean): QueryField<boolean> {
  return {
    schema: { type: 'boolean', default: defaultValue },
    description,
    parse: (raw, name) => (raw === undefined ? defaultValue : readFlag(raw, name)),
  };
}

export const optionalFlag = (description: string): QueryField<boolean | undefined> => ({
  schema: { type: 'boolean' },
  description,
  parse: (raw, name) => (raw === undefined ? undefined : readFlag(raw, name)),
});

export function choice<const Words extends readonly string[]>(
  description: string,
  words: Words,
): QueryField<Words[number] | undefined> {
  return {
    schema: { type: 'string', enum: [...words] },
    description,
    parse: (raw, name) => {
      if (raw === undefined || (words as readonly string[]).includes(raw)) return raw;
      throw notOneOf(name, words);
    },
  };
}

/**
 * Declares a field that asks for more detail with a comma-separated list. The value is the first of `words` that the
 * list contains; other words in the list are ignored.
 */
export function expansion<const Words extends readonly string[]>(
  description: string,
  words: Words,
): QueryField<Words[number] | undefined> {
  const field = text(description, 255);
  return {
    ...field,
    parse: (raw, name, all) => {
      const asked = new Set((field.parse(raw, name, all) ?? '').split(',').map((word) => word.trim()));
      return words.find((word) => asked.has(word));
    },
  };
}

export interface LimitOptions {
  default: number;
  minimum?: number;
  maximum: number;
}

/** Declares a page size. A size above the maximum counts as the maximum. */
export function limit(options: LimitOptions): QueryField<number> {
  const minimum = options.minimum ?? 1;
  const largest = minimum < 0 ? ` The value ${minimum} stands for the maximum.` : '';
  return {
    schema: { type: 'integer', default: options.default, minimum, maximum: options.maximum },
    description: `The number of entries per page.${largest}`,
    parse: (raw, name) => {
      if (raw === undefined) return options.default;
      if (!/^-?\d{1,12}$/.test(raw)) throw typeMismatch(name, raw, 'integer');
      const value = Number(raw);
      if (value < minimum) throw invalid(name, `must be at least ${minimum}.`);
      return Math.min(value, options.maximum);
    },
  };
}

/** Declares an opaque cursor. The cursor codec checks its MAC. */
export const cursor = (description: string): QueryField<string | undefined> => text(description, 2_048);

export const paging = (options: LimitOptions) => ({
  limit: limit(options),
  after: cursor('The cursor of the next page, from a `next` link.'),
  before: cursor('The cursor of the previous page, from a `prev` link.'),
});

const NONE: readonly string[] = [];

function valuesOf(entries: readonly (readonly [string, string])[], name: string): readonly string[] {
  if (entries.length === 0) return NONE;
  return entries.filter(([key]) => key === name).map(([, value]) => value);
}

/** Reads the declared fields of a decoded query, and ignores unknown parameters. */
export function readQuery<Fields extends Readonly<Record<string, QueryField<unknown>>>>(
  fields: Fields,
  entries: readonly (readonly [string, string])[],
): QueryValues<Fields> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const all = valuesOf(entries, name);
    if (all.length > 1 && field.repeatable !== true) throw repeated(name);
    values[name] = field.parse(all[0], name, all);
  }
  return values as QueryValues<Fields>;
}

export function repeatable(description: string, maxLength = 2_048): QueryField<readonly string[]> {
  return {
    schema: { type: 'string', maxLength },
    description,
    repeatable: true,
    parse: (_raw, name, all) => {
      if (all.some((value) => value.length > maxLength)) {
        throw tooLong(name, maxLength);
      }
      return all;
    },
  };
}
