import { beforeAll, describe, expect, test } from 'vitest';
import { CUSTOM_PERMISSIONS } from '../../src/access/index.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { bindRole, type Holder, RESOURCE_SETS, withCustomRole } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import {
  cellOf,
  createPlaces,
  differences,
  failEveryChange,
  missingIn,
  type Place,
  type Places,
  permittedRoutes,
  type Reach,
  readTable,
} from './permission-matrix.ts';

// This file compares custom roles, resource sets and routes with docs/generated/custom-roles.md (attack 96 in
// docs/security-rows.md).

const PAGE = readTable('custom-roles.md');
const KINDS = ['users', 'groups', 'apps', 'idps', 'policies', 'iam', 'authorizationServers', 'brands'];
const EVERYTHING = KINDS.map((name) => `/api/v1/${name}`);
const MANAGING = ['users.manage', 'groups.manage', 'apps.manage', 'apps.clientCredentials.read'];

const { service, org } = useService({ isShared: false });
let places: Places;

async function withAllBut(permissions: readonly string[], { app, group, user }: Place): Promise<Holder> {
  const holder = await org.withRoles();
  const members = [`${org.baseUrl}/api/v1/users/${holder.userId}`];
  const bound = await bindRole(org, { permissions, paths: ['/api/v1/policies'], members });
  const resources = `${RESOURCE_SETS}/${bound['resourceSetIdOrLabel']}/resources`;
  const orn = (name: string): string => `orn:svc:directory:${org.id}:${name}`;
  const left = [
    ['users', [orn(`users:${user}`)]],
    ['groups', [orn(`groups:${group}`)]],
    ['apps', [`orn:svc:idp:${org.id}:apps:bookmark:${app}`]],
  ] as const;
  for (const [kind, names] of left) {
    const body = {
      resourceOrnOrUrl: `${org.baseUrl}/api/v1/${kind}`,
      conditions: { Exclude: { 'svc:ORN': names } },
    };
    const { status, text } = await org.admin.post(resources, { body });
    if (status !== 200) throw new Error(`the resource was not added: ${text}`);
  }
  return holder;
}

const placePaths = ({ app, group, user }: Place): string[] => [
  `/api/v1/users/${user}`,
  `/api/v1/groups/${group}`,
  `/api/v1/groups/${group}/users`,
  `/api/v1/apps/${app}`,
];

function reachBy(permissions: readonly string[], isNarrowed: boolean): (route: AnyRoute) => Reach | null {
  return (route) => {
    const opening = cellOf(PAGE, route, 'Opened by');
    if (opening === '') return null;
    const own = route.permission === 'users.read' && route.appliesGrant === true ? 'own' : 'nothing';
    if (!permissions.some((name) => opening.includes(`\`${name}\``))) return own;
    const narrowed = cellOf(PAGE, route, 'On a set of some') as Reach;
    return isNarrowed ? narrowed : 'all';
  };
}

interface Case {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly isNarrowed: boolean;
  readonly hold: (permissions: readonly string[]) => Promise<Holder>;
  readonly makesInside?: ReadonlySet<string>;
}

const onAll = (permissions: readonly string[]): Promise<Holder> => withCustomRole(org, permissions, EVERYTHING);

const CASES: readonly Case[] = [
  {
    name: 'all permissions, on everything',
    permissions: [...CUSTOM_PERMISSIONS.keys()],
    isNarrowed: false,
    hold: onAll,
  },
  {
    name: 'what only reads, on everything',
    permissions: [...CUSTOM_PERMISSIONS.keys()].filter((name) => name.endsWith('.read')),
    isNarrowed: false,
    hold: onAll,
  },
  {
    name: 'a help desk, on everything',
    permissions: ['users.credentials.resetPassword', 'users.lifecycle.unlock', 'groups.members.manage'],
    isNarrowed: false,
    hold: onAll,
  },
  {
    name: 'what manages, on resources by name',
    permissions: MANAGING,
    isNarrowed: true,
    hold: (permissions) => withCustomRole(org, permissions, placePaths(places.inside)),
    makesInside: new Set(['createUser']),
  },
  {
    name: 'what manages, on all but some',
    permissions: MANAGING,
    isNarrowed: true,
    hold: (permissions) => withAllBut(permissions, places.outside),
    makesInside: new Set(['createApplication', 'createClient', 'addGroup']),
  },
];

const holders = new Map<string, Holder>();

beforeAll(async () => {
  places = await createPlaces(service, org);
  for (const { hold, name, permissions } of CASES) holders.set(name, await hold(permissions));
  await failEveryChange(service);
});

test('the page has every route and every permission', async () => {
  expect(missingIn(PAGE)).toEqual([]);
  const cells = permittedRoutes.map((route) => cellOf(PAGE, route, 'Opened by')).join(' ');
  const opening = [...CUSTOM_PERMISSIONS].filter(([, permissions]) => permissions.length > 0).map(([name]) => name);
  expect(opening.filter((name) => !cells.includes(`\`${name}\``))).toEqual([]);
});

describe('a custom role does on every route what the page says', () => {
  test.each(CASES)('$name', async ({ isNarrowed, makesInside, name, permissions }) => {
    const client = holders.get(name);
    if (client === undefined) throw new Error('nobody holds it');
    const reach = reachBy(permissions, isNarrowed);
    const found = await differences({
      client,
      userId: client.userId,
      org,
      places,
      reach,
      ...(makesInside === undefined ? {} : { makesInside }),
    });
    expect(found).toEqual([]);
  });
});
