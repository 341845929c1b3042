import { invalidObject } from '../../kernel/errors/errors.ts';
import { type ProfileAttribute, type ProfileSchema, scalarTypeOf } from '../../management/schemas/index.ts';
import { isUnsupported, OTHERS, storable, UNSUPPORTED, type UserRecord } from './user-record.ts';

type Schema = ProfileSchema;
type Values = Readonly<Record<string, unknown>>;

const toldName = (name: string): string => storable(name, OTHERS).slice(0, 100);

function assertSupported(values: Values): void {
  const names = Object.keys(values).filter((name) => isUnsupported(values[name]));
  const [first] = names;
  if (first !== undefined) {
    throw invalidObject(
      first,
      names.map((name) => `${name}: ${UNSUPPORTED}`),
    );
  }
}

/**
 * Separates the attributes that the schema has from the others. A record that is not lenient keeps them all, so that
 * the schema refuses the others.
 */
export function knownAttributes(record: UserRecord, schema: Schema): { known: Values; unknown: readonly string[] } {
  if (!record.isLenient) return { known: record.profile, unknown: [] };
  const names = Object.keys(record.profile);
  const unknown = names.filter((name) => !schema.has(name)).map(toldName);
  if (unknown.length === 0) return { known: record.profile, unknown };
  const known = Object.entries(record.profile).filter(([name]) => schema.has(name));
  return { known: Object.fromEntries(known), unknown };
}

const NUMBER = /^-?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?$/;

/** A string that cannot be converted stays unchanged, so that the schema refuses it. */
const scalar = (value: unknown, attribute: ProfileAttribute): unknown =>
  typeof value === 'string' ? (scalarTypeOf(attribute).parse(value.trim(), NUMBER) ?? value) : value;

const LIST_SEPARATOR = ';';

function typed(value: unknown, attribute: ProfileAttribute): unknown {
  if (attribute.type !== 'array')
    return scalar(Array.isArray(value) && value.length === 1 ? value[0] : value, attribute);
  const list: unknown = typeof value === 'string' ? value.split(LIST_SEPARATOR).map((item) => item.trim()) : value;
  return Array.isArray(list) ? list.map((item) => scalar(item, attribute)) : list;
}

/** Converts strings to the types of the schema if `isText` is true. Refuses unsupported characters. */
export function valuesBySchema(values: Values, isText: boolean, schema: Schema): Values {
  assertSupported(values);
  if (!isText) return values;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = schema.get(name);
      return [name, attribute === undefined ? value : typed(value, attribute)];
    }),
  );
}
