import { type Field, type FieldTable, fieldTable, type Operator } from '../../filter/index.ts';
import { ATTRIBUTE_IDS, type AttributeName } from './attribute-values.ts';

const DATES: ReadonlySet<string> = new Set(['created', 'activated', 'statusChanged', 'lastUpdated', 'passwordChanged']);
/** The four attributes that `co` is allowed on (contract section 4.1). */
const CONTAINS: ReadonlySet<string> = new Set([
  'profile.firstName',
  'profile.lastName',
  'profile.email',
  'profile.login',
]);

const TEXT_OPERATORS: readonly Operator[] = ['eq', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'];
const IGNORING_CASE: readonly Operator[] = ['eq', 'sw', 'gt', 'ge', 'lt', 'le'];

/** `co` in search needs at least three characters and is case-sensitive (specification 4.3). */
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

/** What `search` may ask for: every indexed attribute and the id. */
export const SEARCH_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: TEXT_OPERATORS },
  ...(Object.keys(ATTRIBUTE_IDS) as AttributeName[]).map(searchField),
]);

const exact = (name: string): Field => ({ name, type: 'string', operators: ['eq'] });

/** What `filter` may ask for: few attributes, `eq` only, values compared exactly (contract section 4.1). */
export const FILTER_FIELDS: FieldTable = fieldTable([
  exact('id'),
  exact('status'),
  { name: 'lastUpdated', type: 'date', operators: ['eq', 'gt', 'ge', 'lt', 'le'] },
  exact('profile.login'),
  exact('profile.email'),
  exact('profile.firstName'),
  exact('profile.lastName'),
]);

/** The attribute a field is indexed under; null for the id, which is the primary key. */
export const attributeIdOf = (name: string): number | null =>
  Object.hasOwn(ATTRIBUTE_IDS, name) ? ATTRIBUTE_IDS[name as AttributeName] : null;
