import * as fc from 'fast-check';
import { type CheckedExpression, check, type Expression, matches } from '../../src/filter/index.ts';
import { GROUP_FILTER_FIELDS, groupSearchFields } from '../../src/management/groups/lists/search-fields.ts';
import { addMember, createGroup, GROUPS, newGroupName } from './groups.ts';
import { defineAttributes, GROUP_SCHEMA } from './schemas.ts';
import {
  CUSTOM,
  comparison,
  customLeaves,
  customProfiles,
  expressionsOf,
  indexed,
  longTexts,
  ORDER,
  presence,
  present,
  type Row,
  SEARCHED_SCHEMA,
  textOf,
  texts,
} from './searches.ts';
import type { TestOrg, TestService } from './service.ts';

/** Random profiles. `start` is put before a unique name. */
const profiles = fc.record({ start: texts, description: texts, ...customProfiles }, { requiredKeys: ['start'] });

/** Creates groups with random profiles, and returns up to 200 groups of the org. */
export async function randomGroups(service: TestService, org: TestOrg, count: number): Promise<readonly Row[]> {
  await defineAttributes(org, CUSTOM, GROUP_SCHEMA);
  for (const [index, { start, ...profile }] of fc.sample(profiles, { numRuns: count, seed: 20261122 }).entries()) {
    const group = await createGroup(org, { ...profile, name: `${start}${newGroupName()}` });
    service.clock.advance(1_000 * (index % 3));
    if (index % 4 === 1) await addMember(org, group.id, org.adminUserId);
  }
  return (await org.admin.get(`${GROUPS}?limit=200`)).body;
}

export const checkedGroupSearch = (expression: Expression): CheckedExpression =>
  check(expression, groupSearchFields(SEARCHED_SCHEMA));

/** Returns the groups that a search must find. Evaluates the search in memory instead of in SQL. */
export const expectedGroups = (groups: readonly Row[], expression: Expression): readonly Row[] => {
  const checked = checkedGroupSearch(expression);
  return groups.filter((group) => matches(checked, indexed(group)));
};

/** Returns the groups that a filter must find. Unlike searches, filters are case-sensitive. */
export const expectedGroupsByFilter = (groups: readonly Row[], expression: Expression): readonly Row[] => {
  const checked = check(expression, GROUP_FILTER_FIELDS);
  return groups.filter((group) => matches(checked, group));
};

export const SORTABLE_OF_GROUPS = [
  'profile.name',
  'profile.description',
  'profile.nick_name',
  'profile.level',
  'profile.floor',
  'profile.constructor',
  'created',
  'lastMembershipUpdated',
] as const;

const DATES = ['created', 'lastUpdated', 'lastMembershipUpdated'] as const;
const TYPES = fc.constantFrom('SVC_GROUP', 'svc_group', 'BUILT_IN', 'APP_GROUP', 'NATIVE_GROUP', 'B', 'S');

const dateLeaves = (groups: readonly Row[], names: readonly string[]): fc.Arbitrary<Expression>[] =>
  names.map((name) =>
    comparison(
      name,
      present(groups, (group) => group[name]),
      ...ORDER,
    ),
  );

/** Generates searches. Many operands are values of existing groups, so that boundaries are tested. */
export function groupSearches(groups: readonly Row[]): fc.Arbitrary<Expression> {
  const leaves: fc.Arbitrary<Expression>[] = [
    ...['name', 'description'].flatMap((name) => [
      comparison(`profile.${name}`, textOf(groups, name), ...ORDER, 'sw'),
      comparison(`profile.${name}`, longTexts, 'co'),
      presence(`profile.${name}`),
    ]),
    ...dateLeaves(groups, DATES),
    ...[...DATES, 'type', 'id', 'source.id'].map(presence),
    comparison('type', TYPES, ...ORDER, 'sw'),
    comparison(
      'id',
      present(groups, (group) => group.id),
      ...ORDER,
      'sw',
    ),
    ...customLeaves(groups),
  ];
  const points = ['name', 'description'].map((name) => comparison(`profile.${name}`, textOf(groups, name), 'eq'));
  return expressionsOf(leaves, points);
}

export function groupFilters(groups: readonly Row[]): fc.Arbitrary<Expression> {
  const leaves: fc.Arbitrary<Expression>[] = [
    comparison(
      'id',
      present(groups, (group) => group.id),
      'eq',
    ),
    comparison('type', TYPES, 'eq'),
    ...dateLeaves(groups, DATES.slice(1)),
  ];
  return expressionsOf(leaves, leaves.slice(0, 1));
}
