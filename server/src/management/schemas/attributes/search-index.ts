import type { Field } from '../../../filter/index.ts';
import { type AttributeRow, keyOf } from '../../../search/index.ts';
import type { ProfileAttribute, ProfileInput, ProfileSchema } from './attribute.ts';
import { scalarTypeOf } from './attribute-types.ts';

/** Returns the search keys of a value: one for each element of an array, and none for an absent or empty value. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => keysOf(element));
  if (typeof value === 'number' || typeof value === 'boolean') return [keyOf(value)];
  return typeof value === 'string' && value !== '' ? [keyOf(value)] : [];
}

const ownValue = (profile: ProfileInput, name: string): unknown =>
  Object.hasOwn(profile, name) ? profile[name] : undefined;

/** A repeated array element gets only one row. */
export function customAttributeRows(schema: ProfileSchema, profile: ProfileInput): AttributeRow[] {
  return [...schema].flatMap(([name, { attributeId }]) =>
    attributeId === undefined
      ? []
      : [...new Set(keysOf(ownValue(profile, name)))].map((valueKey): AttributeRow => ({ attributeId, valueKey })),
  );
}

export const uniqueAttributeRows = (schema: ProfileSchema, profile: ProfileInput): AttributeRow[] =>
  customAttributeRows(new Map([...schema].filter(([, { unique }]) => unique === true)), profile);

export const customSearchField = (field: string, definition: ProfileAttribute): Field => ({
  name: field,
  array: definition.type === 'array',
  ...scalarTypeOf(definition).search,
});
