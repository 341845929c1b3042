import { type Field, type FieldTable, fieldTable, type Operator } from '../../../filter/index.ts';
import type { SearchedAttribute } from '../../../search/index.ts';
import { customSearchField, type ProfileSchema } from '../../schemas/index.ts';
import { GROUP_ATTRIBUTE_IDS, type GroupAttributeName } from '../records/attribute-values.ts';

const TEXT_OPERATORS: readonly Operator[] = ['eq', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'];
const IGNORING_CASE: readonly Operator[] = ['eq', 'sw', 'gt', 'ge', 'lt', 'le'];
const ORDERED: readonly Operator[] = ['eq', 'pr', 'gt', 'ge', 'lt', 'le'];
const MINIMUM_CO_LENGTH = 3;

const date = (name: string): Field => ({ name, type: 'date', operators: ORDERED });

const folded = (name: string): Field => ({
  name,
  type: 'string',
  operators: TEXT_OPERATORS,
  caseInsensitive: IGNORING_CASE,
});

const contains = (name: string): Field => ({
  ...folded(name),
  operators: [...TEXT_OPERATORS, 'co'],
  minimumCoLength: MINIMUM_CO_LENGTH,
});

export const GROUP_SEARCH_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: TEXT_OPERATORS },
  folded('type'),
  date('created'),
  date('lastUpdated'),
  date('lastMembershipUpdated'),
  folded('source.id'),
  contains('profile.name'),
  contains('profile.description'),
]);

/** The fields that `filter` accepts (contract section 5). */
export const GROUP_FILTER_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: ['eq'] },
  { name: 'type', type: 'string', operators: ['eq'] },
  { name: 'lastUpdated', type: 'date', operators: ['eq', 'gt', 'ge', 'lt', 'le'] },
  { name: 'lastMembershipUpdated', type: 'date', operators: ['eq', 'gt', 'ge', 'lt', 'le'] },
]);

const PROFILE = 'profile.';

const customAttribute = (schema: ProfileSchema, name: string) =>
  name.startsWith(PROFILE) ? schema.get(name.slice(PROFILE.length)) : undefined;

/** Returns the attribute under which a field is indexed. */
export function groupAttribute(schema: ProfileSchema, name: string): SearchedAttribute | null {
  if (Object.hasOwn(GROUP_ATTRIBUTE_IDS, name)) {
    return { id: GROUP_ATTRIBUTE_IDS[name as GroupAttributeName], multiple: false };
  }
  const definition = customAttribute(schema, name);
  if (definition?.attributeId === undefined) return null;
  return { id: definition.attributeId, multiple: definition.type === 'array' };
}

export function groupSearchFields(schema: ProfileSchema): FieldTable {
  const resolve = (name: string): Field | undefined => {
    const definition = customAttribute(schema, name);
    return definition?.attributeId === undefined ? undefined : customSearchField(name, definition);
  };
  return { ...GROUP_SEARCH_FIELDS, resolve };
}
