import { describe, expect, test } from 'vitest';
import { ROLE_TYPES, ROLES } from '../../src/access/index.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const rolesOf = (userId: string): string => `/api/v1/users/${userId}/roles`;

describe('assign', () => {
  test.each(ROLE_TYPES)('%s: 201, listed, readable', async (type) => {
    const { id: userId } = await org.createUser();
    const assigned = await org.admin.post(rolesOf(userId), { body: { type } });
    expect(assigned).toMatchObject({
      status: 201,
      body: {
        type,
        label: ROLES[type].label,
        status: 'ACTIVE',
        assignmentType: 'USER',
        _links: { assignee: { href: `${org.baseUrl}/api/v1/users/${userId}` } },
      },
    });
    expect((await org.admin.get(rolesOf(userId))).body).toEqual([assigned.body]);
    expect((await org.admin.get(`${rolesOf(userId)}/${assigned.body.id}`)).body).toEqual(assigned.body);
  });

  test('roles that may get targets have one id for everyone', async () => {
    const { id: userId } = await org.createUser();
    const ids = [];
    for (const type of ['APP_ADMIN', 'HELP_DESK_ADMIN', 'USER_ADMIN', 'SUPER_ADMIN']) {
      ids.push((await org.admin.post(rolesOf(userId), { body: { type } })).body.id);
    }
    expect(ids).toEqual([
      'IFIFAX2BIRGUSTQ',
      'JBCUYUC7IRCVGS27IFCE2SKO',
      'KVJUKUS7IFCE2SKO',
      expect.stringMatching(/^ra1[0-9A-Za-z]{17}$/),
    ]);
  });

  test('twice is a conflict, also at once', async () => {
    const { id: userId } = await org.createUser();
    const twice = await Promise.all([1, 2].map(() => org.admin.post(rolesOf(userId), { body: { type: 'APP_ADMIN' } })));
    expect(twice.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([201, 409]);
    expect(twice.find(({ status }) => status === 409)?.body).toMatchObject({ errorCode: 'E0000090' });
  });

  test.each([{ type: 'KING' }, { type: 'CUSTOM' }, { type: 'toString' }, {}, { type: 5 }])(
    'refuses %j',
    async (body) => {
      expect(await org.admin.post(rolesOf(org.adminUserId), { body })).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    },
  );

  test('an unknown user, and one of another org, answer 404', async () => {
    const other = await service.newOrg();
    for (const userId of ['00unobody', other.adminUserId]) {
      const options = { body: { type: 'APP_ADMIN' } };
      expect(await org.admin.post(rolesOf(userId), options)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${userId} (User)` },
      });
      expect(await org.admin.get(rolesOf(userId))).toMatchObject({ status: 404 });
    }
  });

  test('nobody but a super administrator grants or takes roles', async () => {
    for (const role of ROLE_TYPES.filter((type) => type !== 'SUPER_ADMIN')) {
      const client = await org.withRoles(role);
      const options = { body: { type: 'SUPER_ADMIN' } };
      expect(await client.post(rolesOf(client.userId), options)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000006' },
      });
    }
  });
});

describe('unassign', () => {
  test('204, then 404; grant and revoke are in the log', async () => {
    const own = await service.newOrg();
    const user = await own.createUser();
    const { body } = await own.admin.post(rolesOf(user.id), { body: { type: 'ORG_ADMIN' } });
    expect(await own.admin.del(`${rolesOf(user.id)}/${body.id}`)).toMatchObject({ status: 204, text: '' });
    expect(await own.admin.del(`${rolesOf(user.id)}/${body.id}`)).toMatchObject({
      status: 404,
      body: { errorSummary: `Not found: Resource not found: ${body.id} (RoleAssignment)` },
    });
    const target = [{ id: user.id, alternateId: user.profile.login }];
    expect(await own.systemLog(`target.id eq "${user.id}" and eventType sw "user.account.privilege"`)).toMatchObject([
      {
        eventType: 'user.account.privilege.grant',
        target,
        debugContext: { debugData: { privilegeGranted: 'Organization Administrator' } },
      },
      { eventType: 'user.account.privilege.revoke', target },
    ]);
  });
});

describe('the last super administrator', () => {
  const superRole = async (of: TestOrg, userId: string): Promise<string> => {
    const { body } = await of.admin.get(rolesOf(userId));
    return body.find(({ type }: { type: string }) => type === 'SUPER_ADMIN').id;
  };

  test('keeps the role, and stays active', async () => {
    const own = await service.newOrg();
    const user = `/api/v1/users/${own.adminUserId}`;
    const attempts = [
      await own.admin.del(`${rolesOf(own.adminUserId)}/${await superRole(own, own.adminUserId)}`),
      await own.admin.post(`${user}/lifecycle/suspend`),
      await own.admin.post(`${user}/lifecycle/deactivate`),
      await own.admin.del(user),
    ];
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
      expect(attempt.body.errorCauses[0].errorSummary).toContain('last super administrator');
    }
    expect(await own.admin.get(user)).toMatchObject({ status: 200, body: { status: 'ACTIVE' } });
  });

  test('one who is suspended does not count', async () => {
    const own = await service.newOrg();
    const second = await own.withRoles('SUPER_ADMIN');
    expect(await own.admin.post(`/api/v1/users/${second.userId}/lifecycle/suspend`)).toMatchObject({ status: 200 });
    const path = `${rolesOf(own.adminUserId)}/${await superRole(own, own.adminUserId)}`;
    expect(await own.admin.del(path)).toMatchObject({ status: 403 });
    expect(await own.admin.post(`/api/v1/users/${second.userId}/lifecycle/unsuspend`)).toMatchObject({ status: 200 });
    expect(await own.admin.del(path)).toMatchObject({ status: 204 });
  });

  test('of two who take the role from one another at once, one keeps it', async () => {
    const own = await service.newOrg();
    const second = await own.withRoles('SUPER_ADMIN');
    const [one, two] = [await superRole(own, own.adminUserId), await superRole(own, second.userId)];
    const answers = await Promise.all([
      own.admin.del(`${rolesOf(second.userId)}/${two}`),
      second.del(`${rolesOf(own.adminUserId)}/${one}`),
    ]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([204, 403]);
  });
});
