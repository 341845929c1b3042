import * as fc from 'fast-check';
import { type CheckedExpression, check, type Expression, matches } from '../../src/filter/index.ts';
import { valueKey } from '../../src/kernel/text.ts';
import { SEARCH_FIELDS } from '../../src/management/users/search-fields.ts';
import type { TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import { searchPath, userPath } from './users.ts';

type User = TestResponse['body'];

// Few and close values, so that leaves often hold; among them what folding, `like` and collations could trip over.
const PARTS = ['a', 'A', 'b', 'é', 'e\u0301', 'ß', 'SS', 'İ', '%', '_', '\\', "'", '"', '\uffee', 'ﬁ', ' ', '\uffff'];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 3 }).map((parts) => parts.join(''));
const names = texts.filter((text) => text.trim() !== '');
const profiles = fc.record(
  { firstName: names, lastName: names, city: texts, title: texts, department: fc.constantFrom('x', 'y') },
  { requiredKeys: ['firstName', 'lastName'] },
);

/**
 * Fills an org with this many users of random profiles and several statuses; returns all of it as the wire has them.
 */
export async function randomUsers(service: TestService, org: TestOrg, count: number): Promise<readonly User[]> {
  for (const [index, profile] of fc.sample(profiles, { numRuns: count, seed: 20261121 }).entries()) {
    const user = await org.createUser({ profile });
    if (index % 4 === 1) await org.admin.post(`${userPath(user.id)}/lifecycle/suspend`);
    if (index % 7 === 1) await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    service.clock.advance(1_000 * (index % 3));
  }
  return (await org.admin.get(searchPath('id pr'))).body;
}

/** As the index sees a user: an empty value is no value. */
const indexed = (user: User): User => ({
  ...user,
  profile: Object.fromEntries(Object.entries(user.profile).filter(([, value]) => value !== '')),
});

export const checkedSearch = (expression: Expression): CheckedExpression => check(expression, SEARCH_FIELDS);

/** What a search has to find, by the twin of the SQL. */
export const expectedUsers = (users: readonly User[], expression: Expression): readonly User[] => {
  const checked = checkedSearch(expression);
  return users.filter((user) => matches(checked, indexed(user)));
};

const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

function sortKeyOf(user: User, sortBy: string): string | null {
  const value: unknown = sortBy.split('.').reduce((object: User, name) => object?.[name], indexed(user));
  if (typeof value !== 'string') return null;
  return sortBy === 'id' ? value : valueKey(value);
}

/** By an attribute, users without it last in either order; ties by id. */
export function inOrder(sortBy: string, descending: boolean): (left: User, right: User) => number {
  const sign = descending ? -1 : 1;
  return (left, right) => {
    const [one, two] = [sortKeyOf(left, sortBy), sortKeyOf(right, sortBy)];
    if ((one === null) !== (two === null)) return one === null ? 1 : -1;
    return sign * (compareBytes(one ?? '', two ?? '') || compareBytes(left.id, right.id));
  };
}

export const SORTABLE = [
  'profile.city',
  'profile.title',
  'profile.firstName',
  'status',
  'created',
  'passwordChanged',
] as const;

const ORDER = ['eq', 'gt', 'ge', 'lt', 'le'] as const;
const TEXT_ATTRIBUTES = ['firstName', 'lastName', 'city', 'title', 'department', 'secondEmail'] as const;
type Comparison = Extract<Expression, { attribute: string; value: unknown }>;

const comparison = (
  attribute: string,
  values: fc.Arbitrary<string>,
  ...operators: readonly Comparison['op'][]
): fc.Arbitrary<Expression> =>
  fc.record({ op: fc.constantFrom(...operators), attribute: fc.constant(attribute), value: values });
const presence = (attribute: string): fc.Arbitrary<Expression> => fc.constant({ op: 'pr', attribute });

/** Any search of these users; boundaries are met, because operands are often values that some user has. */
export function searches(users: readonly User[]): fc.Arbitrary<Expression> {
  const present = (read: (user: User) => unknown): fc.Arbitrary<string> =>
    fc.constantFrom(...users.map(read).filter((value) => typeof value === 'string' && value !== '')).map(String);
  const textOf = (name: string) =>
    users.some((user) => Boolean(user.profile[name]))
      ? fc.oneof(
          texts,
          present((user) => user.profile[name]),
        )
      : texts;
  const leaves: fc.Arbitrary<Expression>[] = [
    ...TEXT_ATTRIBUTES.flatMap((name) => [
      comparison(`profile.${name}`, textOf(name), ...ORDER, 'sw'),
      presence(`profile.${name}`),
    ]),
    ...['profile.firstName', 'profile.lastName', 'profile.email'].map((attribute) =>
      comparison(
        attribute,
        texts.filter((text) => Array.from(text).length >= 3),
        'co',
      ),
    ),
    ...['created', 'lastUpdated', 'statusChanged'].flatMap((name) => [
      comparison(
        name,
        present((user) => user[name]),
        ...ORDER,
      ),
      presence(name),
    ]),
    comparison('status', fc.constantFrom('ACTIVE', 'suspended', 'DEPROVISIONED', 'PROVISIONED', 'S'), ...ORDER, 'sw'),
    comparison(
      'id',
      present((user) => user.id),
      ...ORDER,
      'sw',
    ),
    presence('passwordChanged'),
  ];
  // What the union of several points of the index serves.
  const points = fc.record({
    op: fc.constant('or' as const),
    operands: fc.array(
      fc.oneof(...['city', 'title'].map((name) => comparison(`profile.${name}`, textOf(name), 'eq'))),
      {
        minLength: 2,
        maxLength: 4,
      },
    ),
  });
  return fc.letrec<{ expression: Expression }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(...leaves),
      points,
      fc.record({ op: fc.constant('not' as const), operand: tie('expression') }),
      ...(['and', 'or'] as const).map((op) =>
        fc.record({ op: fc.constant(op), operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }) }),
      ),
    ),
  })).expression;
}
