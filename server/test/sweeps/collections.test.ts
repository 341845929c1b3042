import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/all-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { createGroup } from '../support/groups.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { idsOfEverything } from './ids-of-everything.ts';

/** Collections without pages, and how many they can hold at most, or here. */
const UNPAGED: Readonly<Record<string, number>> = {
  listAssignedRolesForUser: 10,
  listGroupAssignedRoles: 10,
  listRolesForClient: 10,
  listUserBlocks: 2,
  listUserDevices: 0,
  listAppLinks: 10,
  listBrandThemes: 1,
  listFeatures: 10,
  listFeatureDependencies: 10,
  listFeatureDependents: 10,
  listUserTypes: 10,
  listLinkedObjectDefinitions: 200,
  listEventHooks: 25,
  listLogStreamSchemas: 4,
  listJwk: 50,
  listApplicationKeys: 50,
  listCsrsForApplication: 20,
  listFeaturesForApplication: 2,
  listOAuth2ClientSecrets: 2,
  listAuthorizationServerKeys: 50,
  listScopeConsentGrants: new Set(allRoutes.flatMap(({ scopes }) => scopes)).size,
};

/** Larger pages than anywhere else: the contract has them. */
const MAXIMUMS: Readonly<Record<string, number>> = { listGroups: 10_000 };

/** Where a collection's path needs more than its parent. */
const QUERIES: Readonly<Record<string, string>> = { listPolicies: 'type=SVC_SIGN_ON&' };

const arrays = allRoutes.filter((route) => route.method === 'GET' && route.response.schema?.['type'] === 'array');

let service: TestService;
let org: TestOrg;
const parents: Record<string, string> = {};
let administrators = '';
/** Assignments of roles by whose they are and what they can be narrowed to. */
const assignments: Record<string, string> = {};

async function assign(owner: string, path: string): Promise<void> {
  for (const type of ['USER_ADMIN', 'APP_ADMIN']) {
    const { body, status } = await org.admin.post(path, { body: { type } });
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`);
    assignments[`${owner} ${type}`] = body.id;
  }
}

beforeAll(async () => {
  service = await startTestService({ outbound: repeatingOutbound });
  org = service.org;
  Object.assign(parents, await idsOfEverything(service, org));
  const { appId = '', userId = '' } = parents;
  const profile = { authScheme: 'TOKEN', token: 'bounded' };
  await org.admin.post(`/api/v1/apps/${appId}/connections/default?activate=true`, { body: { profile } });
  await assign('users', `/api/v1/users/${userId}/roles`);
  // A group that a rule fills gets no roles.
  administrators = (await createGroup(org)).id;
  await assign('groups', `/api/v1/groups/${administrators}/roles`);
  await assign('clients', `/oauth2/v1/clients/${appId}/roles`);
  Object.assign(parents, { roleIdOrEncodedRoleId: 'APP_ADMIN', relationshipName: 'foreignSubordinate' });
});
afterAll(() => service.close());

const assignmentFor = (url: string): string =>
  assignments[`${/(users|groups|clients)/.exec(url)?.[1]} ${url.includes('catalog') ? 'APP_ADMIN' : 'USER_ADMIN'}`] ??
  '';

function pathOf({ url }: AnyRoute): string {
  const ids = {
    ...parents,
    roleAssignmentId: assignmentFor(url),
    ...(url.includes('/roles') ? { groupId: administrators } : {}),
  };
  return url.replaceAll(/:(\w+)/g, (_whole, name: string) => new Map(Object.entries(ids)).get(name) ?? 'unknown');
}

describe('every collection', () => {
  test('is known', () => expect(arrays.length).toBeGreaterThan(10));

  test.each(arrays.map((route) => [route.url, route] as const))('%s is bounded', async (_, route) => {
    const path = pathOf(route);
    const query = QUERIES[route.operationId] ?? '';
    const limit = route.query?.['limit']?.schema;
    const minimum = Math.max(1, Number(limit?.['minimum'] ?? 1));
    const limited = await org.admin.get(`${path}?${query}limit=${minimum}`);
    expect({ status: limited.status, path }).toEqual({ status: 200, path });
    expect(limit === undefined).toBe(route.operationId in UNPAGED);
    expect(limited.body.length).toBeLessThanOrEqual(UNPAGED[route.operationId] ?? minimum);
    if (limit === undefined) return;
    const maximum = Number(limit['maximum'] ?? 1_000);
    expect(maximum).toBeLessThanOrEqual(MAXIMUMS[route.operationId] ?? 1_000);
    const huge = await org.admin.get(`${path}?${query}limit=1000000000`);
    // The specification has an error for the log alone.
    expect({ status: huge.status, path }).toEqual({ status: route.url === '/api/v1/logs' ? 400 : 200, path });
    if (huge.status === 200) expect(huge.body.length).toBeLessThanOrEqual(maximum);
  });
});
