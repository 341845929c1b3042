import { describe, expect, test } from 'vitest';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const BOOKMARK = newAppOf(kindNamed('BOOKMARK bookmark'));
const POLICIES = '/api/v1/policies';

let policies = 0;
async function newPolicy(type = 'ACCESS_POLICY', of: TestOrg = org): Promise<{ id: string; name: string }> {
  policies += 1;
  const response = await of.admin.post(POLICIES, { body: { type, name: `policy ${policies}` } });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const linksOf = async ({ id }: { id: string }) => (await org.admin.get(`${APPS}/${id}`)).body._links;
const assign = ({ id }: { id: string }, policyId: string) => org.admin.put(`${APPS}/${id}/policies/${policyId}`);
const assignments = ({ id }: { id: string }) =>
  org.systemLog(`eventType eq "application.policy.sign_on.update" and target.id eq "${id}"`);

describe('the policies of an app', () => {
  test('are the defaults of the org until others are assigned', async () => {
    const app = await createApp(org, BOOKMARK);
    const [standard] = (await org.admin.get(`${POLICIES}?type=ACCESS_POLICY`)).body.filter(
      ({ system }: { system: boolean }) => system,
    );
    const before = await linksOf(app);
    expect(before.accessPolicy).toEqual({ href: `${org.baseUrl}${POLICIES}/${standard.id}` });
    const policy = await newPolicy();
    const answer = await assign(app, policy.id);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    const after = await linksOf(app);
    expect(after.accessPolicy).toEqual({ href: `${org.baseUrl}${POLICIES}/${policy.id}` });
    expect(after.profileEnrollment).toEqual(before.profileEnrollment);
    const enrollment = await newPolicy('PROFILE_ENROLLMENT');
    await assign(app, enrollment.id);
    expect(await linksOf(app)).toMatchObject({
      accessPolicy: after.accessPolicy,
      profileEnrollment: { href: `${org.baseUrl}${POLICIES}/${enrollment.id}` },
    });
    expect(await assignments(app)).toMatchObject([
      {
        target: [
          { id: app.id, changeDetails: { from: { accessPolicy: null }, to: { accessPolicy: policy.id } } },
          { id: policy.id, displayName: policy.name },
        ],
      },
      { target: [{ changeDetails: { to: { profileEnrollment: enrollment.id } } }, { id: enrollment.id }] },
    ]);
  });

  test('the same once more is no change; another takes its place; one that is deleted leaves the default', async () => {
    const app = await createApp(org, BOOKMARK);
    const standard = (await linksOf(app)).accessPolicy;
    const [first, second] = [await newPolicy(), await newPolicy()];
    for (const policy of [first, first, second]) expect((await assign(app, policy.id)).status).toBe(204);
    expect(await assignments(app)).toHaveLength(2);
    expect((await linksOf(app)).accessPolicy.href).toContain(second.id);
    await org.admin.post(`${POLICIES}/${second.id}/lifecycle/deactivate`);
    expect((await org.admin.del(`${POLICIES}/${second.id}`)).status).toBe(204);
    expect((await linksOf(app)).accessPolicy).toEqual(standard);
  });

  test('two assignments at once: one of them stands', async () => {
    const app = await createApp(org, BOOKMARK);
    const [first, second] = [await newPolicy(), await newPolicy()];
    const answers = await Promise.all([assign(app, first.id), assign(app, second.id)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    const { href } = (await linksOf(app)).accessPolicy;
    expect([first.id, second.id]).toContain(href.split('/').at(-1));
  });

  test('a policy of another type, of another org, and one that is not there, are refused', async () => {
    const app = await createApp(org, BOOKMARK);
    const before = await linksOf(app);
    const [signOn] = (await org.admin.get(`${POLICIES}?type=SVC_SIGN_ON`)).body;
    expect(await assign(app, signOn.id)).toMatchObject(invalidField('policyId'));
    const other = await service.newOrg();
    const foreign = await newPolicy('ACCESS_POLICY', other);
    for (const id of [foreign.id, 'rstnobody']) expect(await assign(app, id)).toMatchObject(NOT_FOUND);
    const policy = await newPolicy();
    for (const id of [(await createApp(other, BOOKMARK)).id, '0oanobody']) {
      expect(await assign({ id }, policy.id)).toMatchObject(NOT_FOUND);
    }
    expect(await linksOf(app)).toEqual(before);
    expect(await assignments(app)).toEqual([]);
  });
});
