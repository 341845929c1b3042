import { describe, expect, test } from 'vitest';
import { KNOWN_SCOPES } from '../../src/management/apps/grants/grant-rules.ts';
import { approvalsOf, approve } from '../support/absent-users.ts';
import { bookmarkApp } from '../support/app-assignments.ts';
import { APPS, createApp, invalidField, serviceApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { good } from '../support/custom-servers.ts';
import { withTargets } from '../support/roles.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const grantsOf = (appId: string): string => `${APPS}/${appId}/grants`;
const newApp = async (of: TestOrg): Promise<string> => (await createApp(of, serviceApp())).id;
const grant = (of: TestOrg, appId: string, scopeId = 'svc.users.read', issuer = of.baseUrl) =>
  of.admin.post(grantsOf(appId), { body: { issuer, scopeId } });

const validAfter = async (of: TestOrg, id: string): Promise<number> => {
  const { rows } = await service.application.pool.query<{ at: string }>(
    'select extract(epoch from valid_after) * 1000000 as at from apps where org_id = $1 and id = $2',
    [of.id, id],
  );
  return Number(rows[0]?.at);
};

describe('a grant', () => {
  test('is made, listed, read, and logged', async () => {
    const own = await service.newOrg();
    const appId = await newApp(own);
    const made = await grant(own, appId);
    expect(made.status, made.text).toBe(201);
    const { _embedded, ...shown } = made.body;
    expect(_embedded).toEqual({ scope: { id: 'svc.users.read' } });
    expect(shown).toEqual({
      id: expect.stringMatching(/^oag[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      createdBy: { id: own.adminUserId, type: 'User' },
      lastUpdated: shown.created,
      issuer: own.baseUrl,
      clientId: appId,
      scopeId: 'svc.users.read',
      source: 'ADMIN',
      _links: {
        app: { href: `${own.baseUrl}${APPS}/${appId}`, title: 'App' },
        self: { href: `${own.baseUrl}${grantsOf(appId)}/${shown.id}`, hints: { allow: ['GET', 'DELETE'] } },
        client: { href: `${own.baseUrl}/oauth2/v1/clients/${appId}`, title: 'App' },
      },
    });
    expect((await own.admin.get(grantsOf(appId))).body).toEqual([shown]);
    expect((await own.admin.get(`${grantsOf(appId)}/${shown.id}`)).body).toEqual(shown);
    expect((await own.admin.get(`${grantsOf(appId)}?expand=scope`)).body).toEqual([made.body]);
    expect((await own.admin.get(`${grantsOf(appId)}/${shown.id}?expand=scope`)).body).toEqual(made.body);
    expect(await own.systemLog('eventType sw "app.oauth2.admin"')).toMatchObject([
      {
        eventType: 'app.oauth2.admin.consent.grant',
        target: [
          { id: appId, type: 'AppInstance' },
          { id: 'svc.users.read', type: 'Scope', alternateId: shown.id },
        ],
      },
    ]);
  });

  test('of a scope that is granted is the one that is there, also at once', async () => {
    const own = await service.newOrg();
    const appId = await newApp(own);
    const answers = await Promise.all([1, 2, 3].map(() => grant(own, appId)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await own.admin.get(grantsOf(appId))).body).toHaveLength(1);
    expect(await own.systemLog('eventType sw "app.oauth2.admin"')).toHaveLength(1);
  });

  test('is stored without the namespace word', async () => {
    const appId = await newApp(org);
    await grant(org, appId, 'svc.apps.manage');
    const { rows } = await service.application.pool.query(
      'select scope from app_grants where org_id = $1 and app_id = $2',
      [org.id, appId],
    );
    expect(rows).toEqual([{ scope: 'apps.manage' }]);
  });

  test('is revoked for good: every token issued before is void', async () => {
    const own = await service.newOrg();
    const appId = await newApp(own);
    const { id } = (await grant(own, appId)).body;
    await grant(own, appId, 'svc.apps.read');
    const before = await validAfter(own, appId);
    expect(await own.admin.del(`${grantsOf(appId)}/${id}`)).toMatchObject({ status: 204 });
    expect(await validAfter(own, appId)).toBeGreaterThan(before);
    expect(await own.admin.get(`${grantsOf(appId)}/${id}`)).toMatchObject({ status: 404 });
    expect((await own.admin.get(grantsOf(appId))).body).toMatchObject([{ scopeId: 'svc.apps.read' }]);
    const raised = await validAfter(own, appId);
    expect(await own.admin.del(`${grantsOf(appId)}/${id}`)).toMatchObject({ status: 404 });
    expect(await validAfter(own, appId)).toBe(raised);
    expect(await own.systemLog('eventType eq "app.oauth2.admin.consent.revoke"')).toMatchObject([
      { target: [{ id: appId }, { id: 'svc.users.read' }] },
    ]);
  });

  test('can be had of every scope that a route asks for', () => {
    const asked = new Set(service.application.routes.flatMap(({ scopes }) => scopes));
    expect(asked.size).toBeGreaterThan(10);
    expect([...asked].filter((scope) => !KNOWN_SCOPES.has(scope))).toEqual([]);
  });
});

describe('no grant is made', () => {
  test.each([
    ['scopeId', 'svc.nothing.read'],
    ['scopeId', 'users.read'],
    ['scopeId', 'okta.users.read'],
    ['scopeId', 'svc.users.read svc.users.manage'],
    ['scopeId', 'openid'],
    ['scopeId', ''],
  ])('%s: %j', async (field, scopeId) => {
    const appId = await newApp(org);
    expect(await grant(org, appId, scopeId)).toMatchObject(invalidField(field));
    expect((await org.admin.get(grantsOf(appId))).body).toEqual([]);
  });

  test('of another issuer', async () => {
    const other = await service.newOrg();
    const appId = await newApp(org);
    for (const issuer of [other.baseUrl, `${org.baseUrl}/`, `${org.baseUrl}/oauth2/default`, '']) {
      expect(await grant(org, appId, 'svc.users.read', issuer)).toMatchObject(invalidField('issuer'));
    }
  });

  test.each([
    ['issuer', { scopeId: 'svc.users.read' }],
    ['scopeId', { issuer: 'https://a.example' }],
    ['scopeId', { issuer: 'https://a.example', scopeId: ['svc.users.read'] }],
  ])('%s: %j', async (field, body) => {
    expect(await org.admin.post(grantsOf(await newApp(org)), { body })).toMatchObject(invalidField(field));
  });

  test('and no other expansion', async () => {
    expect(await org.admin.get(`${grantsOf(await newApp(org))}?expand=user`)).toMatchObject({ status: 200, body: [] });
  });
});

describe('who may not', () => {
  test.each(['ORG_ADMIN', 'APP_ADMIN', 'READ_ONLY_ADMIN'])(
    '%s reads grants and makes or revokes none',
    async (role) => {
      const appId = await newApp(org);
      const { id } = (await grant(org, appId)).body;
      const client = await org.withRoles(role);
      const body = { issuer: org.baseUrl, scopeId: 'svc.users.manage' };
      expect((await client.get(grantsOf(appId))).body).toMatchObject([{ id }]);
      expect(await client.post(grantsOf(appId), { body })).toMatchObject({ status: 403 });
      expect(await client.del(`${grantsOf(appId)}/${id}`)).toMatchObject({ status: 403 });
      expect((await org.admin.get(grantsOf(appId))).body).toHaveLength(1);
    },
  );

  test('HELP_DESK_ADMIN sees none', async () => {
    const client = await org.withRoles('HELP_DESK_ADMIN');
    expect(await client.get(grantsOf(await newApp(org)))).toMatchObject({ status: 403 });
  });

  test('nobody reaches what is not there, or in another org', async () => {
    const other = await service.newOrg();
    const theirs = await newApp(other);
    const { id } = (await grant(other, theirs)).body;
    const ours = await newApp(org);
    const unknown = { status: 404, body: { errorCode: 'E0000007' } };
    expect(await grant(org, theirs)).toMatchObject(unknown);
    expect(await org.admin.get(grantsOf(theirs))).toMatchObject(unknown);
    for (const appId of [theirs, ours]) {
      expect(await org.admin.get(`${grantsOf(appId)}/${id}`)).toMatchObject(unknown);
      expect(await org.admin.del(`${grantsOf(appId)}/${id}`)).toMatchObject(unknown);
    }
    expect((await other.admin.get(grantsOf(theirs))).body).toHaveLength(1);
  });
});

describe('an approval for administrators who are not there', () => {
  test('is made, listed, read, told to the log and taken back', async () => {
    const own = { id: await newApp(org) };
    const path = approvalsOf(own);
    expect((await org.admin.get(path)).body).toEqual([]);
    const { body: made, status } = await approve(org.admin, own);
    expect(status).toBe(201);
    expect(made).toEqual({
      id: expect.stringMatching(/^aua[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      createdBy: { id: org.adminUserId, type: 'User' },
      lastUpdated: made.created,
      _links: {
        app: { href: `${org.baseUrl}/api/v1/apps/${own.id}`, title: 'App' },
        self: { href: `${org.baseUrl}${path}/${made.id}`, hints: { allow: ['GET', 'DELETE'] } },
      },
    });
    expect((await org.admin.get(path)).body).toEqual([made]);
    expect((await org.admin.get(`${path}/${made.id}`)).body).toEqual(made);
    expect(await org.admin.del(`${path}/${made.id}`)).toMatchObject({ status: 204 });
    const again = await Promise.all([1, 2].map(() => org.admin.del(`${path}/${made.id}`)));
    expect(again.map((answer) => answer.status)).toEqual([404, 404]);
    expect(await org.admin.get(`${path}/${made.id}`)).toMatchObject({ status: 404 });
    const target = [{ id: own.id }, { id: made.id, type: 'AbsentUserApproval', alternateId: org.adminUserId }];
    const events = await org.systemLog(`eventType sw "app.oauth2.admin.consent" and target.id eq "${own.id}"`);
    const types = ['app.oauth2.admin.consent.grant', 'app.oauth2.admin.consent.revoke'];
    expect(events.map((event) => event.eventType).toSorted()).toEqual(types);
    for (const event of events) expect(event).toMatchObject({ target, actor: { id: org.adminUserId } });
  });

  test('of somebody who has approved is the one that is there, also at once', async () => {
    const own = { id: await newApp(org) };
    const answers = await Promise.all([1, 2, 3].map(() => approve(org.admin, own)));
    expect(new Set(answers.map(({ body, status }) => `${status} ${body.id}`)).size).toBe(1);
    expect(await org.systemLog(`eventType sw "app.oauth2.admin.consent" and target.id eq "${own.id}"`)).toHaveLength(1);
  });

  test('is refused beyond twenty', async () => {
    const own = { id: await newApp(org) };
    const text = `insert into absent_user_approvals
      (org_id, app_id, id, approver_id, approver_type, held_roles, created_at, last_updated_at)
      select $1, $2, 'aua' || n, 'gone' || n, 'User', '[]', now(), now() from generate_series(1, 20) n`;
    await service.database.pool.query(text, [org.id, own.id]);
    expect(await approve(org.admin, own)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    await good(org.admin.del(`${approvalsOf(own)}/aua7`));
    expect((await approve(org.admin, own)).status).toBe(201);
  });

  const statuses = (answers: readonly TestResponse[]) => answers.map(({ status }) => status);

  test('is for whoever manages the app, of a client of his org', async () => {
    const own = { id: await newApp(org) };
    const { id } = await good(approve(org.admin, own));
    const all = (by: Pick<TestOrg['admin'], 'get' | 'post' | 'del'>, path = approvalsOf(own)) =>
      Promise.all([by.get(path), by.get(`${path}/${id}`), by.post(path), by.del(`${path}/${id}`)]);
    expect(statuses(await all(org.anonymous))).toEqual([401, 401, 401, 401]);
    expect(statuses(await all(await org.withRoles('GROUP_MEMBERSHIP_ADMIN')))).toEqual([403, 403, 403, 403]);
    expect(statuses(await all(await org.withRoles('READ_ONLY_ADMIN')))).toEqual([200, 200, 403, 403]);
    const elsewhere = { id: await newApp(org) };
    const narrowed = await withTargets(org, 'APP_ADMIN', { apps: [`oidc_client/${elsewhere.id}`] });
    expect(statuses(await all(narrowed))).toEqual([403, 403, 403, 403]);
    expect(statuses(await all((await service.newOrg()).admin))).toEqual([404, 404, 404, 404]);
    const bookmark = await createApp(org, bookmarkApp());
    expect(statuses(await all(org.admin, approvalsOf(bookmark)))).toEqual([404, 404, 404, 404]);
    expect((await org.admin.get(approvalsOf(own))).body).toHaveLength(1);
  });
});
