import { describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import { createGroup, everyoneOf } from '../support/groups.ts';
import { createPolicy, defaultPolicy, invalidWith, listPolicies, listRules, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

type Given = Readonly<Record<string, unknown>>;

describe('what policies and rules name', () => {
  test("groups that exist are kept, others refused, another org's too; what is gone since stays", async () => {
    const group = await createGroup(org);
    const foreign = await createGroup(await service.newOrg());
    const include = [group.id, foreign.id, '00gUnknown'];
    for (const type of ['SVC_SIGN_ON', 'PASSWORD', 'MFA_ENROLL']) {
      const conditions = { people: { groups: { include } } };
      const refused = await org.admin.post(POLICIES, { body: { type, name: 'Groups', conditions } });
      expect(refused.status).toBe(400);
      expect(refused.body.errorCauses).toEqual(
        [foreign.id, '00gUnknown'].map((id) => ({
          errorSummary: `conditions.people.groups.include: There is no group ${id}.`,
        })),
      );
    }
    const known = { people: { groups: { include: [group.id] } } };
    const made = await createPolicy(org, { name: 'Of a group', conditions: known });
    expect(made.conditions).toEqual(known);
    const users = await org.createUser();
    const rule = await org.admin.post(`${POLICIES}/${made.id}/rules`, {
      body: {
        name: 'Rule',
        conditions: { people: { groups: { exclude: [group.id] }, users: { include: [users.id] } } },
        actions: { signon: { access: 'DENY' } },
      },
    });
    expect(rule.body.conditions.people).toEqual({
      users: { include: [users.id], exclude: [] },
      groups: { include: [], exclude: [group.id] },
    });
    expect(await org.admin.del(`/api/v1/groups/${group.id}`)).toMatchObject({ status: 204 });
    const path = `${POLICIES}/${made.id}`;
    expect((await org.admin.get(path)).body.conditions).toEqual(known);
    expect(await org.admin.put(path, { body: { ...made, name: 'Renamed' } })).toMatchObject({ status: 200 });
    expect(await org.admin.put(`${path}/rules/${rule.body.id}`, { body: { ...rule.body, name: 'R' } })).toMatchObject({
      status: 200,
    });
    const again = { ...made, conditions: { people: { groups: { include: ['00gUnknown', group.id] } } } };
    expect(await org.admin.put(path, { body: again })).toMatchObject(invalidWith('There is no group 00gUnknown'));
  });

  test('apps, user types and providers too', async () => {
    const app = await createApp(org);
    const enroll = await createPolicy(org, { type: 'MFA_ENROLL', name: 'Apps' });
    const ofApp = (id: string) => ({
      name: `Rule ${id}`,
      conditions: { app: { include: [{ type: 'APP', id }] } },
      actions: { enroll: { self: 'NEVER' } },
    });
    const rules = `${POLICIES}/${enroll.id}/rules`;
    expect(await org.admin.post(rules, { body: ofApp(app.id) })).toMatchObject({
      status: 200,
      body: { conditions: { app: { include: [{ type: 'APP', id: app.id }] } } },
    });
    expect(await org.admin.post(rules, { body: ofApp('0oaUnknown') })).toMatchObject(
      invalidWith('There is no app 0oaUnknown'),
    );
    const access = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'User types' });
    const [type] = (await org.admin.get('/api/v1/meta/types/user')).body;
    const ofType = (id: string) => ({
      name: `Rule ${id}`,
      conditions: { userType: { include: [id], exclude: [] } },
      actions: { appSignOn: { access: 'DENY' } },
    });
    expect(await org.admin.post(`${POLICIES}/${access.id}/rules`, { body: ofType(type.id) })).toMatchObject({
      status: 200,
      body: { conditions: { userType: { include: [type.id], exclude: [] } } },
    });
    expect(await org.admin.post(`${POLICIES}/${access.id}/rules`, { body: ofType('otyUnknown') })).toMatchObject(
      invalidWith('There is no user type otyUnknown'),
    );
    const sourcing = await defaultPolicy(org, 'IDENTITY_CLAIM_SOURCING');
    const [rule] = await listRules(org, `${POLICIES}/${sourcing.id}`);
    const refresh = { redirectType: 'FIXED', filter: { include: [{ id: '0oaUnknown' }] } };
    const body = { ...rule, actions: { claimSourcing: { redirectType: 'IDP_DISCOVERY', refresh } } };
    expect(await org.admin.put(`${POLICIES}/${sourcing.id}/rules/${rule?.id}`, { body })).toMatchObject(
      invalidWith('There is no identity provider 0oaUnknown'),
    );
  });
});

test("the default is everyone's, also when it is said with the group of everyone; nobody else's", async () => {
  const { id } = await defaultPolicy(org, 'PASSWORD');
  const { body } = await org.admin.get(`${POLICIES}/${id}`);
  const group = await createGroup(org);
  const of = (include: readonly string[]) =>
    org.admin.put(`${POLICIES}/${id}`, {
      body: { ...body, conditions: { ...body.conditions, people: { groups: { include } } } },
    });
  const everyone = await everyoneOf(org);
  expect(await of([everyone.id])).toMatchObject({ status: 200, body });
  expect(await of([group.id])).toMatchObject(invalidWith('conditions: '));
  const made = await createPolicy(org, {
    type: 'PASSWORD',
    conditions: { people: { groups: { include: [everyone.id] } } },
  });
  expect(made.conditions.people.groups.include).toEqual([everyone.id]);
});

describe('settings', () => {
  test('of MFA_ENROLL in both forms, with the namespace word in the keys', async () => {
    const settings = {
      type: 'AUTHENTICATORS',
      authenticators: [
        { key: 'svc_password', enroll: { self: 'REQUIRED' } },
        { key: 'webauthn', enroll: { self: 'OPTIONAL' }, constraints: { aaguidGroups: ['A'] } },
        { key: 'phone_number', enroll: { self: 'REQUIRED', gracePeriod: { type: 'BY_SKIP_COUNT', skipCount: 3 } } },
        { key: 'custom_app', id: 'aut1', enroll: { self: 'OPTIONAL' } },
        { key: 'custom_app', id: 'aut2', enroll: { self: 'NOT_ALLOWED', autoEnroll: false } },
      ],
    };
    expect(await createPolicy(org, { type: 'MFA_ENROLL', settings })).toMatchObject({ settings });
    const factors = {
      type: 'FACTORS',
      factors: { svc_otp: { enroll: { self: 'OPTIONAL' }, consent: { type: 'NONE' } } },
    };
    expect(await createPolicy(org, { type: 'MFA_ENROLL', settings: factors })).toMatchObject({ settings: factors });
  });

  test.each([
    [{ type: 'AUTHENTICATORS', authenticators: [] }, 'settings.authenticators: The field cannot be left blank'],
    [
      { type: 'AUTHENTICATORS', authenticators: [{ key: 'okta_email' }] },
      'settings.authenticators[0].key: must be one of',
    ],
    [
      { type: 'AUTHENTICATORS', authenticators: [{ key: 'duo' }, { key: 'duo' }] },
      'settings.authenticators: must contain each authenticator once',
    ],
    [{ type: 'AUTHENTICATORS', factors: {} }, 'settings.factors: is not supported yet'],
    [{ type: 'OTHER' }, 'settings.type: must be one of AUTHENTICATORS, FACTORS'],
  ])('of MFA_ENROLL: refuses %j', async (settings, text) => {
    const refused = await org.admin.post(POLICIES, { body: { type: 'MFA_ENROLL', name: 'Refused', settings } });
    expect(refused.status).toBe(400);
    const causes: { errorSummary: string }[] = refused.body.errorCauses;
    expect(causes.map(({ errorSummary }) => errorSummary)).toContainEqual(expect.stringContaining(text));
  });

  test('types without settings refuse them', async () => {
    const refused = await org.admin.post(POLICIES, { body: { type: 'ACCESS_POLICY', name: 'S', settings: { a: 1 } } });
    expect(refused).toMatchObject(invalidWith('settings.a: is not supported yet'));
  });
});

describe('expand=rules', () => {
  test('embeds the rules of each, in their order; another word is refused', async () => {
    const own = await service.newOrg();
    const made = await createPolicy(own, { name: 'Expanded' });
    const path = `${POLICIES}/${made.id}`;
    for (const name of ['A', 'B']) {
      await own.admin.post(`${path}/rules`, { body: { name, actions: { signon: { access: 'ALLOW' } } } });
    }
    const { body: rules } = await own.admin.get(`${path}/rules`);
    expect((await own.admin.get(`${path}?expand=rules`)).body).toEqual({ ...made, _embedded: { rules } });
    const { body: list } = await own.admin.get(`${POLICIES}?type=SVC_SIGN_ON&expand=rules`);
    expect(
      list.map((one: { _embedded: { rules: Given[] } }) => one._embedded.rules.map((rule) => rule['name'])),
    ).toEqual([['A', 'B'], ['Default Rule']]);
    expect(await own.admin.get(`${path}?expand=`)).toMatchObject({ status: 200, body: made });
    expect(await own.admin.get(`${path}?expand=apps`)).toMatchObject({ status: 200, body: made });
  });
});

describe('priorities', () => {
  test.each([
    ['PASSWORD', 5],
    ['MFA_ENROLL', 5],
    ['DEVICE_SIGNAL_COLLECTION', 4],
  ])('of %s run from 1 without gaps, however many come at once', async (type, last) => {
    const own = await service.newOrg();
    const made = await Promise.all(['A', 'B', 'C', 'D'].map((name) => createPolicy(own, { type, name, priority: 1 })));
    const places = async (): Promise<number[]> =>
      (await listPolicies(own, `type=${type}`)).map(({ priority }) => priority);
    const all = Array.from({ length: last }, (_, index) => index + 1);
    expect(await places()).toEqual(all);
    const path = (id: string): string => `${POLICIES}/${id}`;
    const moves = made.map(({ id, name }, index) =>
      own.admin.put(path(id), { body: { type, name, priority: ((index * 3) % 4) + 1 } }),
    );
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200);
    expect(await places()).toEqual(all);
    await Promise.all(made.slice(0, 2).map(({ id }) => own.admin.del(path(id))));
    expect(await places()).toEqual(all.slice(0, -2));
  });

  test('of rules of a newer type run from 0, and the catch-all rule stays behind them', async () => {
    const { id } = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'Raced' });
    const path = `${POLICIES}/${id}/rules`;
    const add = (name: string) =>
      org.admin.post(path, { body: { name, priority: 0, actions: { appSignOn: { access: 'DENY' } } } });
    for (const { status } of await Promise.all(['A', 'B', 'C'].map(add))) expect(status).toBe(200);
    expect((await listRules(org, `${POLICIES}/${id}`)).map(({ priority }) => priority)).toEqual([0, 1, 2, 99]);
  });
});
