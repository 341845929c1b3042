import { type Field, type FieldTable, fieldTable, type Operator } from '../../../filter/index.ts';
import type { SearchedAttribute } from '../../../search/index.ts';
import { customSearchField, type ProfileAttribute, type ProfileSchema } from '../../schemas/index.ts';
import { ATTRIBUTE_IDS, type AttributeName } from './attribute-values.ts';

const DATES: ReadonlySet<string> = new Set(['created', 'activated', 'statusChanged', 'lastUpdated', 'passwordChanged']);
/** The attributes for which `co` is allowed (contract section 4.1). */
const CONTAINS: ReadonlySet<string> = new Set([
  'profile.firstName',
  'profile.lastName',
  'profile.email',
  'profile.login',
]);

const TEXT_OPERATORS: readonly Operator[] = ['eq', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'];
const IGNORING_CASE: readonly Operator[] = ['eq', 'sw', 'gt', 'ge', 'lt', 'le'];

const MINIMUM_CO_LENGTH = 3;

function searchField(name: AttributeName): Field {
  if (DATES.has(name)) return { name, type: 'date', operators: ['eq', 'pr', 'gt', 'ge', 'lt', 'le'] };
  const contains = CONTAINS.has(name);
  return {
    name,
    type: 'string',
    operators: contains ? [...TEXT_OPERATORS, 'co'] : TEXT_OPERATORS,
    caseInsensitive: IGNORING_CASE,
    minimumCoLength: MINIMUM_CO_LENGTH,
  };
}

export const SEARCH_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: TEXT_OPERATORS },
  ...(Object.keys(ATTRIBUTE_IDS) as AttributeName[]).map(searchField),
]);

const exact = (name: string): Field => ({ name, type: 'string', operators: ['eq'] });

/** A `filter` accepts only `eq` for strings and compares values exactly (contract section 4.1). */
export const FILTER_FIELDS: FieldTable = fieldTable([
  exact('id'),
  exact('status'),
  { name: 'lastUpdated', type: 'date', operators: ['eq', 'gt', 'ge', 'lt', 'le'] },
  exact('profile.login'),
  exact('profile.email'),
  exact('profile.firstName'),
  exact('profile.lastName'),
]);

const PROFILE = 'profile.';
const CUSTOM_NAME = /\bprofile\.([A-Za-z_]\w*)/g;

export const mayNameCustom = (text: string): boolean =>
  [...text.matchAll(CUSTOM_NAME)].some(([name]) => !Object.hasOwn(ATTRIBUTE_IDS, name));

const customAttribute = (schema: ProfileSchema, field: string): ProfileAttribute | undefined =>
  field.startsWith(PROFILE) ? schema.get(field.slice(PROFILE.length)) : undefined;

export function searchFieldsWith(schema: ProfileSchema): FieldTable {
  const resolve = (name: string): Field | undefined => {
    const definition = customAttribute(schema, name);
    return definition?.attributeId === undefined ? undefined : customSearchField(name, definition);
  };
  return { ...SEARCH_FIELDS, resolve };
}

export function searchFieldsWithout(fields: FieldTable, hidden: ReadonlySet<string>): FieldTable {
  const isShown = (name: string): boolean => !(name.startsWith(PROFILE) && hidden.has(name.slice(PROFILE.length)));
  return {
    ...fields,
    fields: new Map([...fields.fields].filter(([name]) => isShown(name))),
    resolve: (name) => (isShown(name) ? fields.resolve?.(name) : undefined),
  };
}

export function attributeOf(schema: ProfileSchema, name: string): SearchedAttribute | null {
  if (Object.hasOwn(ATTRIBUTE_IDS, name)) return { id: ATTRIBUTE_IDS[name as AttributeName], multiple: false };
  const definition = customAttribute(schema, name);
  if (definition?.attributeId === undefined) return null;
  return { id: definition.attributeId, multiple: definition.type === 'array' };
}
