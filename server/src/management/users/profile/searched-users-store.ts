import { sql } from 'kysely';
import { usersWithin } from '../../../access/index.ts';
import type { CheckedExpression } from '../../../filter/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { SearchedTable, SearchScope } from '../../../search/index.ts';
import type { ProfileSchema } from '../../schemas/index.ts';
import { USER_COLUMNS } from '../store.ts';
import { ATTRIBUTE_IDS } from './attribute-values.ts';
import { attributeOf } from './search-fields.ts';

const NO_CUSTOM: ProfileSchema = new Map();

const USERS: Omit<SearchedTable, 'attributeOf'> = {
  table: 'users',
  alias: 'u',
  index: 'user_attribute_values',
  ownerColumn: 'user_id',
  columns: USER_COLUMNS,
  joined: 'left join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id',
  texts: {
    status: 'u.status',
    'profile.login': 'u.login',
    'profile.email': 'u.email',
    'profile.firstName': 'u.first_name',
    'profile.lastName': 'u.last_name',
  },
  neverAbsent: new Set([
    ATTRIBUTE_IDS.status,
    ATTRIBUTE_IDS.created,
    ATTRIBUTE_IDS.lastUpdated,
    ATTRIBUTE_IDS['type.id'],
    ATTRIBUTE_IDS['profile.login'],
    ATTRIBUTE_IDS['profile.email'],
  ]),
};

export interface UserSearch {
  readonly orgId: OrgId;
  /** The users whom the caller's roles cover. */
  readonly grant: Grant;
  readonly expression: CheckedExpression | null;
  readonly withDeprovisioned: boolean;
  /** The attributes of all user types. They are required if the search may name custom attributes. */
  readonly schema?: ProfileSchema;
}

export function searchedUsers(search: UserSearch): SearchScope {
  const { orgId, grant, expression, schema = NO_CUSTOM, withDeprovisioned } = search;
  const conditions = grant.kind === 'all' ? [] : [usersWithin(orgId, grant, sql`u.id`)];
  if (!withDeprovisioned) conditions.push(sql<boolean>`u.status <> 'DEPROVISIONED'`);
  const table: SearchedTable = { ...USERS, attributeOf: (name) => attributeOf(schema, name) };
  return { table, orgId, expression, conditions };
}
