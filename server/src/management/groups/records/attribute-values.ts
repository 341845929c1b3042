import { type AttributeRow, changedRows, dateKey, textKey } from '../../../search/index.ts';
import { customAttributeRows, type ProfileSchema } from '../../schemas/index.ts';
import type { GroupRow } from './group-row.ts';

/** The numbers of the attributes in the search index. The numbers are stored, so never change or reuse a number. */
export const GROUP_ATTRIBUTE_IDS = {
  type: 1,
  created: 2,
  lastUpdated: 3,
  lastMembershipUpdated: 4,
  'source.id': 5,
  'profile.name': 100,
  'profile.description': 101,
} as const;
export type GroupAttributeName = keyof typeof GROUP_ATTRIBUTE_IDS;

const NOTHING: readonly AttributeRow[] = [];

/** Absent, null and empty values have no rows. */
export function groupAttributeRows(group: Omit<GroupRow, 'id' | 'revision'>, schema: ProfileSchema): AttributeRow[] {
  const { profile, sourceId } = group;
  const description = profile['description'];
  const one = (name: GroupAttributeName, valueKey: string): AttributeRow => ({
    attributeId: GROUP_ATTRIBUTE_IDS[name],
    valueKey,
  });
  const rows = [
    one('type', textKey(group.type)),
    one('created', dateKey(group.createdAt)),
    one('lastUpdated', dateKey(group.lastUpdatedAt)),
    one('lastMembershipUpdated', dateKey(group.lastMembershipUpdatedAt)),
    ...(sourceId === null ? [] : [one('source.id', textKey(sourceId))]),
    one('profile.name', textKey(profile.name)),
    ...(typeof description === 'string' && description !== ''
      ? [one('profile.description', textKey(description))]
      : []),
    ...customAttributeRows(schema, profile),
  ];
  return changedRows(NOTHING, rows).added;
}
