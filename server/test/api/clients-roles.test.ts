import { describe, expect, test } from 'vitest';
import { ROLE_TYPES, ROLES } from '../../src/access/index.ts';
import { createApp, invalidField, serviceApp } from '../support/apps.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const rolesOf = (clientId: string): string => `/oauth2/v1/clients/${clientId}/roles`;
const newClient = async (of: TestOrg): Promise<string> => (await createApp(of, serviceApp())).id;
const assign = (of: TestOrg, clientId: string, type: unknown) => of.admin.post(rolesOf(clientId), { body: { type } });

describe('a role of a client', () => {
  test.each(ROLE_TYPES)('%s: 201, listed, readable, logged', async (type) => {
    const own = await service.newOrg();
    const clientId = await newClient(own);
    const assigned = await assign(own, clientId, type);
    expect(assigned).toMatchObject({
      status: 201,
      body: {
        type,
        label: ROLES[type].label,
        status: 'ACTIVE',
        assignmentType: 'CLIENT',
        _links: { assignee: { href: `${own.baseUrl}/oauth2/v1/clients/${clientId}` } },
      },
    });
    expect((await own.admin.get(rolesOf(clientId))).body).toEqual([assigned.body]);
    expect((await own.admin.get(`${rolesOf(clientId)}/${assigned.body.id}`)).body).toEqual(assigned.body);
    expect(await own.systemLog('eventType sw "app.oauth2.client.privilege"')).toMatchObject([
      {
        eventType: 'app.oauth2.client.privilege.grant',
        target: [{ id: clientId, type: 'AppInstance' }],
        debugContext: { debugData: { privilegeGranted: ROLES[type].label, roleType: type } },
      },
    ]);
  });

  test('that may get targets has one id for everyone, the same as of users', async () => {
    const clientId = await newClient(org);
    const user = await org.createUser();
    for (const type of ROLE_TYPES) {
      const { id } = (await assign(org, clientId, type)).body;
      const ofUser = (await org.admin.post(`/api/v1/users/${user.id}/roles`, { body: { type } })).body;
      if (ROLES[type].targets !== null) expect(id).toBe(ofUser.id);
      else expect(id).toMatch(/^ra1[0-9A-Za-z]{17}$/);
    }
  });

  test('is taken away, and logged', async () => {
    const own = await service.newOrg();
    const clientId = await newClient(own);
    const { id } = (await assign(own, clientId, 'APP_ADMIN')).body;
    expect(await own.admin.del(`${rolesOf(clientId)}/${id}`)).toMatchObject({ status: 204 });
    expect((await own.admin.get(rolesOf(clientId))).body).toEqual([]);
    expect(await own.admin.del(`${rolesOf(clientId)}/${id}`)).toMatchObject({ status: 404 });
    expect(await own.systemLog('eventType eq "app.oauth2.client.privilege.revoke"')).toMatchObject([
      { target: [{ id: clientId }], debugContext: { debugData: { roleType: 'APP_ADMIN' } } },
    ]);
  });

  test('twice is a conflict, also at once', async () => {
    const own = await service.newOrg();
    const clientId = await newClient(own);
    const twice = await Promise.all([1, 2].map(() => assign(own, clientId, 'SUPER_ADMIN')));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    expect(twice.find(({ status }) => status === 409)?.body).toMatchObject({ errorCode: 'E0000090' });
    expect(await own.systemLog('eventType sw "app.oauth2.client.privilege"')).toHaveLength(1);
  });
});

describe('no role is assigned', () => {
  test.each(['KING', 'toString', '', 5, null, undefined])('of type %j', async (type) => {
    const clientId = await newClient(org);
    expect(await assign(org, clientId, type)).toMatchObject(invalidField('type'));
    expect((await org.admin.get(rolesOf(clientId))).body).toEqual([]);
  });
});

describe('who may not', () => {
  test.each(ROLE_TYPES.filter((role) => role !== 'SUPER_ADMIN'))('%s grants and takes none', async (role) => {
    const clientId = await newClient(org);
    const { id } = (await assign(org, clientId, 'HELP_DESK_ADMIN')).body;
    const client = await org.withRoles(role);
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    for (const type of ['SUPER_ADMIN', role]) {
      expect(await client.post(rolesOf(clientId), { body: { type } })).toMatchObject(forbidden);
    }
    expect(await client.del(`${rolesOf(clientId)}/${id}`)).toMatchObject(forbidden);
    expect((await org.admin.get(rolesOf(clientId))).body).toMatchObject([{ id }]);
  });

  test('nobody reaches a client or an assignment that is not there, or in another org', async () => {
    const other = await service.newOrg();
    const theirs = await newClient(other);
    const { id } = (await assign(other, theirs, 'SUPER_ADMIN')).body;
    const ours = await newClient(org);
    const unknown = { status: 404, body: { errorCode: 'E0000007' } };
    for (const clientId of [theirs, '0oa00000000000000000', 'nobody']) {
      expect(await assign(org, clientId, 'APP_ADMIN')).toMatchObject(unknown);
      expect(await org.admin.get(rolesOf(clientId))).toMatchObject(unknown);
    }
    for (const clientId of [theirs, ours]) {
      expect(await org.admin.get(`${rolesOf(clientId)}/${id}`)).toMatchObject(unknown);
      expect(await org.admin.del(`${rolesOf(clientId)}/${id}`)).toMatchObject(unknown);
    }
    expect((await other.admin.get(rolesOf(theirs))).body).toHaveLength(1);
  });
});
