import type { Field } from '../../../filter/index.ts';
import { type AttributeRow, keyOf } from '../../../search/index.ts';
import type { ProfileAttribute, ProfileInput, ProfileSchema } from './attribute.ts';
import { scalarTypeOf } from './attribute-types.ts';

/** Keys of a value in a search index: none for an absent or empty one, one for each element of an array. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => keysOf(element));
  if (typeof value === 'number' || typeof value === 'boolean') return [keyOf(value)];
  return typeof value === 'string' && value !== '' ? [keyOf(value)] : [];
}

const ownValue = (profile: ProfileInput, name: string): unknown =>
  Object.hasOwn(profile, name) ? profile[name] : undefined;

/**
 * Rows of a profile's custom attributes in the search index of its resource, each once even if an array repeats an
 * element.
 */
export function customAttributeRows(schema: ProfileSchema, profile: ProfileInput): AttributeRow[] {
  return [...schema].flatMap(([name, { attributeId }]) =>
    attributeId === undefined
      ? []
      : [...new Set(keysOf(ownValue(profile, name)))].map((valueKey): AttributeRow => ({ attributeId, valueKey })),
  );
}

/** Rows of the custom attributes with unique values. */
export const uniqueAttributeRows = (schema: ProfileSchema, profile: ProfileInput): AttributeRow[] =>
  customAttributeRows(new Map([...schema].filter(([, { unique }]) => unique === true)), profile);

/** The field that `search` knows a custom attribute by. */
export const customSearchField = (field: string, definition: ProfileAttribute): Field => ({
  name: field,
  array: definition.type === 'array',
  ...scalarTypeOf(definition).search,
});
