import { beforeAll, describe, expect, test } from 'vitest';
import { ROLE_TYPES, ROLES, type RoleType } from '../../src/access/index.ts';
import { type Holder, withTargets } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import {
  cellOf,
  createPlaces,
  differences,
  failEveryChange,
  missingIn,
  type Places,
  permittedRoutes,
  reachOfCell,
  readTable,
} from './permission-matrix.ts';

// This file compares roles, routes and targets with docs/generated/permissions.md (attack 96 in docs/security-rows.md).

const PAGE = readTable('permissions.md');
const NARROWABLE = ROLE_TYPES.filter((type) => ROLES[type].targets !== null);

const { service, org } = useService({ isShared: false });
let places: Places;
const whole = new Map<RoleType, Holder>();
const narrowed = new Map<RoleType, Holder>();
let nobody: Holder;

beforeAll(async () => {
  places = await createPlaces(service, org);
  nobody = await org.withRoles();
  for (const type of ROLE_TYPES) whole.set(type, await org.withRoles(type));
  for (const type of NARROWABLE) {
    const targets = ROLES[type].targets === 'apps' ? { apps: ['oidc_client'] } : { groups: [places.inside.group] };
    narrowed.set(type, await withTargets(org, type, targets));
  }
  await failEveryChange(service);
});

function holderOf(holders: ReadonlyMap<RoleType, Holder>, type: RoleType): Holder {
  const holder = holders.get(type);
  if (holder === undefined) throw new Error(`nobody holds ${type}`);
  return holder;
}

test('the page has every route, and tells roles apart', () => {
  expect(permittedRoutes.length).toBeGreaterThan(200);
  expect(missingIn(PAGE)).toEqual([]);
  const columns = ROLE_TYPES.map((type) => permittedRoutes.map((route) => cellOf(PAGE, route, type)).join());
  // Some roles have the same permissions on these routes.
  expect(new Set(columns).size).toBeGreaterThan(ROLE_TYPES.length - 4);
});

describe('a role does on every route what the page says', () => {
  test.each(ROLE_TYPES)('%s', async (type) => {
    const client = holderOf(whole, type);
    const reach = (route: (typeof permittedRoutes)[number]) => reachOfCell(cellOf(PAGE, route, type), false);
    expect(await differences({ client, userId: client.userId, org, places, reach })).toEqual([]);
  });

  test('none: the own user', async () => {
    const reach = (route: (typeof permittedRoutes)[number]) =>
      // This role grants nothing, so its holders have the same access as users without a role.
      reachOfCell(cellOf(PAGE, route, 'WORKFLOWS_ADMIN'), false);
    expect(await differences({ client: nobody, userId: nobody.userId, org, places, reach })).toEqual([]);
  });
});

describe('a role with targets does inside and outside of them what the page says', () => {
  test.each(NARROWABLE)('%s', async (type) => {
    const client = holderOf(narrowed, type);
    const reach = (route: (typeof permittedRoutes)[number]) => reachOfCell(cellOf(PAGE, route, type), true);
    const makesInside = new Set(['createUser', 'createApplication', 'createClient']);
    expect(await differences({ client, userId: client.userId, org, places, reach, makesInside })).toEqual([]);
  });
});

test('what was allowed got as far as being done', () => {
  expect(service.logged().split('"swept"').length).toBeGreaterThan(150);
});
