import { describe, expect, test } from 'vitest';
import type { TestClient } from '../support/client.ts';
import { createGroup } from '../support/groups.ts';
import { withCustomRole, withTargets } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, CREDENTIALS, eventsOf, newProfile, PASSWORD, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const grant = (of: TestOrg, userId: string, type: string) =>
  of.admin.post(`${userPath(userId)}/roles`, { body: { type } });
const change = { oldPassword: { value: PASSWORD }, newPassword: { value: ANOTHER_PASSWORD } };

interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const CHANGES: readonly Change[] = [
  { method: 'POST', path: '', body: { profile: { city: 'Paris' } } },
  { method: 'POST', path: '', body: { credentials: { password: { value: ANOTHER_PASSWORD } } } },
  { method: 'PUT', path: '', body: { profile: newProfile() } },
  { method: 'DELETE', path: '' },
  { method: 'POST', path: '/lifecycle/deactivate' },
  { method: 'POST', path: '/lifecycle/suspend' },
  { method: 'POST', path: '/lifecycle/reset_password?sendEmail=false' },
  { method: 'POST', path: '/lifecycle/reset_password?provider=FEDERATION' },
  { method: 'POST', path: '/lifecycle/expire_password' },
  { method: 'POST', path: '/lifecycle/expire_password_with_temp_password' },
  { method: 'POST', path: '/credentials/forgot_password?sendEmail=false' },
  { method: 'POST', path: '/credentials/change_password', body: change },
];

const make = (client: TestClient, id: string, { body, method, path }: Change) =>
  client.send(method, `${userPath(id)}${path}`, body === undefined ? {} : { body });

describe('an administrator who holds less', () => {
  test.each(CHANGES)('$method …$path of a super administrator: 403 for USER_ADMIN', async (wanted) => {
    const target = await org.createUser({ credentials: CREDENTIALS });
    await grant(org, target.id, 'SUPER_ADMIN');
    const before = await org.admin.get(userPath(target.id));
    const lesser = await org.withRoles('USER_ADMIN');
    const refused = await make(lesser, target.id, wanted);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    const after = await org.admin.get(userPath(target.id));
    expect(after.body).toEqual(before.body);
    expect(after.headers['etag']).toBe(before.headers['etag']);
    const events = await eventsOf(org, refused);
    expect(events.map(({ outcome }) => outcome.result)).not.toContain('SUCCESS');
  });

  test.each(CHANGES)('$method …$path of an ordinary user is done', async (wanted) => {
    const target = await org.createUser({ credentials: CREDENTIALS });
    const lesser = await org.withRoles('USER_ADMIN');
    const body = wanted.method === 'PUT' ? { profile: newProfile() } : wanted.body;
    const done = await make(lesser, target.id, { ...wanted, body });
    expect(done.status).toBe(wanted.method === 'DELETE' ? 204 : 200);
    const [event] = await eventsOf(org, done);
    expect(event).toMatchObject({ actor: { id: lesser.userId }, outcome: { result: 'SUCCESS' } });
  });

  test.each(['READ_ONLY_ADMIN', 'APP_ADMIN'])('%s reads and changes nobody', async (role) => {
    const target = await org.createUser({ credentials: CREDENTIALS });
    const reader = await org.withRoles(role);
    expect(await reader.get(userPath(target.id))).toMatchObject({ status: 200 });
    for (const wanted of CHANGES) {
      expect(await make(reader, target.id, wanted)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000006' },
      });
    }
    expect(await reader.post('/api/v1/users', { body: { profile: newProfile() } })).toMatchObject({ status: 403 });
  });

  test('HELP_DESK_ADMIN unlocks and resets, and does no more', async () => {
    const target = await org.createUser({ credentials: CREDENTIALS });
    const helper = await org.withRoles('HELP_DESK_ADMIN');
    expect(await helper.post(`${userPath(target.id)}/lifecycle/expire_password`)).toMatchObject({ status: 200 });
    expect(await helper.post(`${userPath(target.id)}/lifecycle/reset_password`)).toMatchObject({ status: 200 });
    for (const operation of ['suspend', 'deactivate', 'activate']) {
      expect(await helper.post(`${userPath(target.id)}/lifecycle/${operation}`)).toMatchObject({ status: 403 });
    }
    expect(await helper.del(userPath(target.id))).toMatchObject({ status: 403 });
  });

  test('without a role nobody is changed, the own user not either', async () => {
    const nobody = await org.withRoles();
    expect(await nobody.post(userPath('me'), { body: { profile: { city: 'Paris' } } })).toMatchObject({ status: 403 });
    expect(await nobody.post(`${userPath('me')}/lifecycle/suspend`)).toMatchObject({ status: 403 });
  });
});

describe('a password is not told to whom may not set it', () => {
  const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
  const narrowed = async () => withTargets(org, 'USER_ADMIN', { groups: [(await createGroup(org)).id] });
  const callers: readonly (readonly [string, boolean, () => Promise<TestClient>])[] = [
    ['USER_ADMIN of a group whom the user is not in', false, narrowed],
    ['USER_ADMIN, of a super administrator', true, () => org.withRoles('USER_ADMIN')],
    ['who writes profiles alone', false, () => withCustomRole(org, ['users.userprofile.manage'], ['/api/v1/users'])],
  ];

  test.each(callers)('%s: one answer for the right, a wrong and a weak one', async (_, isSuper, newCaller) => {
    const target = await org.createUser({ credentials: CREDENTIALS });
    if (isSuper) await grant(org, target.id, 'SUPER_ADMIN');
    const caller = await newCaller();
    for (const value of [PASSWORD, ANOTHER_PASSWORD, 'weak']) {
      const body = { profile: target.profile, credentials: { password: { value } } };
      for (const method of ['POST', 'PUT'] as const) {
        expect(await caller.send(method, `${userPath(target.id)}?strict=true`, { body })).toMatchObject(FORBIDDEN);
      }
    }
    const question = { credentials: { recovery_question: { question: 'Which?', answer: 'a' } } };
    expect(await caller.post(userPath(target.id), { body: question })).toMatchObject(FORBIDDEN);
    expect((await org.admin.get(userPath(target.id))).body).toMatchObject({ credentials: target.credentials });
  });

  test('who has some users learns of no other whether he exists', async () => {
    const caller = await narrowed();
    const body = { credentials: { password: { value: 'weak' } } };
    for (const id of [org.adminUserId, '00u00000000000000000']) {
      expect(await caller.post(`${userPath(id)}?strict=true`, { body })).toMatchObject(FORBIDDEN);
    }
    expect(await org.admin.post(userPath('00u00000000000000000'), { body })).toMatchObject({ status: 404 });
  });
});

describe('the last super administrator', () => {
  test.each([
    ['POST', '/lifecycle/deactivate'],
    ['POST', '/lifecycle/suspend'],
    ['POST', '/lifecycle/reset_password?provider=FEDERATION'],
    ['DELETE', ''],
  ])('%s …%s is refused, and done once there is another', async (method, path) => {
    const own = await service.newOrg();
    const stop = () => own.admin.send(method, `${userPath(own.adminUserId)}${path}`);
    const refused = await stop();
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect((await own.admin.get(userPath('me'))).body).toMatchObject({
      status: 'ACTIVE',
      credentials: { provider: { type: 'SVC' } },
    });
    const heir = await own.createUser({ credentials: CREDENTIALS });
    await grant(own, heir.id, 'SUPER_ADMIN');
    expect([200, 204]).toContain((await stop()).status);
  });

  test('a suspended heir does not count', async () => {
    const own = await service.newOrg();
    const heir = await own.createUser({ credentials: CREDENTIALS });
    await grant(own, heir.id, 'SUPER_ADMIN');
    await own.admin.post(`${userPath(heir.id)}/lifecycle/suspend`);
    expect(await own.admin.post(`${userPath(own.adminUserId)}/lifecycle/deactivate`)).toMatchObject({ status: 403 });
  });

  test('two who stop each other at once: one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await service.newOrg();
      const other = await own.withRoles('SUPER_ADMIN');
      const answers = await Promise.all([
        own.admin.post(`${userPath(other.userId)}/lifecycle/deactivate`),
        other.post(`${userPath(own.adminUserId)}/lifecycle/deactivate`),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const text = `select count(*)::integer as left from users u join user_role_assignments r
        on r.org_id = u.org_id and r.user_id = u.id where u.org_id = $1 and u.status = 'ACTIVE'`;
      expect((await service.database.pool.query(text, [own.id])).rows).toEqual([{ left: 1 }]);
    }
  });
});

describe('a token lives as its creator does', () => {
  test.each(['suspend', 'deactivate'])('%s ends it', async (operation) => {
    const other = await org.withRoles('SUPER_ADMIN');
    expect(await other.get(userPath('me'))).toMatchObject({ status: 200 });
    await org.admin.post(`${userPath(other.userId)}/lifecycle/${operation}`);
    service.clock.advance(2_000);
    expect(await other.get(userPath('me'))).toMatchObject({ status: 401 });
  });
});
