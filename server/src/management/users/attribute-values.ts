import { createHash } from 'node:crypto';
import { valueKey } from '../../kernel/text.ts';
import type { UserRow } from './user-row.ts';

/** One row of the search index. */
export interface AttributeRow {
  readonly attributeId: number;
  readonly valueKey: string;
}

/**
 * Numbers of the attributes in the search index. They are stored: never change or reuse one. Custom attributes get
 * numbers from 10,000 on, per org.
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

/**
 * Index entries and the cursors that carry a key are bounded, also when every character is escaped in the cursor's
 * JSON; what is longer keeps its first characters for order and a digest for equality.
 */
export const MAXIMUM_KEY_CHARACTERS = 200;

/** Order-preserving key of a text: folded, and cut where it is too long for the index. */
export function textKey(text: string): string {
  const key = valueKey(text);
  if (key.length <= MAXIMUM_KEY_CHARACTERS) return key;
  return key.slice(0, MAXIMUM_KEY_CHARACTERS) + createHash('sha256').update(key).digest('hex');
}

/** Order-preserving key of an instant: its UTC form has one length for all years from 0 to 9999. */
export const dateKey = (date: Date): string => date.toISOString();

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

/** Every index row of a user. Absent, null and empty values have none: `pr` is "has a row". */
export function attributeRowsOf(user: Indexed): AttributeRow[] {
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
  return rows;
}

const identity = (row: AttributeRow): string => `${row.attributeId}:${row.valueKey}`;

/** What an update has to take out of the index and put into it. */
export function changedAttributeRows(
  before: Indexed,
  after: Indexed,
): { removed: AttributeRow[]; added: AttributeRow[] } {
  const had = new Map(attributeRowsOf(before).map((row) => [identity(row), row]));
  const has = new Map(attributeRowsOf(after).map((row) => [identity(row), row]));
  return {
    removed: [...had].filter(([key]) => !has.has(key)).map(([, row]) => row),
    added: [...has].filter(([key]) => !had.has(key)).map(([, row]) => row),
  };
}
