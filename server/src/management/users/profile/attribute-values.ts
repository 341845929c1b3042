import { type AttributeRow, changedRows, dateKey, textKey } from '../../../search/index.ts';
import { customAttributeRows, type ProfileSchema } from '../../schemas/index.ts';
import type { UserRow } from '../records/user-row.ts';

/**
 * The numbers of the attributes in the search index. They are stored, so never change or reuse one. Each org numbers
 * its custom attributes from 10,000.
 */
export const ATTRIBUTE_IDS = {
  status: 1,
  created: 2,
  activated: 3,
  statusChanged: 4,
  lastUpdated: 5,
  'type.id': 6,
  passwordChanged: 7,
  'profile.login': 100,
  'profile.email': 101,
  'profile.firstName': 102,
  'profile.lastName': 103,
  'profile.secondEmail': 104,
  'profile.middleName': 105,
  'profile.honorificPrefix': 106,
  'profile.honorificSuffix': 107,
  'profile.title': 108,
  'profile.displayName': 109,
  'profile.nickName': 110,
  'profile.profileUrl': 111,
  'profile.primaryPhone': 112,
  'profile.mobilePhone': 113,
  'profile.streetAddress': 114,
  'profile.city': 115,
  'profile.state': 116,
  'profile.zipCode': 117,
  'profile.countryCode': 118,
  'profile.postalAddress': 119,
  'profile.preferredLanguage': 120,
  'profile.locale': 121,
  'profile.timezone': 122,
  'profile.userType': 123,
  'profile.employeeNumber': 124,
  'profile.costCenter': 125,
  'profile.organization': 126,
  'profile.division': 127,
  'profile.department': 128,
  'profile.managerId': 129,
  'profile.manager': 130,
} as const;
export type AttributeName = keyof typeof ATTRIBUTE_IDS;

const PROFILE_ATTRIBUTES = (Object.keys(ATTRIBUTE_IDS) as AttributeName[])
  .filter((name) => name.startsWith('profile.'))
  .map((name) => ({ property: name.slice('profile.'.length), attributeId: ATTRIBUTE_IDS[name] }));

type Indexed = Pick<
  UserRow,
  | 'status'
  | 'createdAt'
  | 'activatedAt'
  | 'statusChangedAt'
  | 'lastUpdatedAt'
  | 'passwordChangedAt'
  | 'typeId'
  | 'profile'
>;

/** Absent, null and empty values have no rows. */
export function attributeRowsOf(user: Indexed, schema: ProfileSchema): AttributeRow[] {
  const rows: AttributeRow[] = [
    { attributeId: ATTRIBUTE_IDS.status, valueKey: textKey(user.status) },
    { attributeId: ATTRIBUTE_IDS['type.id'], valueKey: textKey(user.typeId) },
  ];
  const dates = [
    [ATTRIBUTE_IDS.created, user.createdAt],
    [ATTRIBUTE_IDS.activated, user.activatedAt],
    [ATTRIBUTE_IDS.statusChanged, user.statusChangedAt],
    [ATTRIBUTE_IDS.lastUpdated, user.lastUpdatedAt],
    [ATTRIBUTE_IDS.passwordChanged, user.passwordChangedAt],
  ] as const;
  for (const [attributeId, date] of dates) if (date !== null) rows.push({ attributeId, valueKey: dateKey(date) });
  for (const { property, attributeId } of PROFILE_ATTRIBUTES) {
    const value = user.profile[property];
    if (typeof value === 'string' && value !== '') rows.push({ attributeId, valueKey: textKey(value) });
  }
  return [...rows, ...customAttributeRows(schema, user.profile)];
}

/** The two schemas differ when the user's type changes. */
export interface ChangedSchemas {
  readonly before: ProfileSchema;
  readonly after: ProfileSchema;
}

const NONE: ProfileSchema = new Map();
export const SAME_PROFILE: ChangedSchemas = { before: NONE, after: NONE };

export const changedAttributeRows = (
  before: Indexed,
  after: Indexed,
  schemas: ChangedSchemas,
): { removed: AttributeRow[]; added: AttributeRow[] } =>
  changedRows(attributeRowsOf(before, schemas.before), attributeRowsOf(after, schemas.after));
