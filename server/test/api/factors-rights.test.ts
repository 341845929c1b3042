import { describe, expect, test, vi } from 'vitest';
import { mailTo } from '../support/authn.ts';
import { newBrowser } from '../support/authorization.ts';
import { closedTo } from '../support/closed-attributes.ts';
import { CODE_FACTOR, deviceOf, enroll, factorsPath, QUESTION_FACTOR, userWithDevice } from '../support/factors.ts';
import { createGroup } from '../support/groups.ts';
import { withTargets } from '../support/roles.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf, USER_STATUSES, userIn, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const given = (passCode: string) => ({ body: { passCode } });

describe('the user', () => {
  test.each(USER_STATUSES)('who is %s', async (status) => {
    const { id } = await userIn(org, status);
    const refusals: Readonly<Record<string, string>> = { LOCKED_OUT: 'E0000069' };
    const isInUse = ['PROVISIONED', 'ACTIVE', 'RECOVERY', 'PASSWORD_EXPIRED'].includes(status);
    const enrolled = await enroll(org.admin, id, QUESTION_FACTOR);
    if (isInUse) expect(enrolled.status).toBe(200);
    else expect(enrolled).toMatchObject({ status: 403, body: { errorCode: refusals[status] ?? 'E0000038' } });
  });

  test('loses their factors when they are deactivated, and proves nothing while suspended', async () => {
    const device = await userWithDevice(service, org);
    await org.admin.post(`${userPath(device.userId)}/lifecycle/suspend`);
    const suspended = await org.admin.post(`${device.path}/verify`, given(device.code(1)));
    expect(suspended).toMatchObject({ status: 403, body: { errorCode: 'E0000038' } });
    await org.admin.post(`${userPath(device.userId)}/lifecycle/deactivate`);
    expect((await org.admin.get(factorsPath(device.userId))).body).toEqual([]);
  });

  test('has no factor again after a deactivation by a process of an older version', async () => {
    const device = await userWithDevice(service, org);
    const keeps = vi.spyOn(service.application.users, 'wipeFactors').mockResolvedValueOnce();
    await org.admin.post(`${userPath(device.userId)}/lifecycle/deactivate`);
    keeps.mockRestore();
    expect((await org.admin.get(factorsPath(device.userId))).body).toHaveLength(1);
    await org.admin.post(`${userPath(device.userId)}/lifecycle/activate?sendEmail=false`);
    expect((await org.admin.get(factorsPath(device.userId))).body).toEqual([]);
  });

  test('is told by email of a factor that is activated, and of an active one that is removed', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const told = async () => (await mailTo(service, org, user)).kind;
    const pending = (await enroll(org.admin, user.id)).body;
    await org.admin.del(`${factorsPath(user.id)}/${pending.id}`);
    expect(await told()).not.toBe('factorsRemoved');
    const device = deviceOf(service, user.id, (await enroll(org.admin, user.id)).body);
    expect(await told()).not.toBe('factorEnrolled');
    await org.admin.post(`${device.path}/lifecycle/activate`, given(device.code()));
    expect(await told()).toBe('factorEnrolled');
    await org.admin.del(device.path);
    expect(await told()).toBe('factorsRemoved');
  });

  test('loses all factors by a reset, which is recorded once and told', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    for (const kind of [QUESTION_FACTOR, CODE_FACTOR]) await enroll(org.admin, user.id, kind);
    const reset = () => org.admin.post(`${userPath(user.id)}/lifecycle/reset_factors`);
    const first = await reset();
    expect(first).toMatchObject({ status: 200, body: {} });
    const [event] = await eventsOf(org, first);
    expect(event).toMatchObject({ eventType: 'user.mfa.factor.reset_all', target: [{ id: user.id }, {}, {}] });
    expect((await org.admin.get(factorsPath(user.id))).body).toEqual([]);
    expect((await mailTo(service, org, user)).kind).toBe('factorsRemoved');
    expect(await eventsOf(org, await reset())).toEqual([]);
  });
});

describe('rights', () => {
  const REFUSED = { status: 403, body: { errorCode: 'E0000006' } };

  test('readers read, the help desk resets, and neither enrolls or verifies', async () => {
    const device = await userWithDevice(service, org);
    const [reader, desk] = [await org.withRoles('READ_ONLY_ADMIN'), await org.withRoles('HELP_DESK_ADMIN')];
    for (const client of [reader, desk]) {
      expect((await client.get(device.path)).status).toBe(200);
      expect(await enroll(client, device.userId, QUESTION_FACTOR)).toMatchObject(REFUSED);
      expect(await client.post(`${device.path}/verify`, given(device.code(1)))).toMatchObject(REFUSED);
    }
    expect(await reader.del(device.path)).toMatchObject(REFUSED);
    expect((await desk.post(`${userPath(device.userId)}/lifecycle/reset_factors`)).status).toBe(200);
  });

  test('nobody acts on the factors of somebody with more rights', async () => {
    const device = await userWithDevice(service, org);
    await org.admin.post(`${userPath(device.userId)}/roles`, { body: { type: 'SUPER_ADMIN' } });
    const lesser = await org.withRoles('USER_ADMIN');
    for (const refused of [
      await enroll(lesser, device.userId, QUESTION_FACTOR),
      await lesser.post(`${device.path}/verify`, given(device.code(1))),
      await lesser.del(device.path),
      await lesser.post(`${userPath(device.userId)}/lifecycle/reset_factors`),
    ])
      expect(refused).toMatchObject(REFUSED);
    expect((await org.admin.post(`${device.path}/verify`, given(device.code(1)))).status).toBe(200);
  });

  test('targets bound whose factors are seen and changed', async () => {
    const device = await userWithDevice(service, org);
    const group = await createGroup(org);
    const bounded = await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
    const tries = [
      () => bounded.get(device.path),
      () => enroll(bounded, device.userId, QUESTION_FACTOR),
      () => bounded.post(`${device.path}/verify`, given(device.code(1))),
      () => bounded.post(`${userPath(device.userId)}/lifecycle/reset_factors`),
    ];
    for (const act of tries) expect(await act()).toMatchObject(REFUSED);
    await org.admin.put(`/api/v1/groups/${group.id}/users/${device.userId}`);
    for (const act of tries) expect((await act()).status).toBe(200);
  });

  test('a login that a role hides is not shown as the name of the account', async () => {
    const device = await userWithDevice(service, org);
    const reader = await closedTo(org, ['login'], [], []);
    service.clock.advance(1_100);
    for (const path of [device.path, factorsPath(device.userId)]) {
      const [{ profile }] = [(await reader.get(path)).body].flat();
      expect(profile).toEqual({ credentialId: device.userId });
    }
  });

  test('another org has none of them', async () => {
    const device = await userWithDevice(service, org);
    const other = await service.newOrg();
    for (const refused of [
      await other.admin.get(device.path),
      await other.admin.del(device.path),
      await enroll(other.admin, device.userId),
      await other.admin.post(`${device.path}/verify`, given(device.code(1))),
    ])
      expect(refused).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
  });

  test('a user reads their own factors and changes none', async () => {
    const own = await newBrowser(service, org, null);
    await enroll(org.admin, own.userId, QUESTION_FACTOR);
    const headers = { cookie: own.cookie, origin: org.baseUrl };
    const client = org.client(headers);
    const { body } = await client.get(factorsPath('me'));
    expect(body).toMatchObject([{ factorType: 'question' }]);
    expect(await enroll(client, 'me')).toMatchObject(REFUSED);
    expect(
      await client.del(`${factorsPath('me')}/${body[0].id}`, { headers: { 'x-requested-with': 'x' } }),
    ).toMatchObject(REFUSED);
  });

  test('at a screen, nobody enrolls a factor, and nobody removes their own', async () => {
    const own = await newBrowser(service, org, null);
    await org.admin.post(`${userPath(own.userId)}/roles`, { body: { type: 'SUPER_ADMIN' } });
    await enroll(org.admin, own.userId, QUESTION_FACTOR);
    const device = await userWithDevice(service, org);
    service.clock.advance(1_100);
    const headers = { 'x-requested-with': 'XMLHttpRequest' };
    const client = org.client({ cookie: own.cookie, origin: org.baseUrl, ...headers });
    const { id } = await org.createUser();
    const [{ id: factorId }] = (await client.get(factorsPath('me'))).body;
    for (const refused of [
      await enroll(client, id),
      await enroll(client, id, QUESTION_FACTOR),
      await enroll(client, 'me'),
      await client.del(`${factorsPath('me')}/${factorId}`),
      await client.post(`${userPath('me')}/lifecycle/reset_factors`),
    ])
      expect(refused).toMatchObject(REFUSED);
    expect((await org.admin.get(factorsPath(id))).body).toEqual([]);
    expect((await org.admin.get(factorsPath(own.userId))).body).toHaveLength(1);
    expect((await client.del(device.path)).status).toBe(204);
  });
});
