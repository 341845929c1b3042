import { describe, expect, test } from 'vitest';
import { appLifecycle } from '../../src/management/apps/lifecycle.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const url = '/api/v1/apps';
const body = {
  name: 'oidc_client',
  label: 'Service',
  signOnMode: 'OPENID_CONNECT',
  settings: { oauthClient: { application_type: 'service', grant_types: ['client_credentials'] } },
};

async function create(of: TestOrg): Promise<{ id: string }> {
  const response = await of.admin.post(url, { body });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const validAfter = async (id: string): Promise<number> => {
  const { rows } = await service.application.pool.query<{ at: string }>(
    'select extract(epoch from valid_after) * 1000000 as at from apps where org_id = $1 and id = $2',
    [org.id, id],
  );
  return Number(rows[0]?.at);
};

const giveRole = (of: TestOrg, clientId: string, role: string) =>
  service.application.pool.query(
    `insert into client_role_assignments (org_id, client_id, id, role_type, created_at, last_updated_at)
      values ($1, $2, $3, $4, now(), now())`,
    [of.id, clientId, `ra1${clientId.slice(3)}`, role],
  );

describe('activate and deactivate', () => {
  test('change the status and its links, and are logged', async () => {
    const own = await service.newOrg();
    const { id } = await create(own);
    expect(await own.admin.post(`${url}/${id}/lifecycle/deactivate`)).toMatchObject({ status: 200, body: {} });
    const inactive = (await own.admin.get(`${url}/${id}`)).body;
    expect(inactive.status).toBe('INACTIVE');
    expect(Object.keys(inactive._links)).toEqual(expect.arrayContaining([...appLifecycle.linkedFrom('INACTIVE')]));
    expect(inactive._links).not.toHaveProperty('deactivate');
    expect(await own.admin.post(`${url}/${id}/lifecycle/activate`)).toMatchObject({ status: 200, body: {} });
    expect((await own.admin.get(`${url}/${id}`)).body.status).toBe('ACTIVE');
    const target = [{ id, type: 'AppInstance', alternateId: 'Service' }];
    expect(await own.systemLog('eventType sw "application.lifecycle"')).toMatchObject([
      { eventType: 'application.lifecycle.create' },
      { eventType: 'application.lifecycle.activate' },
      { eventType: 'application.lifecycle.deactivate', target },
      { eventType: 'application.lifecycle.activate', target },
    ]);
  });

  test.each([
    ['activate', 'ACTIVE'],
    ['deactivate', 'INACTIVE'],
  ])('%s of what is so already changes nothing and logs nothing', async (action, status) => {
    const own = await service.newOrg();
    const { id } = await create(own);
    if (status === 'INACTIVE') await own.admin.post(`${url}/${id}/lifecycle/deactivate`);
    const before = (await own.admin.get(`${url}/${id}`)).body;
    const logged = (await own.systemLog()).length;
    service.clock.advance(5_000);
    expect(await own.admin.post(`${url}/${id}/lifecycle/${action}`)).toMatchObject({ status: 200, body: {} });
    expect((await own.admin.get(`${url}/${id}`)).body).toEqual(before);
    expect(await own.systemLog()).toHaveLength(logged);
  });

  test('deactivation voids for good what was issued before; activation revives nothing', async () => {
    const { id } = await create(org);
    const made = await validAfter(id);
    await org.admin.put(`${url}/${id}`, { body });
    expect(await validAfter(id)).toBe(made);
    await org.admin.post(`${url}/${id}/lifecycle/deactivate`);
    const raised = await validAfter(id);
    expect(raised).toBeGreaterThan(made);
    await org.admin.post(`${url}/${id}/lifecycle/activate`);
    expect(await validAfter(id)).toBe(raised);
  });

  test('many at once deactivate once', async () => {
    const own = await service.newOrg();
    const { id } = await create(own);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => own.admin.post(`${url}/${id}/lifecycle/deactivate`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await own.systemLog('eventType eq "application.lifecycle.deactivate"')).toHaveLength(1);
  });
});

describe('delete', () => {
  test('refuses an active app', async () => {
    const { id } = await create(org);
    const refused = await org.admin.del(`${url}/${id}`);
    expect(refused).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000056', errorSummary: 'Delete application forbidden.' },
    });
    expect((await org.admin.get(`${url}/${id}`)).status).toBe(200);
  });

  test('removes an inactive one with all that hangs on it, and logs it', async () => {
    const own = await service.newOrg();
    const secretApp = {
      ...body,
      credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic' } },
    };
    const { id } = (await own.admin.post(url, { body: secretApp })).body;
    await giveRole(own, id, 'READ_ONLY_ADMIN');
    await own.admin.post(`${url}/${id}/lifecycle/deactivate`);
    expect(await own.admin.del(`${url}/${id}`)).toMatchObject({ status: 204 });
    expect((await own.admin.get(`${url}/${id}`)).status).toBe(404);
    expect(await own.admin.del(`${url}/${id}`)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const { rows } = await service.application.pool.query<{ left: string }>(
      `select (select count(*) from app_secrets where org_id = $1)
        + (select count(*) from client_role_assignments where org_id = $1) as left`,
      [own.id],
    );
    expect(Number(rows[0]?.left)).toBe(0);
    expect(await own.systemLog('eventType eq "application.lifecycle.delete"')).toMatchObject([{ target: [{ id }] }]);
  });
});

describe('the app of a client with administrator roles', () => {
  test('is changed only by who holds all that it holds', async () => {
    const { id } = await create(org);
    await giveRole(org, id, 'SUPER_ADMIN');
    const manager = await org.withRoles('APP_ADMIN');
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    const jwks = { keys: [] };
    const takeover = { ...body, settings: { oauthClient: { ...body.settings.oauthClient, jwks } } };
    expect(await manager.get(`${url}/${id}`)).toMatchObject({ status: 200 });
    expect(await manager.put(`${url}/${id}`, { body: takeover })).toMatchObject(forbidden);
    for (const action of ['activate', 'deactivate']) {
      expect(await manager.post(`${url}/${id}/lifecycle/${action}`)).toMatchObject(forbidden);
    }
    expect(await manager.del(`${url}/${id}`)).toMatchObject(forbidden);
    expect(await org.admin.put(`${url}/${id}`, { body })).toMatchObject({ status: 200 });
  });

  test('is changed by a peer', async () => {
    const { id } = await create(org);
    await giveRole(org, id, 'APP_ADMIN');
    const peer = await org.withRoles('APP_ADMIN');
    expect(await peer.put(`${url}/${id}`, { body })).toMatchObject({ status: 200 });
  });
});
