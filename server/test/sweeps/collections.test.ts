import { beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { MAXIMUM_FACTORS } from '../../src/management/factors/index.ts';
import { QUESTION_KEYS } from '../../src/management/factors/kinds/question-rules.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { assignTo, assign as assignToUser, newApp } from '../support/app-assignments.ts';
import { webApp } from '../support/apps.ts';
import { good } from '../support/custom-servers.ts';
import { createGroup } from '../support/groups.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { useService } from '../support/use-service.ts';
import { idsOfEverything } from './ids-of-everything.ts';

/** Collections without pages, each with a size that it does not exceed in this test. */
const UNPAGED: Readonly<Record<string, number>> = {
  listAssignedRolesForUser: 10,
  listGroupAssignedRoles: 10,
  listRolesForClient: 10,
  listUserBlocks: 2,
  listUserDevices: 0,
  listFactors: MAXIMUM_FACTORS,
  listSupportedFactors: MAXIMUM_FACTORS,
  listSupportedSecurityQuestions: QUESTION_KEYS.length,
  listAppLinks: 10,
  // Nobody can sign in through an identity provider yet.
  listIdentityProviderApplicationUsers: 0,
  listBrandThemes: 1,
  listFeatures: 10,
  listFeatureDependencies: 10,
  listFeatureDependents: 10,
  listUserTypes: 10,
  listLinkedObjectDefinitions: 200,
  listEventHooks: 25,
  listLogStreamSchemas: 4,
  listJwk: 50,
  listApplicationKeys: 51,
  listCsrsForApplication: 20,
  listFeaturesForApplication: 2,
  listAbsentUserApprovals: 20,
  listOAuth2ClientSecrets: 2,
  listAuthorizationServerKeys: 50,
  listScopeConsentGrants: new Set(allRoutes.flatMap(({ scopes }) => scopes)).size,
};

/** Collections whose pages may have more than 1000 elements according to the contract, each with its maximum. */
const MAXIMUMS: Readonly<Record<string, number>> = { listGroups: 10_000 };

const QUERIES: Readonly<Record<string, string>> = { listPolicies: 'type=SVC_SIGN_ON&' };

/** Routes of lists with pages, recognized by the parameter `after`. */
const listed = allRoutes.filter((route) => route.method === 'GET' && route.query?.['after'] !== undefined);
const searched = listed.filter((route) => route.query?.['q'] !== undefined);

const arrays = allRoutes.filter((route) => route.method === 'GET' && route.response.schema?.['type'] === 'array');

const { service, org } = useService({ outbound: repeatingOutbound });
const parents: Record<string, string> = {};
let administrators = '';
let assigned = '';
const assignments: Record<string, string> = {};

async function assign(owner: string, path: string): Promise<void> {
  for (const type of ['USER_ADMIN', 'APP_ADMIN']) {
    const { body, status } = await org.admin.post(path, { body: { type } });
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`);
    assignments[`${owner} ${type}`] = body.id;
  }
}

beforeAll(async () => {
  Object.assign(parents, await idsOfEverything(service, org));
  const { appId = '', userId = '' } = parents;
  const profile = { authScheme: 'TOKEN', token: 'bounded' };
  await org.admin.post(`/api/v1/apps/${appId}/connections/default?activate=true`, { body: { profile } });
  await assign('users', `/api/v1/users/${userId}/roles`);
  // Roles cannot be assigned to a group that a rule fills, so the test needs another group.
  administrators = (await createGroup(org)).id;
  await assign('groups', `/api/v1/groups/${administrators}/roles`);
  const app = await newApp(org, webApp());
  assigned = app.id;
  await good(assignToUser(org, app, { id: userId }));
  await good(assignTo(org, app, await createGroup(org)));
  await assign('clients', `/oauth2/v1/clients/${appId}/roles`);
  Object.assign(parents, { roleIdOrEncodedRoleId: 'APP_ADMIN', relationshipName: 'foreignSubordinate' });
});

const assignmentFor = (url: string): string =>
  assignments[`${/(users|groups|clients)/.exec(url)?.[1]} ${url.includes('catalog') ? 'APP_ADMIN' : 'USER_ADMIN'}`] ??
  '';

function pathOf({ url }: AnyRoute): string {
  const ids = {
    ...parents,
    roleAssignmentId: assignmentFor(url),
    ...(/\/apps\/:appId\/(users|groups)$/.test(url) ? { appId: assigned } : {}),
    ...(url.includes('/roles') ? { groupId: administrators } : {}),
  };
  return url.replaceAll(/:(\w+)/g, (_whole, name: string) => new Map(Object.entries(ids)).get(name) ?? 'unknown');
}

const named = ({ operationId, url }: AnyRoute): string => `${url} (${operationId})`;
const LONG = 120_000;

async function isBounded(route: AnyRoute): Promise<void> {
  const path = pathOf(route);
  const query = QUERIES[route.operationId] ?? '';
  const limit = route.query?.['limit']?.schema;
  const minimum = Math.max(1, Number(limit?.['minimum'] ?? 1));
  const limited = await org.admin.get(`${path}?${query}limit=${minimum}`);
  expect({ status: limited.status, path }).toEqual({ status: 200, path });
  expect(limit === undefined, 'whether it has no limit').toBe(route.operationId in UNPAGED);
  expect(limited.body.length).toBeLessThanOrEqual(UNPAGED[route.operationId] ?? minimum);
  if (limit === undefined) return;
  const maximum = Number(limit['maximum'] ?? 1_000);
  expect(maximum).toBeLessThanOrEqual(MAXIMUMS[route.operationId] ?? 1_000);
  const huge = await org.admin.get(`${path}?${query}limit=1000000000`);
  // The specification names a maximum only for the log. The log refuses a larger limit; other lists shorten the page.
  expect({ status: huge.status, path }).toEqual({ status: route.url === '/api/v1/logs' ? 400 : 200, path });
  if (huge.status === 200) expect(huge.body.length).toBeLessThanOrEqual(maximum);
}

test('every collection is bounded', { timeout: LONG }, () =>
  expectOfEvery({ rows: arrays, nameOf: named, atLeast: 75 }, isBounded),
);

async function takesNoMadeUpCursor(route: AnyRoute): Promise<void> {
  const path = `${pathOf(route)}?${QUERIES[route.operationId] ?? ''}`;
  expect({ status: (await org.admin.get(path)).status, path }).toEqual({ status: 200, path });
  for (const name of ['after', 'before'].filter((one) => route.query?.[one] !== undefined)) {
    const { body, status } = await org.admin.get(`${path}${name}=made-up`);
    expect({ status, name, errorCode: body.errorCode }).toEqual({ status: 400, name, errorCode: expect.any(String) });
  }
}

async function findsNothingElse(route: AnyRoute): Promise<void> {
  const path = `${pathOf(route)}?${QUERIES[route.operationId] ?? ''}`;
  expect((await org.admin.get(path)).body.length, path).toBeGreaterThan(0);
  const { body, status } = await org.admin.get(`${path}q=zzzznobody`);
  expect({ status, body }).toEqual({ status: 200, body: [] });
}

describe('every parameter of a list is read', () => {
  test('no list takes a cursor that nobody gave', { timeout: LONG }, () =>
    expectOfEvery({ rows: listed, nameOf: named, atLeast: 55 }, takesNoMadeUpCursor),
  );

  test('?q= finds nothing that is called otherwise', { timeout: LONG }, () =>
    expectOfEvery({ rows: searched, nameOf: named, atLeast: 14 }, findsNothingElse),
  );
});
