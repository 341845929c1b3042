import { sql } from 'kysely';
import { groupsWithin } from '../../../access/index.ts';
import type { CheckedExpression } from '../../../filter/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { SearchedTable, SearchScope } from '../../../search/index.ts';
import type { ProfileSchema } from '../../schemas/index.ts';
import { GROUP_ATTRIBUTE_IDS } from '../records/attribute-values.ts';
import { GROUP_COLUMNS } from '../store.ts';
import { groupAttribute } from './search-fields.ts';

const GROUPS: Omit<SearchedTable, 'attributeOf'> = {
  table: 'groups',
  alias: 'g',
  index: 'group_attribute_values',
  ownerColumn: 'group_id',
  columns: GROUP_COLUMNS,
  joined: '',
  texts: {
    type: 'g.type',
    'profile.name': 'g.name',
    'profile.description': `g.profile ->> 'description'`,
  },
  neverAbsent: new Set([
    GROUP_ATTRIBUTE_IDS.type,
    GROUP_ATTRIBUTE_IDS.created,
    GROUP_ATTRIBUTE_IDS.lastUpdated,
    GROUP_ATTRIBUTE_IDS.lastMembershipUpdated,
    GROUP_ATTRIBUTE_IDS['profile.name'],
  ]),
};

export interface GroupSearch {
  readonly orgId: OrgId;
  readonly grant: Grant;
  readonly expression: CheckedExpression | null;
  readonly schema: ProfileSchema;
}

export function searchedGroups({ expression, grant, orgId, schema }: GroupSearch): SearchScope {
  const table = { ...GROUPS, attributeOf: (name: string) => groupAttribute(schema, name) };
  const conditions = grant.kind === 'all' ? [] : [groupsWithin(grant, sql`g.id`)];
  return { table, orgId, expression, conditions };
}
