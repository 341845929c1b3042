import { type CheckedExpression, readFilter } from '../../../filter/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { valueKey } from '../../../kernel/texts/text.ts';
import { type Grant, pageLinks } from '../../../platform/http/index.ts';
import {
  assertOneSearch,
  findByPrefix,
  type RawQuery,
  type SearchInput,
  type SearchPage,
  type SearchScope,
  searchPage,
  startingWith,
} from '../../../search/index.ts';
import { type ProfileSchema, readGroupSchema } from '../../schemas/index.ts';
import type { GroupsPorts } from '../ports.ts';
import { GROUP_ATTRIBUTE_IDS } from '../records/attribute-values.ts';
import { GROUP_TYPES, type GroupRow } from '../records/group-row.ts';
import { overStoredTypes } from '../rules.ts';
import { GROUP_FILTER_FIELDS, groupSearchFields } from './search-fields.ts';
import { searchedGroups } from './searched-groups-store.ts';

/** The maximum number of groups for a request with `q` but without `limit` (OpenAPI listGroups). */
const DEFAULT_Q_LIMIT = 300;

const WITHOUT_CUSTOM: ProfileSchema = new Map();

function readExpression(context: Context, query: SearchInput, schema: ProfileSchema): CheckedExpression | null {
  const expression =
    query.search === undefined
      ? query.filter === undefined
        ? null
        : readFilter(query.filter, GROUP_FILTER_FIELDS)
      : readFilter(query.search, groupSearchFields(schema));
  return expression === null ? null : overStoredTypes(expression, GROUP_TYPES, context.namespace);
}

async function findByQ(
  ports: GroupsPorts,
  scope: SearchScope,
  query: SearchInput,
  raw: RawQuery,
): Promise<SearchPage<GroupRow>> {
  const limit = raw.some(([name]) => name === 'limit') ? query.limit : Math.min(query.limit, DEFAULT_Q_LIMIT);
  const names = { id: GROUP_ATTRIBUTE_IDS['profile.name'], multiple: false };
  const ranges = [startingWith(names, valueKey(query.q ?? '').trim())];
  const rows = await findByPrefix<GroupRow>(ports.db, scope, ranges, limit);
  return { rows, links: pageLinks({ query: raw, limit, next: null, previous: null }) };
}

/** `q` is a prefix of the name. */
export async function listGroups(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  query: SearchInput,
  raw: RawQuery,
): Promise<SearchPage<GroupRow>> {
  assertOneSearch(query);
  const { orgId } = context;
  const mayNameCustom = query.search !== undefined || query.sortBy !== undefined;
  const schema = mayNameCustom ? await readGroupSchema(ports.db, orgId) : WITHOUT_CUSTOM;
  const scope = searchedGroups({ orgId, grant, expression: readExpression(context, query, schema), schema });
  if (query.q !== undefined) return findByQ(ports, scope, query, raw);
  return searchPage<GroupRow>(ports, scope, { ...query, list: 'listGroups', raw });
}
