import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covers, decide, RESOURCE_KINDS, ROLE_TYPES, ROLES, type RoleType } from '../../src/access/index.ts';
import { type HeldResource, type HeldRole, wholeRole } from '../../src/kernel/words/held-role.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { rounds } from '../support/rounds.ts';
import { permittedRoutes, type ReadTable, readTable } from '../sweeps/permission-matrix.ts';

// This file compares decisions for holders of several roles with docs/generated, whose tables say what a single role
// may do.

const STANDARD = readTable('permissions.md');
const CUSTOM = readTable('custom-roles.md');
const rowOf = (table: ReadTable, { method, url }: AnyRoute): Readonly<Record<string, string>> =>
  table.get(`${method} \`${url}\``) ?? {};

interface Resource {
  readonly kind: 'users' | 'groups' | 'apps';
  readonly id: string;
  readonly groupIds: readonly string[];
  readonly appName: string;
}

const GROUPS = ['g1', 'g2'];
const NAMES = ['slack', 'zoom'];
const some = (of: readonly string[]) => fc.subarray([...of]);

const resource = fc.oneof(
  fc.record({ kind: fc.constant('users' as const), id: fc.constantFrom('u1', 'u2', 'me'), groupIds: some(GROUPS) }),
  fc.constantFrom(...GROUPS).map((id) => ({ kind: 'groups' as const, id, groupIds: [id] })),
  fc.constantFrom('a1', 'a2').map((id) => ({ kind: 'apps' as const, id, groupIds: [] })),
);
const resources: fc.Arbitrary<Resource> = fc
  .tuple(resource, fc.constantFrom(...NAMES))
  .map(([one, appName]) => ({ ...one, appName: one.kind === 'apps' ? appName : '' }));

const targets = fc.record({
  groupIds: some(GROUPS),
  everyone: fc.constant(false),
  appIds: some(['a1', 'a2']),
  appNames: some(NAMES),
});
const standardRole: fc.Arbitrary<HeldRole> = fc
  .tuple(fc.constantFrom(...ROLE_TYPES), fc.option(targets))
  .map(([type, given]) => ({ ...wholeRole(type), targets: ROLES[type].targets === null ? null : given }));

const KEYS: Readonly<Record<string, readonly string[]>> = {
  user: ['u1', 'u2', 'me'],
  group: GROUPS,
  groupUsers: GROUPS,
  app: ['a1', 'a2'],
  appName: NAMES,
};
/** The kinds of members that can be excluded from a whole kind of resources. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  users: ['user', 'groupUsers'],
  groups: ['group'],
  apps: ['app', 'appName'],
};
const namedOf = (kinds: readonly string[]) =>
  fc.constantFrom(...kinds).chain((kind) => fc.constantFrom(...(KEYS[kind] ?? [])).map((key) => ({ kind, key })));
const resourceOf = (kind: string): fc.Arbitrary<HeldResource> => {
  const left = LEAVES[kind];
  if (left === undefined) {
    const key = KEYS[kind];
    return (key === undefined ? fc.constant(null) : fc.constantFrom(...key)).map((one) => ({
      kind,
      key: one,
      excluded: [],
    }));
  }
  return fc.array(namedOf(left), { maxLength: 2 }).map((excluded) => ({ kind, key: null, excluded }));
};
const heldResource = fc.constantFrom(...Object.keys(RESOURCE_KINDS)).chain(resourceOf);
const PERMISSIONS_OF_CUSTOM = [...new Set([...CUSTOM.values()].flatMap((row) => row['Opened by']?.split(' ') ?? []))]
  .map((name) => name.replaceAll('`', ''))
  .filter((name) => name !== '-');
const customRole: fc.Arbitrary<HeldRole> = fc
  .tuple(fc.subarray(PERMISSIONS_OF_CUSTOM, { minLength: 1 }), fc.array(heldResource, { maxLength: 3 }))
  .map(([permissions, held]) => ({
    type: 'CUSTOM',
    targets: null,
    custom: { permissions: permissions.map((name) => ({ name, conditions: null })), resources: held },
  }));
const held = fc.array(fc.oneof(standardRole, customRole), { maxLength: 3 });

function names({ key, kind }: { readonly kind: string; readonly key: string | null }, one: Resource): boolean {
  if (kind === 'user') return one.kind === 'users' && one.id === key;
  if (kind === 'groupUsers') return one.kind === 'users' && one.groupIds.includes(key ?? '');
  if (kind === 'group') return one.kind === 'groups' && one.id === key;
  if (kind === 'app') return one.kind === 'apps' && one.id === key;
  return kind === 'appName' && one.kind === 'apps' && one.appName === key;
}

/** The kind of resource by the first word of a permission, where the two differ. */
const KIND_OF: Readonly<Record<string, string>> = {
  appGrants: 'apps',
  brands: 'customizations',
  idps: 'identityProviders',
  roles: 'iam',
  templates: 'customizations',
};
const kindOf = ({ permission = '' }: AnyRoute): string => {
  const start = permission.split('.')[0] ?? '';
  return KIND_OF[start] ?? start;
};

function isTarget({ targets: narrowed }: HeldRole, one: Resource): boolean {
  if (narrowed === null) return false;
  if (one.kind === 'apps') return narrowed.appIds.includes(one.id) || narrowed.appNames.includes(one.appName);
  return one.groupIds.some((id) => narrowed.groupIds.includes(id));
}

function mayByStandard(role: HeldRole, route: AnyRoute, one: Resource): boolean {
  const [whole = '', narrowed = whole] = (rowOf(STANDARD, route)[role.type] ?? '').split(' / ');
  const cell = role.targets === null ? whole : narrowed;
  return cell === 'all' || (cell === 'targets' && isTarget(role, one));
}

function mayByCustom(role: HeldRole, route: AnyRoute, one: Resource): boolean {
  const row = rowOf(CUSTOM, route);
  const isOpened = role.custom?.permissions.some(({ name }) => row['Opened by']?.includes(`\`${name}\``)) === true;
  if (!isOpened) return false;
  const kind = kindOf(route);
  const reached = (role.custom?.resources ?? []).filter((each) => {
    if (each.kind === kind) return !each.excluded.some((left) => names(left, one));
    return names(each, one);
  });
  if (reached.some((each) => each.kind === kind && each.excluded.length === 0)) return true;
  return row['On a set of some'] === 'some' && reached.length > 0;
}

const OWNER = 'me';
const mayDo = (roles: readonly HeldRole[], route: AnyRoute, one: Resource): boolean =>
  (one.id === OWNER && rowOf(STANDARD, route)['WORKFLOWS_ADMIN'] === 'own') ||
  roles.some((role) => (role.custom === null ? mayByStandard : mayByCustom)(role, route, one));

function isDone(roles: readonly HeldRole[], route: AnyRoute, one: Resource): boolean {
  const grant = decide({ userId: OWNER, roles }, route.permission);
  if (grant === null || (grant.kind !== 'all' && route.appliesGrant !== true)) return false;
  return covers(grant, { id: one.id, groupIds: one.groupIds, appName: one.appName });
}

const listed = permittedRoutes.filter((route) => Object.keys(rowOf(STANDARD, route)).length > 0);
const about = (route: AnyRoute): readonly string[] => {
  const kind = kindOf(route);
  return ['users', 'groups', 'apps'].includes(kind) ? [kind] : ['users', 'groups', 'apps'];
};

describe('roles by the pages and roles by the code', () => {
  test('agree for every holder, route and resource', () => {
    fc.assert(
      fc.property(held, fc.constantFrom(...listed), resources, (roles, route, one) => {
        fc.pre(about(route).includes(one.kind));
        expect(isDone(roles, route, one), `${route.method} ${route.url}`).toBe(mayDo(roles, route, one));
      }),
      { numRuns: rounds(20_000), maxSkipsPerRun: 10 },
    );
  });

  test('nobody loses anything by one role more', () => {
    fc.assert(
      fc.property(held, standardRole, fc.constantFrom(...listed), resources, (roles, more, route, one) => {
        fc.pre(about(route).includes(one.kind) && isDone(roles, route, one));
        expect(isDone([...roles, more], route, one)).toBe(true);
      }),
      { numRuns: rounds(3_000), maxSkipsPerRun: 100 },
    );
  });

  test.each<RoleType>(['SUPER_ADMIN', 'ORG_ADMIN'])('%s does what any lesser role does', (type) => {
    const lesser = ROLE_TYPES.filter((other) => other !== 'SUPER_ADMIN');
    for (const route of listed) {
      const row = rowOf(STANDARD, route);
      const isAnyones = lesser.some((other) => row[other]?.startsWith('all') === true);
      if (isAnyones) expect(row[type], route.url).toBe('all');
    }
  });
});
