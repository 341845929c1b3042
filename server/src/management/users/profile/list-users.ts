import { type CheckedExpression, type FieldTable, readFilter } from '../../../filter/index.ts';
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
import { type ProfileSchema, readUserSchemas } from '../../schemas/index.ts';
import type { UsersPorts } from '../ports.ts';
import type { UserRow } from '../records/user-row.ts';
import { assertSortable, fieldsShownTo, namesShownTo } from './attribute-limits.ts';
import { ATTRIBUTE_IDS } from './attribute-values.ts';
import { FILTER_FIELDS, mayNameCustom, searchFieldsWith, searchFieldsWithout } from './search-fields.ts';
import { searchedUsers } from './searched-users-store.ts';
import { hiddenFromSelf, seesOnlyItself, withoutHidden } from './self-view.ts';

/** The maximum number of users for a query with `q` but without a limit (contract section 4.1). */
const DEFAULT_Q_LIMIT = 10;
const Q_ATTRIBUTES = ['profile.firstName', 'profile.lastName', 'profile.email'] as const;

const NO_CUSTOM: ProfileSchema = new Map();
const NONE: ReadonlySet<string> = new Set();

/** Returns no attributes if the search cannot name custom ones. */
async function schemaFor(ports: UsersPorts, { orgId }: Context, query: SearchInput): Promise<ProfileSchema> {
  if (!mayNameCustom(`${query.search ?? ''} ${query.sortBy ?? ''}`)) return NO_CUSTOM;
  const schemas = await readUserSchemas(ports.db, orgId);
  return new Map(schemas.flatMap(({ schema }) => [...schema]));
}

const askable = (context: Context, table: FieldTable, hidden: ReadonlySet<string>): FieldTable =>
  searchFieldsWithout(fieldsShownTo(context, table), hidden);

function readExpression(
  query: SearchInput,
  schema: ProfileSchema,
  context: Context,
  hidden: ReadonlySet<string>,
): CheckedExpression | null {
  if (query.search !== undefined) return readFilter(query.search, askable(context, searchFieldsWith(schema), hidden));
  return query.filter === undefined ? null : readFilter(query.filter, askable(context, FILTER_FIELDS, hidden));
}

async function findByQ(
  ports: UsersPorts,
  context: Context,
  scope: SearchScope,
  { query, raw }: { readonly query: SearchInput; readonly raw: RawQuery },
  hidden: ReadonlySet<string>,
): Promise<SearchPage<UserRow>> {
  const prefix = valueKey(query.q ?? '').trim();
  const limit = raw.some(([name]) => name === 'limit') ? query.limit : DEFAULT_Q_LIMIT;
  const asked = namesShownTo(context, Q_ATTRIBUTES, hidden);
  if (asked.length === 0) return { rows: [], links: pageLinks({ query: raw, limit, next: null, previous: null }) };
  const ranges = asked.map((name) => startingWith({ id: ATTRIBUTE_IDS[name], multiple: false }, prefix));
  const rows = await findByPrefix<UserRow>(ports.db, scope, ranges, limit);
  return { rows, links: pageLinks({ query: raw, limit, next: null, previous: null }) };
}

/** `q` is a prefix of a name or of the email address. Only `filter` and `search` find deactivated users. */
export async function listUsers(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  query: SearchInput,
  raw: RawQuery,
): Promise<SearchPage<UserRow>> {
  assertOneSearch(query);
  const hidden = seesOnlyItself(context, grant) ? await hiddenFromSelf(ports, context) : NONE;
  assertSortable(context, query.sortBy, hidden);
  const schema = await schemaFor(ports, context, query);
  const expression = readExpression(query, schema, context, hidden);
  const { orgId } = context;
  const scope = searchedUsers({ orgId, grant, expression, schema, withDeprovisioned: expression !== null });
  const found =
    query.q === undefined
      ? await searchPage<UserRow>(ports, scope, { ...query, list: 'listUsers', raw })
      : await findByQ(ports, context, scope, { query, raw }, hidden);
  return hidden.size === 0 ? found : { ...found, rows: found.rows.map((user) => withoutHidden(user, hidden)) };
}
