import { describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { createPolicy, defaultPolicyPath, invalidWith, nextPage, POLICIES } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

type Body = TestResponse['body'];

const { service, org } = useService();

const policyPath = async (type: string, of: TestOrg = org): Promise<string> =>
  `${POLICIES}/${(await createPolicy(of, { type })).id}`;
const map = (policy: string, resourceId: string, resourceType = 'APP'): Promise<TestResponse> =>
  org.admin.post(`${policy}/mappings`, { body: { resourceId, resourceType } });
const appsUnder = async (policy: string): Promise<string[]> =>
  (await org.admin.get(`${policy}/mappings`)).body.map(({ id }: Body) => id);
const notFound = { status: 404, body: { errorCode: 'E0000007' } };
const linkOf = async (appId: string, relation: 'accessPolicy' | 'profileEnrollment'): Promise<string> =>
  (await org.admin.get(`/api/v1/apps/${appId}`)).body._links[relation].href;

describe.each(['ACCESS_POLICY', 'PROFILE_ENROLLMENT'] as const)('an app under a policy of the type %s', (type) => {
  const relation = type === 'ACCESS_POLICY' ? 'accessPolicy' : 'profileEnrollment';

  test('is mapped, shown, listed, moved to another, and taken away, each with its event', async () => {
    const [app, one, other] = [await createApp(org), await policyPath(type), await policyPath(type)];
    const standard = `${org.baseUrl}${await defaultPolicyPath(org, type)}`;
    expect(await linkOf(app.id, relation)).toBe(standard);
    const mapped = await map(one, app.id);
    expect(mapped).toMatchObject({
      status: 200,
      body: {
        id: app.id,
        _links: {
          application: { href: `${org.baseUrl}/api/v1/apps/${app.id}` },
          policy: { href: org.baseUrl + one },
          self: { href: `${org.baseUrl}${one}/mappings/${app.id}` },
        },
      },
    });
    expect(await linkOf(app.id, relation)).toBe(org.baseUrl + one);
    expect((await org.admin.get(`${one}/mappings/${app.id}`)).body).toEqual(mapped.body);
    expect((await org.admin.get(`${one}/app`)).body).toMatchObject([{ id: app.id, label: app.label }]);
    expect(await map(one, app.id, 'ACCESS_POLICY')).toMatchObject({ status: 200, body: mapped.body });
    expect(await map(other, app.id)).toMatchObject({ status: 200 });
    expect(await appsUnder(one)).toEqual([]);
    expect(await appsUnder(other)).toEqual([app.id]);
    expect(await org.admin.get(`${one}/mappings/${app.id}`)).toMatchObject(notFound);
    expect(await org.admin.del(`${one}/mappings/${app.id}`)).toMatchObject(notFound);
    expect(await org.admin.del(`${other}/mappings/${app.id}`)).toMatchObject({ status: 204 });
    expect(await org.admin.del(`${other}/mappings/${app.id}`)).toMatchObject(notFound);
    expect(await linkOf(app.id, relation)).toBe(standard);
    const events = await org.systemLog(`eventType eq "application.policy.sign_on.update" and target.id eq "${app.id}"`);
    const idOf = (path: string): string => path.split('/').at(-1) ?? '';
    expect(events.map(({ target }) => target[0].changeDetails)).toEqual([
      { from: { [relation]: null }, to: { [relation]: idOf(one) } },
      { from: { [relation]: idOf(one) }, to: { [relation]: idOf(other) } },
      { from: { [relation]: idOf(other) }, to: { [relation]: null } },
    ]);
    for (const { target } of events) expect(target[1]).toMatchObject({ type: 'Policy' });
  });

  test('follows the default again when its policy is deleted, and no policy when it is deleted itself', async () => {
    const [app, gone, policy] = [await createApp(org), await createApp(org), await policyPath(type)];
    await map(policy, app.id);
    await map(policy, gone.id);
    await org.admin.post(`/api/v1/apps/${gone.id}/lifecycle/deactivate`);
    expect(await org.admin.del(`/api/v1/apps/${gone.id}`)).toMatchObject({ status: 204 });
    expect(await appsUnder(policy)).toEqual([app.id]);
    expect(await org.admin.del(policy)).toMatchObject({ status: 204 });
    expect(await linkOf(app.id, relation)).toBe(`${org.baseUrl}${await defaultPolicyPath(org, type)}`);
  });

  test('is not under the copy of its policy', async () => {
    const [app, policy] = [await createApp(org), await policyPath(type)];
    await map(policy, app.id);
    const clone = await org.admin.post(`${policy}/clone`);
    expect(await appsUnder(`${POLICIES}/${clone.body.id}`)).toEqual([]);
    expect(await appsUnder(policy)).toEqual([app.id]);
  });
});

test('both lists have pages', async () => {
  const policy = await policyPath('ACCESS_POLICY');
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await createApp(org)).id);
  for (const id of ids) await map(policy, id);
  for (const list of ['mappings', 'app']) {
    const first = await org.admin.get(`${policy}/${list}?limit=2`);
    const second = await org.admin.get(nextPage(first) ?? '');
    expect([...first.body, ...second.body].map(({ id }: Body) => id)).toEqual(ids.toSorted());
    expect(nextPage(second)).toBeNull();
    expect(await org.admin.get(`${policy}/${list}?after=abc`)).toMatchObject({ status: 400 });
  }
});

test('two who map an app at once leave it under one of the policies', async () => {
  const app = await createApp(org);
  const policies = [await policyPath('ACCESS_POLICY'), await policyPath('ACCESS_POLICY')];
  const answers = await Promise.all([...policies, ...policies].map((policy) => map(policy, app.id)));
  for (const { status } of answers) expect(status).toBe(200);
  const under = await Promise.all(policies.map(appsUnder));
  expect(under.flat()).toEqual([app.id]);
});

describe('refusals', () => {
  test('other types, unknown apps and policies, those of another org', async () => {
    const other = await service.newOrg();
    const foreign = await createApp(other);
    const policy = await policyPath('ACCESS_POLICY');
    const app = await createApp(org);
    for (const type of ['SVC_SIGN_ON', 'PASSWORD', 'MFA_ENROLL']) {
      expect(await map(await policyPath(type), app.id)).toMatchObject(
        invalidWith('must be a policy of a type that apps have'),
      );
    }
    for (const id of [foreign.id, '0oaUnknown']) {
      expect(await map(policy, id)).toMatchObject(invalidWith(`There is no app ${id}`));
    }
    const elsewhere = await policyPath('ACCESS_POLICY', other);
    for (const path of [`${POLICIES}/rstUnknown`, elsewhere]) {
      expect(await map(path, app.id)).toMatchObject(notFound);
      for (const rest of ['mappings', 'app', `mappings/${app.id}`]) {
        expect(await org.admin.get(`${path}/${rest}`)).toMatchObject(notFound);
      }
      expect(await org.admin.del(`${path}/mappings/${app.id}`)).toMatchObject(notFound);
      expect(await org.admin.post(`${path}/clone`)).toMatchObject(notFound);
    }
    expect(await map(policy, app.id, 'USER')).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await org.admin.post(`${policy}/mappings`, { body: {} })).toMatchObject({ status: 400 });
  });

  test('roles that may not manage policies', async () => {
    const [app, policy] = [await createApp(org), await policyPath('ACCESS_POLICY')];
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(`${policy}/mappings`)).toMatchObject({ status: 200 });
    const body = { resourceId: app.id, resourceType: 'APP' };
    for (const answer of [
      await reader.post(`${policy}/mappings`, { body }),
      await reader.del(`${policy}/mappings/${app.id}`),
      await reader.post(`${policy}/clone`),
      await (await org.withRoles()).get(`${policy}/mappings`),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
  });
});
