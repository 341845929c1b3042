import * as fc from 'fast-check';
import { type CheckedExpression, check, type Expression, matches } from '../../src/filter/index.ts';
import { FILTER_FIELDS, searchFieldsWith } from '../../src/management/users/profile/search-fields.ts';
import { defineAttributes } from './schemas.ts';
import {
  CUSTOM,
  comparison,
  customLeaves,
  customProfiles,
  expressionsOf,
  indexed,
  longTexts,
  names,
  ORDER,
  presence,
  present,
  type Row,
  SEARCHED_SCHEMA,
  textOf,
  texts,
} from './searches.ts';
import type { TestOrg, TestService } from './service.ts';
import { searchPath, userPath } from './users.ts';

const profiles = fc.record(
  {
    firstName: names,
    lastName: names,
    city: texts,
    title: texts,
    department: fc.constantFrom('x', 'y'),
    ...customProfiles,
  },
  { requiredKeys: ['firstName', 'lastName'] },
);

/**
 * Defines the custom attributes, and creates users with random profiles and several statuses. Returns the first page of
 * the org's users.
 */
export async function randomUsers(service: TestService, org: TestOrg, count: number): Promise<readonly Row[]> {
  await defineAttributes(org, CUSTOM);
  for (const [index, profile] of fc.sample(profiles, { numRuns: count, seed: 20261121 }).entries()) {
    const user = await org.createUser({ profile });
    if (index % 4 === 1) await org.admin.post(`${userPath(user.id)}/lifecycle/suspend`);
    if (index % 7 === 1) await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    service.clock.advance(1_000 * (index % 3));
  }
  return (await org.admin.get(searchPath('id pr'))).body;
}

export const checkedSearch = (expression: Expression): CheckedExpression =>
  check(expression, searchFieldsWith(SEARCHED_SCHEMA));

/** Returns the users that a search must find. Evaluates the search in memory instead of in SQL. */
export const expectedUsers = (users: readonly Row[], expression: Expression): readonly Row[] => {
  const checked = checkedSearch(expression);
  return users.filter((user) => matches(checked, indexed(user)));
};

/** Returns the users that a filter must find. Unlike searches, filters compare strings exactly. */
export const expectedByFilter = (users: readonly Row[], expression: Expression): readonly Row[] => {
  const checked = check(expression, FILTER_FIELDS);
  return users.filter((user) => matches(checked, user));
};

export const SORTABLE = [
  'profile.city',
  'profile.title',
  'profile.firstName',
  'profile.nick_name',
  'profile.level',
  'profile.floor',
  'profile.constructor',
  'status',
  'created',
  'passwordChanged',
] as const;

const TEXT_ATTRIBUTES = ['firstName', 'lastName', 'city', 'title', 'department', 'secondEmail'] as const;

/** Generates searches. Many operands are values of existing users, so that boundaries are tested. */
export function searches(users: readonly Row[]): fc.Arbitrary<Expression> {
  const leaves: fc.Arbitrary<Expression>[] = [
    ...TEXT_ATTRIBUTES.flatMap((name) => [
      comparison(`profile.${name}`, textOf(users, name), ...ORDER, 'sw'),
      presence(`profile.${name}`),
    ]),
    ...['profile.firstName', 'profile.lastName', 'profile.email'].map((attribute) =>
      comparison(attribute, longTexts, 'co'),
    ),
    ...['created', 'lastUpdated', 'statusChanged'].flatMap((name) => [
      comparison(
        name,
        present(users, (user) => user[name]),
        ...ORDER,
      ),
      presence(name),
    ]),
    comparison('status', fc.constantFrom('ACTIVE', 'suspended', 'DEPROVISIONED', 'PROVISIONED', 'S'), ...ORDER, 'sw'),
    comparison(
      'id',
      present(users, (user) => user.id),
      ...ORDER,
      'sw',
    ),
    presence('passwordChanged'),
    ...customLeaves(users),
  ];
  const points = ['city', 'title'].map((name) => comparison(`profile.${name}`, textOf(users, name), 'eq'));
  return expressionsOf(leaves, points);
}

export function filters(users: readonly Row[]): fc.Arbitrary<Expression> {
  const leaves: fc.Arbitrary<Expression>[] = [
    ...['firstName', 'lastName', 'login', 'email'].map((name) =>
      comparison(`profile.${name}`, textOf(users, name), 'eq'),
    ),
    comparison('status', fc.constantFrom('ACTIVE', 'active', 'SUSPENDED', 'DEPROVISIONED', 'PROVISIONED'), 'eq'),
    comparison(
      'id',
      present(users, (user) => user.id),
      'eq',
    ),
    comparison(
      'lastUpdated',
      present(users, (user) => user.lastUpdated),
      ...ORDER,
    ),
  ];
  return expressionsOf(leaves, leaves.slice(0, 2));
}
