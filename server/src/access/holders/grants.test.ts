import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CustomPermission, type HeldResource, type HeldRole, wholeRole } from '../../kernel/words/held-role.ts';
import type { Grant } from '../../platform/http/index.ts';
import { decide, holdsEverything, mayActOn } from '../decide.ts';
import { EVERY_RESOURCE } from '../guard.ts';
import { PERMISSIONS, ROLE_TYPES, ROLES, reachOf } from '../permissions.ts';
import { conditionsOf, isOpenUnder } from '../sight/attribute-sight.ts';
import { covers, coversApp, coversGroup, firmGrantOf, grantOf, isPartOf } from './grants.ts';

const NO_TARGETS = { groupIds: [], everyone: false, appIds: [], appNames: [] };
const inGroups = (type: string, ...groupIds: string[]): HeldRole => ({
  ...wholeRole(type),
  targets: { ...NO_TARGETS, groupIds },
});
const inApps = (appIds: string[], appNames: string[] = []): HeldRole => ({
  ...wholeRole('APP_ADMIN'),
  targets: { ...NO_TARGETS, appIds, appNames },
});
const whole = (kind: string, ...excluded: HeldResource['excluded'][number][]): HeldResource => ({
  kind,
  key: null,
  excluded,
});
const named = (kind: string, key: string): HeldResource => ({ kind, key, excluded: [] });
const custom = (permissions: readonly (string | CustomPermission)[], ...resources: HeldResource[]): HeldRole => ({
  type: 'CUSTOM',
  targets: null,
  custom: {
    permissions: permissions.map((one) => (typeof one === 'string' ? { name: one, conditions: null } : one)),
    resources,
  },
});
const some = (given: Partial<Extract<Grant, { kind: 'some' }>>) => ({
  kind: 'some',
  ids: [],
  groupIds: [],
  appIds: [],
  appNames: [],
  allBut: [],
  ...given,
});

/**
 * This table repeats parts of the one in the contract (section 14), so that the tests notice a wrong row in the code.
 */
const PINNED: Readonly<Record<string, { targets: string | null; some: string[]; none: string[] }>> = {
  SUPER_ADMIN: { targets: null, some: ['roles.manage', 'appGrants.manage', 'users.delete'], none: [] },
  ORG_ADMIN: { targets: null, some: ['users.delete', 'policies.manage'], none: ['roles.manage', 'appGrants.manage'] },
  READ_ONLY_ADMIN: { targets: null, some: ['users.read', 'logs.read'], none: ['users.manage', 'apps.secrets.read'] },
  USER_ADMIN: { targets: 'groups', some: ['users.delete', 'groups.members.manage'], none: ['apps.read', 'roles.read'] },
  GROUP_MEMBERSHIP_ADMIN: {
    targets: 'groups',
    some: ['groups.members.manage'],
    none: ['users.manage', 'groups.manage'],
  },
  HELP_DESK_ADMIN: { targets: 'groups', some: ['users.unlock'], none: ['users.manage', 'groups.members.manage'] },
  APP_ADMIN: { targets: 'apps', some: ['apps.manage', 'users.read'], none: ['users.manage', 'appGrants.manage'] },
  API_ACCESS_MANAGEMENT_ADMIN: { targets: null, some: ['apps.read'], none: ['apps.manage', 'apps.secrets.read'] },
  MOBILE_ADMIN: { targets: null, some: ['users.read'], none: ['users.manage'] },
  REPORT_ADMIN: { targets: null, some: ['logs.read'], none: ['users.read'] },
  WORKFLOWS_ADMIN: { targets: null, some: [], none: ['users.read', 'logs.read'] },
  ACCESS_CERTIFICATIONS_ADMIN: { targets: null, some: ['apps.read'], none: ['apps.manage'] },
  ACCESS_REQUESTS_ADMIN: { targets: null, some: ['groups.read'], none: ['groups.manage'] },
};

describe('standard roles', () => {
  test('are these thirteen', () => expect(ROLE_TYPES.toSorted()).toEqual(Object.keys(PINNED).toSorted()));

  test.each(ROLE_TYPES)('%s', (type) => {
    const pinned = PINNED[type];
    expect(ROLES[type].targets).toBe(pinned?.targets);
    for (const permission of pinned?.some ?? []) expect(reachOf(type, permission, false), permission).toBe('all');
    for (const permission of pinned?.none ?? []) expect(reachOf(type, permission, false), permission).toBe('nothing');
  });

  test('only super administrators give roles', () => {
    const givers = ROLE_TYPES.filter((type) => reachOf(type, 'roles.manage', false) !== 'nothing');
    expect(givers).toEqual(['SUPER_ADMIN']);
  });

  test('what targets leave whole is something the role has', () => {
    for (const type of ROLE_TYPES)
      expect(ROLES[type].permissions).toEqual(expect.arrayContaining([...ROLES[type].whole]));
  });
});

describe('targets', () => {
  test.each([
    ['USER_ADMIN', 'users.manage', { groupIds: ['a'] }],
    ['USER_ADMIN', 'groups.manage', { groupIds: ['a'] }],
    ['USER_ADMIN', 'logs.read', null],
    ['USER_ADMIN', 'sessions.manage', null],
    ['USER_ADMIN', 'schemas.read', 'all'],
    ['HELP_DESK_ADMIN', 'users.credentials.reset', { groupIds: ['a'] }],
    ['GROUP_MEMBERSHIP_ADMIN', 'groups.members.manage', { groupIds: ['a'] }],
    ['GROUP_MEMBERSHIP_ADMIN', 'users.read', 'all'],
  ])('%s narrowed to a group: %s', (type, permission, expected) => {
    const wanted = expected === 'all' ? { kind: 'all' } : expected === null ? null : some(expected as object);
    expect(grantOf([inGroups(type, 'a')], permission)).toEqual(wanted);
  });

  test('of apps', () => {
    expect(grantOf([inApps(['x'], ['slack'])], 'apps.manage')).toEqual(some({ appIds: ['x'], appNames: ['slack'] }));
    expect(grantOf([inApps(['x'])], 'users.read')).toEqual({ kind: 'all' });
  });

  test('that are all gone leave nothing, not everything', () => {
    expect(grantOf([inGroups('USER_ADMIN')], 'users.manage')).toBeNull();
    expect(grantOf([inApps([])], 'apps.read')).toBeNull();
  });

  test('the group of everyone holds all users, and is one group', () => {
    const role = { ...wholeRole('USER_ADMIN'), targets: { ...NO_TARGETS, groupIds: ['e'], everyone: true } };
    expect(grantOf([role], 'users.manage')).toEqual({ kind: 'all' });
    expect(grantOf([role], 'groups.manage')).toEqual(some({ groupIds: ['e'] }));
  });

  test('of several roles add up, and one whole role outweighs them', () => {
    const roles = [inGroups('USER_ADMIN', 'a'), inGroups('HELP_DESK_ADMIN', 'b')];
    expect(grantOf(roles, 'users.unlock')).toEqual(some({ groupIds: ['a', 'b'] }));
    expect(grantOf(roles, 'users.manage')).toEqual(some({ groupIds: ['a'] }));
    expect(grantOf([...roles, wholeRole('ORG_ADMIN')], 'users.unlock')).toEqual({ kind: 'all' });
  });

  test('what everyone may do with the own user stays', () => {
    const grant = decide({ userId: 'me', roles: [inGroups('USER_ADMIN', 'a')] }, 'users.read');
    expect(grant).toEqual(some({ groupIds: ['a'], ids: ['me'] }));
  });
});

describe('custom roles', () => {
  const all = (permissions: string[]) => custom(permissions, ...EVERY_RESOURCE);

  test.each([
    ['users.read', ['users.read']],
    ['users.lifecycle.suspend', ['users.lifecycle.suspend', 'users.read']],
    ['users.lifecycle.unlock', ['users.read', 'users.unlock']],
    ['groups.members.manage', ['groups.members.manage', 'groups.read']],
    ['workflows.invoke', []],
    ['iam.read', ['roles.read']],
    ['toString', []],
  ])('%s opens %j', (name, expected) => {
    const opened = PERMISSIONS.filter((permission) => grantOf([all([name])], permission) !== null);
    expect(opened.toSorted()).toEqual(expected);
  });

  test('no permission makes an administrator of administrators', () => {
    const names = ['users.manage', 'groups.manage', 'apps.manage', 'iam.read', 'policies.manage'];
    for (const permission of ['roles.manage', 'appGrants.manage', 'apiTokens.manage', 'orgs.manage'] as const) {
      expect(grantOf([all(names)], permission)).toBeNull();
    }
  });

  test.each([
    [whole('users'), 'users.manage', { kind: 'all' }],
    [named('user', 'u'), 'users.manage', some({ ids: ['u'] })],
    [named('groupUsers', 'g'), 'users.manage', some({ groupIds: ['g'] })],
    [named('group', 'g'), 'users.manage', null],
    [named('group', 'g'), 'groups.manage', some({ groupIds: ['g'] })],
    [named('groupUsers', 'g'), 'groups.manage', null],
    [named('app', 'a'), 'apps.manage', some({ appIds: ['a'] })],
    [named('appName', 'n'), 'apps.manage', some({ appNames: ['n'] })],
    [whole('apps'), 'users.manage', null],
    [whole('toString'), 'users.manage', null],
    [
      whole('users', { kind: 'user', key: 'u' }, { kind: 'groupUsers', key: 'g' }),
      'users.manage',
      some({ allBut: [{ ids: ['u'], groupIds: ['g'], appNames: [] }] }),
    ],
  ])('%j with %s', (resource, permission, expected) => {
    const names = ['users.manage', 'groups.manage', 'apps.manage'];
    expect(grantOf([custom(names, resource)], permission)).toEqual(expected);
  });

  test('a condition narrows what is firm, and only of the profile', () => {
    const narrow = { name: 'users.read', conditions: { include: ['city'] } };
    const role = custom([narrow], named('groupUsers', 'g'));
    expect(grantOf([role], 'users.read')).toEqual(some({ groupIds: ['g'] }));
    expect(firmGrantOf([role], 'users.read')).toBeNull();
    expect(conditionsOf([role], 'users.read')).toEqual([{ include: ['city'] }]);
    expect(conditionsOf([role, inGroups('USER_ADMIN', 'h')], 'users.read')).toEqual([{ include: ['city'] }]);
    expect(conditionsOf([role, wholeRole('READ_ONLY_ADMIN')], 'users.read')).toEqual([]);
    expect(conditionsOf([role], 'users.unlock')).toEqual([]);
  });

  test.each([
    [[], 'city', true],
    [[{ include: ['city'] }], 'city', true],
    [[{ include: ['city'] }], 'state', false],
    [[{ exclude: ['city'] }], 'city', false],
    [[{ exclude: ['city'] }], 'toString', true],
    [[{ include: ['city', 'state'] }, { exclude: ['state'] }], 'state', false],
    [[{ include: ['city', 'state'] }, { exclude: ['state'] }], 'city', true],
  ])('under %j, %s is open: %s', (conditions, attribute, isOpen) => {
    expect(isOpenUnder(conditions, attribute)).toBe(isOpen);
  });
});

describe('what a grant covers', () => {
  const grant = grantOf(
    [custom(['apps.read'], named('app', 'a'), named('appName', 'n'), whole('apps', { kind: 'app', key: 'x' }))],
    'apps.read',
  );

  test('an app by its id, by its name, or as one that is not left out', () => {
    const of = (id: string, name: string) => grant !== null && coversApp(grant, { id, name });
    expect([of('a', 'm'), of('b', 'n'), of('b', 'm'), of('x', 'm'), of('x', 'n')]).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  test('a group by its id', () => {
    const groups = grantOf([inGroups('USER_ADMIN', 'a')], 'groups.read');
    expect(groups !== null && coversGroup(groups, 'a')).toBe(true);
    expect(groups !== null && coversGroup(groups, 'b')).toBe(false);
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const names = fc.uniqueArray(name, { maxLength: 3 });
const exclusion = fc.record({ ids: names, groupIds: names, appNames: names });
const anyGrant: fc.Arbitrary<Grant> = fc.oneof(
  fc.constant<Grant>({ kind: 'all' }),
  names.map((ids): Grant => ({ kind: 'ids', ids })),
  fc.record({
    kind: fc.constant('some' as const),
    ids: names,
    groupIds: names,
    appIds: names,
    appNames: names,
    allBut: fc.array(exclusion, { maxLength: 2 }),
  }),
);
const located = fc.record({ id: name, groupIds: names, appName: name });

describe('one grant inside another', () => {
  test('covers nothing that the other does not', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, located, (small, large, resource) => {
        fc.pre(isPartOf(small, large) && covers(small, resource));
        expect(covers(large, resource)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every grant is a part of itself and of everything', () => {
    fc.assert(
      fc.property(anyGrant, (grant) => {
        expect(isPartOf(grant, grant)).toBe(true);
        expect(isPartOf(grant, { kind: 'all' })).toBe(true);
      }),
    );
  });
});

describe('who may act on whom', () => {
  test.each(ROLE_TYPES)('a super administrator on %s, and nobody less on a super administrator', (type) => {
    expect(mayActOn([wholeRole('SUPER_ADMIN')], [wholeRole(type)])).toBe(true);
    expect(mayActOn([wholeRole(type)], [wholeRole('SUPER_ADMIN')])).toBe(type === 'SUPER_ADMIN');
    expect(holdsEverything([wholeRole(type)])).toBe(type === 'SUPER_ADMIN');
  });

  test.each(ROLE_TYPES)('%s on itself and on nobody in particular', (type) => {
    expect(mayActOn([wholeRole(type)], [wholeRole(type)])).toBe(true);
    expect(mayActOn([wholeRole(type)], [])).toBe(true);
    expect(mayActOn([], [wholeRole(type)])).toBe(ROLES[type].permissions.length === 0);
  });

  test('targets count', () => {
    const [one, both] = [inGroups('USER_ADMIN', 'a'), inGroups('USER_ADMIN', 'a', 'b')];
    expect(mayActOn([both], [one])).toBe(true);
    expect(mayActOn([one], [both])).toBe(false);
    expect(mayActOn([one], [wholeRole('USER_ADMIN')])).toBe(false);
    expect(mayActOn([wholeRole('USER_ADMIN')], [both])).toBe(true);
    expect(mayActOn([one], [inGroups('HELP_DESK_ADMIN', 'a')])).toBe(true);
    expect(mayActOn([inGroups('HELP_DESK_ADMIN', 'a')], [one])).toBe(false);
    expect(mayActOn([inApps([], ['n'])], [inApps(['a'])])).toBe(false);
  });

  test('a permission that is narrowed to attributes does not count as held', () => {
    const narrow = custom([{ name: 'users.read', conditions: { exclude: ['city'] } }], whole('users'));
    expect(mayActOn([narrow], [custom(['users.read'], whole('users'))])).toBe(false);
    expect(mayActOn([custom(['users.read'], whole('users'))], [narrow])).toBe(true);
  });
});
