import { beforeAll, describe, expect, test } from 'vitest';
import { newSamlApp } from '../support/app-kinds.ts';
import { APPS, createApp, webApp } from '../support/apps.ts';
import { createClaim, createServerPath, newClaim } from '../support/authorization-servers.ts';
import type { TestResponse } from '../support/client.ts';
import { closedTo } from '../support/closed-attributes.ts';
import { createRule, membersOf, newRule, RULES, rulePath, rulesSettled } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createPolicyPath, createRule as createPolicyRule, newRoutingRule, POLICIES } from '../support/policies.ts';
import { type Holder, withCustomRole } from '../support/roles.ts';
import { causesIn, defineAttributes } from '../support/schemas.ts';
import { useService } from '../support/use-service.ts';

// An expression reads only what its author may read (attack 25 in docs/security-rows.md).

const { service, org } = useService();
/** `ssn` and `nickName` are hidden from this user. */
let author: Holder;
/** This user may not read any other user. */
let blind: Holder;
let claims: string;

const PERMISSIONS = [
  'groups.manage',
  'apps.manage',
  'authzServers.manage',
  'policies.manage',
  'identityProviders.manage',
];
const PATHS = ['groups', 'apps', 'authorizationServers', 'policies', 'idps'].map((name) => `/api/v1/${name}`);
const SSN = '078-05-1120';

beforeAll(async () => {
  await defineAttributes(org, { ssn: { title: 'SSN', type: 'string' } });
  [author, blind, claims] = [
    await closedTo(org, ['ssn', 'nickName'], PERMISSIONS, PATHS),
    await withCustomRole(org, PERMISSIONS, PATHS),
    `${await createServerPath(org)}/claims`,
  ];
});

function expectRefused(response: TestResponse, cause: string): void {
  expect(response, response.text).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  expect(causesIn(response).join('\n')).toContain(cause);
}

const HIDDEN = "Unknown attribute 'ssn'";

describe('a claim', () => {
  test.each([
    ['user.ssn'],
    ['user.profile.ssn'],
    ['(user).ssn'],
    ['String.substring(user.ssn, 0, 1)'],
    ['user.city == "a" ? "b" : user.ssn'],
    ['source.ssn'],
  ])('is not made of %s', async (value) => {
    expectRefused(await author.post(claims, { body: newClaim({ value }) }), `value: ${HIDDEN}`);
    expect((await org.admin.post(claims, { body: newClaim({ value }) })).status).toBe(201);
  });

  test('is not made of what an app made of it, nor of anybody by who reads nobody', async () => {
    expectRefused(await author.post(claims, { body: newClaim({ value: 'appuser.x' }) }), "Unknown attribute 'x'");
    for (const value of ['user.city', 'user.id', 'user.status', 'user.getInternalProperty("id")']) {
      expectRefused(await blind.post(claims, { body: newClaim({ value }) }), 'Unknown attribute');
      expect((await author.post(claims, { body: newClaim({ value }) })).status).toBe(201);
    }
    expect((await blind.post(claims, { body: newClaim({ value: 'app.clientId' }) })).status).toBe(201);
  });

  test('that reads it goes on, and is not his to change or to switch on', async () => {
    const { id, _links, ...made } = await createClaim(org, claims.replace('/claims', ''), { value: 'user.ssn' });
    for (const given of [{ name: 'another' }, { status: 'INACTIVE' }, { value: 'user.ssn + ""' }]) {
      expectRefused(await author.put(`${claims}/${id}`, { body: { ...made, ...given } }), HIDDEN);
    }
    expect((await org.admin.get(`${claims}/${id}`)).body).toMatchObject(made);
    expect((await author.put(`${claims}/${id}`, { body: { ...made, value: 'user.city' } })).status).toBe(200);
  });
});

describe('a group rule', () => {
  test.each([[`user.ssn == "${SSN}"`], ['String.startsWith(user.ssn, "0")'], ['user.profile.ssn != null']])(
    'does not ask for %s, as if there were no such attribute',
    async (value) => {
      const [group, user] = [await createGroup(org), await org.createUser({ profile: { ssn: SSN } })];
      const refused = await author.post(RULES, { body: newRule([group.id], value) });
      expectRefused(refused, HIDDEN);
      const unknown = await org.admin.post(RULES, { body: newRule([group.id], value.replace('ssn', 'nsn')) });
      expect(causesIn(refused).map((cause) => cause.replace('ssn', 'nsn'))).toEqual(causesIn(unknown));
      expect(await membersOf(org, group.id)).not.toContain(user.id);
    },
  );

  test('that asks for it is neither changed nor activated by who does not see it', async () => {
    const [group, user] = [await createGroup(org), await org.createUser({ profile: { ssn: SSN } })];
    const body = newRule([group.id], `user.ssn == "${SSN}"`);
    const { id } = (await org.admin.post(RULES, { body })).body;
    expectRefused(await author.put(rulePath(id), { body: { ...body, name: 'mine' } }), HIDDEN);
    expectRefused(await author.post(`${rulePath(id)}/lifecycle/activate`), HIDDEN);
    expectRefused(await blind.post(`${rulePath(id)}/lifecycle/activate`), HIDDEN);
    expect((await org.admin.post(`${rulePath(id)}/lifecycle/activate`)).status).toBe(204);
    await rulesSettled(service, org);
    expect(await membersOf(org, group.id)).toContain(user.id);
    expect((await author.post(`${rulePath(id)}/lifecycle/deactivate`)).status).toBe(204);
  });

  test('asks for what its author sees: open attributes, and groups', async () => {
    const group = await createGroup(org);
    expect((await author.post(RULES, { body: newRule([group.id], 'user.city == "a"') })).status).toBe(200);
    for (const value of ['user.city == "a"', 'user.id == "a"', 'user.getInternalProperty("id") == "a"']) {
      expect((await blind.post(RULES, { body: newRule([group.id], value) })).status).toBe(400);
    }
    const asked = `isMemberOfAnyGroup("${group.id}") || user.isMemberOf({"group.id": "${group.id}"})`;
    expect((await blind.post(RULES, { body: newRule([group.id], asked) })).status).toBe(200);
    expect(await createRule(org, [group.id], 'user.ssn == "a"')).toMatchObject({ status: 'INACTIVE' });
  });
});

describe('an app', () => {
  const named = (template: string) => ({ userNameTemplate: { template, type: 'CUSTOM' } });

  test.each([['${source.ssn}'], ['user.ssn'], ['x${fn:toLowerCase(user.profile.ssn)}'], ['${user.ssn.()}']])(
    'gives no names like %s',
    async (template) => {
      const refused = await author.post(APPS, { body: webApp({}, {}, { credentials: named(template) }) });
      expectRefused(refused, 'credentials.userNameTemplate.template: ');
      const { id, ...made } = await createApp(org);
      const credentials = { ...made.credentials, ...named(template) };
      expectRefused(await author.put(`${APPS}/${id}`, { body: { ...made, credentials } }), 'userNameTemplate');
      const open = { ...made, credentials: { ...made.credentials, ...named('${source.city}') } };
      expect((await author.put(`${APPS}/${id}`, { body: open })).status).toBe(200);
    },
  );

  test('keeps the names it gives while something else is changed', async () => {
    const { id, ...made } = await createApp(org, webApp({}, {}, { credentials: named('${source.ssn}') }));
    expect((await author.put(`${APPS}/${id}`, { body: { ...made, label: 'renamed' } })).status).toBe(200);
    const credentials = { ...made.credentials, ...named('${source.ssn}${source.city}') };
    expectRefused(await author.put(`${APPS}/${id}`, { body: { ...made, credentials } }), HIDDEN);
  });

  test('states nothing of it', async () => {
    const stating = (value: string, name = 'a') => ({
      attributeStatements: [{ type: 'EXPRESSION', name, values: ['user.city', value] }],
    });
    for (const signOn of [
      stating('user.ssn'),
      stating('${user.ssn}'),
      stating('$user.ssn'),
      { subjectNameIdTemplate: '${user.ssn}' },
      { audience: 'x${user.ssn}' },
    ]) {
      const refused = await author.post(APPS, { body: newSamlApp(signOn) });
      expectRefused(refused, 'settings.signOn.');
    }
    expect((await author.post(APPS, { body: newSamlApp(stating('user.email')) })).status).toBe(200);
    const { id, ...made } = await createApp(org, newSamlApp(stating('user.ssn')));
    expect((await author.put(`${APPS}/${id}`, { body: { ...made, label: 'renamed' } })).status).toBe(200);
    const settings = { ...made.settings, signOn: { ...made.settings.signOn, ...stating('user.ssn', 'b') } };
    expectRefused(await author.put(`${APPS}/${id}`, { body: { ...made, settings } }), HIDDEN);
  });
});

describe('a policy', () => {
  const byAttribute = (attribute: string) =>
    newRoutingRule({
      conditions: {
        userIdentifier: { type: 'ATTRIBUTE', attribute, patterns: [{ matchType: 'EQUALS', value: 'x' }] },
      },
    });

  test('routes nobody by it', async () => {
    const [{ id }] = (await org.admin.get(`${POLICIES}?type=IDP_DISCOVERY`)).body;
    const path = `${POLICIES}/${id}`;
    expectRefused(await author.post(`${path}/rules`, { body: byAttribute('nickName') }), 'userIdentifier.attribute');
    expect((await author.post(`${path}/rules`, { body: byAttribute('city') })).status).toBe(200);
    const rule = await createPolicyRule(org, path, byAttribute('nickName'));
    const single = `${path}/rules/${rule.id}`;
    expectRefused(await author.put(single, { body: { ...rule, name: 'mine' } }), 'userIdentifier.attribute');
    expect((await author.post(`${single}/lifecycle/deactivate`)).status).toBe(204);
    expectRefused(await author.post(`${single}/lifecycle/activate`), 'userIdentifier.attribute');
    expect((await org.admin.post(`${single}/lifecycle/activate`)).status).toBe(204);
  });

  test('lets nobody into an app by it', async () => {
    const path = await createPolicyPath(org, { type: 'ACCESS_POLICY' });
    const rule = (condition: string) => ({
      type: 'ACCESS_POLICY',
      name: condition,
      conditions: { elCondition: { condition } },
      actions: { appSignOn: { access: 'DENY', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } } },
    });
    expectRefused(await author.post(`${path}/rules`, { body: rule('user.profile.ssn == "1"') }), HIDDEN);
    const made = await createPolicyRule(org, path, rule('user.profile.ssn == "2"'));
    expectRefused(await author.put(`${path}/rules/${made.id}`, { body: { ...made, name: 'mine' } }), HIDDEN);
    expectRefused(await author.post(`${path}/clone`), HIDDEN);
    expect((await author.post(`${path}/rules`, { body: rule('user.profile.city == "1"') })).status).toBe(200);
  });
});

test('an identity provider finds nobody by it', async () => {
  const by = (matchAttribute: string) => {
    const { policy, ...body } = newOidcProvider() as { readonly policy: Readonly<Record<string, unknown>> };
    const subject = { userNameTemplate: { template: 'idpuser.email' }, matchType: 'CUSTOM_ATTRIBUTE', matchAttribute };
    return { ...body, policy: { ...policy, subject } };
  };
  expectRefused(await author.post('/api/v1/idps', { body: by('ssn') }), 'policy.subject.matchAttribute');
  expect((await author.post('/api/v1/idps', { body: by('city') })).status).toBe(200);
});
