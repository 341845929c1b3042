import { beforeAll, describe, expect, test } from 'vitest';
import { CUSTOM_PERMISSIONS } from '../../src/access/index.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { addMember, createGroup, groupPath } from '../support/groups.ts';
import { assign, type Holder, withCustomRole } from '../support/roles.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';
import { idsOfEverything } from '../sweeps/ids-of-everything.ts';
import { failEveryChange, permittedRoutes } from '../sweeps/permission-matrix.ts';
import { address, bodyOf } from '../sweeps/route-bodies.ts';

// This file tries routes on users, groups and clients that have more permissions than the caller (attack 97 in
// docs/security-rows.md).

const { service, org } = useService({ isShared: false });
const ids: Record<string, string> = {};
const lesser = new Map<string, Holder>();

const EVERYTHING = ['users', 'groups', 'apps', 'idps', 'policies', 'iam', 'authorizationServers'].map(
  (name) => `/api/v1/${name}`,
);

beforeAll(async () => {
  const { userId: owner } = await org.withRoles('SUPER_ADMIN');
  const user = await org.createUser({ credentials: CREDENTIALS });
  await assign(org, userPath(user.id), 'SUPER_ADMIN');
  const group = await createGroup(org);
  await addMember(org, group.id, user.id);
  const role = await assign(org, groupPath(group.id), 'SUPER_ADMIN');
  const client = await newServiceClient(service, org, { scopes: ['users.read'], roles: ['SUPER_ADMIN'] });
  const key = (await org.admin.get(`/api/v1/apps/${client.id}/credentials/jwks`)).body[0];
  const secret = await org.admin.post(`/api/v1/apps/${client.id}/credentials/secrets`, { body: {} });
  const [grant] = (await org.admin.get(`/api/v1/apps/${client.id}/grants`)).body;
  const approval = await org.admin.post(`/api/v1/apps/${client.id}/absent-user-approvals`);
  const tokens = (await org.admin.get('/api/v1/api-tokens?limit=200')).body as { id: string; userId: string }[];
  Object.assign(ids, await idsOfEverything(service, org), {
    id: user.id,
    userId: user.id,
    userIdOrLogin: user.id,
    primaryUserId: owner,
    ownerId: user.id,
    groupId: group.id,
    targetGroupId: group.id,
    roleAssignmentId: role.id,
    appId: client.id,
    clientId: client.id,
    keyId: key.id,
    secretId: secret.body.id,
    grantId: grant.id,
    approvalId: approval.body.id,
    sessionId: (await openSession(service, org, { userId: user.id })).id,
    apiTokenId: tokens.find(({ userId }) => userId === owner)?.id ?? '',
  });
  lesser.set('ORG_ADMIN', await org.withRoles('ORG_ADMIN'));
  lesser.set('every permission of custom roles', await withCustomRole(org, [...CUSTOM_PERMISSIONS.keys()], EVERYTHING));
  await failEveryChange(service);
});

const AIMED = /:(id|userId|userIdOrLogin|groupId|appId|clientId|apiTokenId|sessionId)\b/;
const aimed = permittedRoutes.filter(({ method, url }) => method !== 'GET' && AIMED.test(url));

const nameOf = ({ method, url }: AnyRoute): string => `${method} ${url}`;

/** Routes that may be used on stronger administrators. */
const HARMLESS: ReadonlySet<string> = new Set([
  // The name and the owners of a group do not affect its members.
  'PUT /api/v1/groups/:groupId',
  'POST /api/v1/groups/:groupId/owners',
  'DELETE /api/v1/groups/:groupId/owners/:ownerId',
  // This route refuses all requests, because its path lacks the id of a policy.
  'PUT /api/v1/apps/:appId/policies',
  // These routes change who may use an app, or the profiles that users have in it and their schema.
  'POST /api/v1/meta/schemas/apps/:appId/default',
  'POST /api/v1/apps/:appId/users',
  'PUT /api/v1/apps/:appId/users/:userId',
  'POST /api/v1/apps/:appId/users/:userId',
  'DELETE /api/v1/apps/:appId/users/:userId',
  'PUT /api/v1/apps/:appId/groups/:groupId',
  'PATCH /api/v1/apps/:appId/groups/:groupId',
  'DELETE /api/v1/apps/:appId/groups/:groupId',
  // Knowing a session's id amounts to having the session.
  'DELETE /api/v1/sessions/:sessionId',
  'PUT /api/v1/sessions/:sessionId',
  'POST /api/v1/sessions/:sessionId/refresh',
  'POST /api/v1/sessions/:sessionId/lifecycle/refresh',
]);

/** Parameters that a route requires before it checks its target. */
const QUERIES: Readonly<Record<string, string>> = { generateApplicationKey: '?validityYears=2' };

describe.each(['ORG_ADMIN', 'every permission of custom roles'])('%s', (name) => {
  test('does nothing to a stronger one but what is harmless', async () => {
    const client = lesser.get(name);
    if (client === undefined) throw new Error('nobody holds it');
    const allowed: string[] = [];
    for (const route of aimed) {
      const path = `${address(route, ids)}${QUERIES[route.operationId] ?? ''}`;
      const response = await client.send(route.method, path, bodyOf(route, org));
      const isRefused = response.status === 403 && response.body.errorCode === 'E0000006';
      if (!isRefused && !HARMLESS.has(nameOf(route))) allowed.push(`${nameOf(route)} ${response.text}`);
    }
    expect(allowed).toEqual([]);
  });
});

test('what is harmless is asked for', () => {
  const names = new Set(aimed.map(nameOf));
  expect([...HARMLESS].filter((one) => !names.has(one))).toEqual([]);
  expect(aimed.length).toBeGreaterThan(70);
});
