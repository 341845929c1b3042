import { describe, expect, test } from 'vitest';
import {
  appGroup,
  appGroups,
  appUser,
  appUsers,
  assign,
  assignTo,
  bookmarkApp,
  newApp,
  newGroup,
} from '../support/app-assignments.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

type Body = TestResponse['body'];

const { service, org } = useService({ isShared: false });
const other = beforeTests(() => service.newOrg());

interface Place {
  readonly app: Body;
  readonly user: Body;
  readonly group: Body;
}

const newPlace = async (at: TestOrg): Promise<Place> => {
  const place = { app: await newApp(at, bookmarkApp()), user: await at.createUser(), group: await newGroup(at) };
  await assign(at, place.app, place.user);
  await assignTo(at, place.app, place.group);
  return place;
};

const OPERATIONS: Readonly<Record<string, (client: TestClient, place: Place) => Promise<TestResponse>>> = {
  listApplicationUsers: (client, { app }) => client.get(appUsers(app)),
  assignUserToApplication: (client, { app, user }) => client.post(appUsers(app), { body: { id: user.id } }),
  assignUserToApplicationById: (client, { app, user }) => client.put(appUser(app, user)),
  getApplicationUser: (client, { app, user }) => client.get(appUser(app, user)),
  updateApplicationUser: (client, { app, user }) => client.post(appUser(app, user), { body: {} }),
  listApplicationGroupAssignments: (client, { app }) => client.get(appGroups(app)),
  getApplicationGroupAssignment: (client, { app, group }) => client.get(appGroup(app, group)),
  assignGroupToApplication: (client, { app, group }) => client.put(appGroup(app, group)),
  updateGroupAssignmentToApplication: (client, { app, group }) =>
    client.send('PATCH', appGroup(app, group), { body: [] }),
  unassignUserFromApplication: (client, { app, user }) => client.del(appUser(app, user)),
  unassignApplicationFromGroup: (client, { app, group }) => client.del(appGroup(app, group)),
};
const READS = new Set(Object.keys(OPERATIONS).filter((name) => /^(list|get)/.test(name)));

const stateOf = async ({ id }: TestOrg): Promise<unknown> => {
  const users = await service.database.pool.query('select * from app_users where org_id = $1 order by 1, 2, 3', [id]);
  const groups = await service.database.pool.query('select * from app_groups where org_id = $1 order by 1, 2, 3', [id]);
  return [users.rows, groups.rows];
};

describe('two orgs', () => {
  test.each(Object.entries(OPERATIONS))('%s: whatever is of the other org is not there', async (name, operation) => {
    const [own, foreign] = [await newPlace(org), await newPlace(other)];
    const before = await stateOf(other);
    const places: Place[] = [foreign];
    if (name !== 'listApplicationUsers' && name !== 'listApplicationGroupAssignments') {
      const isAboutUsers = /User/.test(name) && !/Group/.test(name);
      places.push(isAboutUsers ? { ...own, user: foreign.user } : { ...own, group: foreign.group });
    }
    for (const place of places) {
      const response = await operation(org.admin, place);
      expect(response).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
      expect(response.text).not.toContain(foreign.app.label);
    }
    expect(await stateOf(other)).toEqual(before);
  });
});

describe('administrators', () => {
  test.each(Object.entries(OPERATIONS))('%s by role', async (name, operation) => {
    const expected: Readonly<Record<string, boolean>> = {
      SUPER_ADMIN: true,
      ORG_ADMIN: true,
      APP_ADMIN: true,
      READ_ONLY_ADMIN: READS.has(name),
      HELP_DESK_ADMIN: false,
      USER_ADMIN: false,
    };
    for (const [role, isAllowed] of Object.entries(expected)) {
      const response = await operation(await org.withRoles(role), await newPlace(org));
      // An allowed operation may still fail with a status other than 403.
      const isRefused = response.status === 403;
      expect({ role, isRefused }).toEqual({ role, isRefused: !isAllowed });
    }
  });

  test.each(Object.entries(OPERATIONS))('%s by an administrator of one app', async (_, operation) => {
    const [own, foreign] = [await newPlace(org), await newPlace(org)];
    const admin = await org.withRoles();
    const role = await org.admin.post(`/api/v1/users/${admin.userId}/roles`, { body: { type: 'APP_ADMIN' } });
    const targets = `/api/v1/users/${admin.userId}/roles/${role.body.id}/targets/catalog/apps`;
    const target = await org.admin.put(`${targets}/${own.app.name}/${own.app.id}`);
    expect(target.status, target.text).toBe(204);
    service.clock.advance(1_100);
    expect((await operation(admin, foreign)).status).toBe(403);
    expect((await operation(admin, own)).status).not.toBe(403);
  });

  test('a list of users shows nothing of an app outside the grant', async () => {
    const { app } = await newPlace(org);
    const nobody = await org.withRoles();
    expect(await nobody.get(appUsers(app))).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
  });
});
