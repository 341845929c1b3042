import { describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createGroup } from '../support/groups.ts';
import { startNodeSdkApps } from './node-sdk-apps.ts';

const apps = beforeTests(() => startNodeSdkApps());
const sdk = beforeTests(() => apps.connectAs(apps.org.adminToken));

type Given = Readonly<Record<string, unknown>>;
const GONE = { status: 404, errorCode: 'E0000007' };

/** Each entry contains a policy type, the SDK's classes for policy and rule, and the type and actions of a rule. */
const TYPES: readonly (readonly [string, string, string, Given, Given | null])[] = [
  ['OKTA_SIGN_ON', 'OktaSignOnPolicy', 'OktaSignOnPolicyRule', { type: 'SIGN_ON' }, { signon: { access: 'ALLOW' } }],
  [
    'PASSWORD',
    'PasswordPolicy',
    'PasswordPolicyRule',
    { type: 'PASSWORD' },
    {
      passwordChange: { access: 'ALLOW' },
      selfServicePasswordReset: { access: 'ALLOW' },
      selfServiceUnlock: { access: 'DENY' },
    },
  ],
  [
    'MFA_ENROLL',
    'AuthenticatorEnrollmentPolicy',
    'AuthenticatorEnrollmentPolicyRule',
    { type: 'MFA_ENROLL' },
    { enroll: { self: 'CHALLENGE' } },
  ],
  [
    'ACCESS_POLICY',
    'AccessPolicy',
    'AccessPolicyRule',
    { type: 'ACCESS_POLICY' },
    {
      appSignOn: {
        access: 'ALLOW',
        verificationMethod: { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn: 'PT0S' },
      },
    },
  ],
  // The SDK reads these rules as policies, and so drops their actions.
  [
    'DEVICE_SIGNAL_COLLECTION',
    'DeviceSignalCollectionPolicy',
    'DeviceSignalCollectionPolicy',
    { type: 'DEVICE_SIGNAL_COLLECTION' },
    null,
  ],
];

async function endLife(what: 'Policy' | 'PolicyRule', argument: Given): Promise<void> {
  await sdk.call(`policyApi.deactivate${what}`, argument);
  expect(await sdk.call(`policyApi.get${what}`, argument)).toMatchObject({ status: 'INACTIVE' });
  await sdk.call(`policyApi.activate${what}`, argument);
  await sdk.call(`policyApi.delete${what}`, argument);
  expect(await sdk.refusal(`policyApi.get${what}`, argument)).toMatchObject(GONE);
}

describe('the SDK', () => {
  test.each(TYPES)('manages policies of the type %s and their rules', async (type, item, ruleItem, given, actions) => {
    const name = `made by the SDK: ${type}`;
    const made = await sdk.call('policyApi.createPolicy', { policy: { type, name } });
    const policyId = made.id;
    expect(await sdk.models('policyApi.getPolicy', { policyId })).toMatchObject([{ item }]);
    const listed = await sdk.models('policyApi.listPolicies', { type });
    expect(new Set(listed.map((one) => one.item))).toEqual(new Set([item]));
    const read = await sdk.call('policyApi.getPolicy', { policyId });
    const policy = { ...read, description: 'changed by the SDK' };
    expect(await sdk.call('policyApi.replacePolicy', { policyId, policy })).toMatchObject({
      type,
      name,
      description: 'changed by the SDK',
    });
    const told = { name: 'made by the SDK', ...(actions === null ? {} : { actions }) };
    const policyRule = { ...given, ...told };
    const rule = await sdk.call('policyApi.createPolicyRule', { policyId, policyRule });
    expect(rule).toMatchObject(told);
    const argument = { policyId, ruleId: rule.id };
    expect(await sdk.models('policyApi.getPolicyRule', argument)).toMatchObject([{ item: ruleItem }]);
    const renamed = { ...argument, policyRule: { ...rule, name: 'renamed' } };
    expect(await sdk.call('policyApi.replacePolicyRule', renamed)).toMatchObject({ name: 'renamed' });
    const rules = await sdk.collect('policyApi.listPolicyRules', { policyId });
    expect(rules.map((one) => one.name)).toContain('renamed');
    const clone = await sdk.call('policyApi.clonePolicy', { policyId });
    expect(clone).toMatchObject({ type, name: `[cloned] ${name}` });
    await sdk.call('policyApi.deletePolicy', { policyId: clone.id });
    await endLife('PolicyRule', argument);
    await endLife('Policy', { policyId });
  });

  test.each([
    ['PROFILE_ENROLLMENT', 'ProfileEnrollmentPolicy', 'ProfileEnrollmentPolicyRule'],
    ['POST_AUTH_SESSION', 'PostAuthSessionPolicy', 'PostAuthSessionPolicyRule'],
    ['ENTITY_RISK', 'EntityRiskPolicy', 'EntityRiskPolicyRule'],
    ['SESSION_VIOLATION_DETECTION', 'SessionViolationDetectionPolicy', 'SessionViolationDetectionPolicyRule'],
  ])('reads the policy of the type %s that every org has, and puts its rule back', async (type, item, ruleItem) => {
    const [policy] = await sdk.collect('policyApi.listPolicies', { type });
    const policyId = policy.id;
    expect(await sdk.models('policyApi.getPolicy', { policyId })).toMatchObject([{ item }]);
    expect(await sdk.models('policyApi.listPolicyRules', { policyId })).toMatchObject([{ item: ruleItem }]);
    const [policyRule] = await sdk.collect('policyApi.listPolicyRules', { policyId });
    const put = { policyId, ruleId: policyRule.id, policyRule };
    expect(await sdk.call('policyApi.replacePolicyRule', put)).toMatchObject({ id: policyRule.id, system: true });
  });

  test('gives a password policy to a group, with its settings', async () => {
    const group = await createGroup(apps.org);
    const conditions = { people: { groups: { include: [group.id] } }, authProvider: { provider: 'OKTA' } };
    const settings = {
      password: {
        complexity: { minLength: 12, minSymbol: 1, excludeUsername: true, dictionary: { common: { exclude: true } } },
        age: { maxAgeDays: 60, expireWarnDays: 15, minAgeMinutes: 60, historyCount: 5 },
        lockout: { maxAttempts: 5, autoUnlockMinutes: 2, userLockoutNotificationChannels: ['EMAIL'] },
      },
      recovery: {
        factors: {
          recovery_question: { status: 'ACTIVE', properties: { complexity: { minLength: 10 } } },
          okta_email: { status: 'ACTIVE', properties: { recoveryToken: { tokenLifetimeMinutes: 20 } } },
          okta_sms: { status: 'INACTIVE' },
          okta_call: { status: 'INACTIVE' },
        },
      },
      delegation: { options: { skipUnlock: false } },
    };
    const policy = { type: 'PASSWORD', name: 'Of a group', conditions, settings };
    const made = await sdk.call('policyApi.createPolicy', { policy });
    expect(made).toMatchObject({ conditions });
    expect(made.settings.password).toMatchObject(settings.password);
    expect(made.settings.recovery.factors.okta_email).toMatchObject(settings.recovery.factors.okta_email);
    await sdk.call('policyApi.deletePolicy', { policyId: made.id });
  });

  test('maps an app to a policy, and takes it away', async () => {
    const app = await createApp(apps.org);
    const policy = { type: 'ACCESS_POLICY', name: 'Of an app' };
    const { id: policyId } = await sdk.call('policyApi.createPolicy', { policy });
    const policyMappingRequest = { resourceId: app.id, resourceType: 'ACCESS_POLICY' };
    const mapping = await sdk.call('policyApi.mapResourceToPolicy', { policyId, policyMappingRequest });
    const argument = { policyId, mappingId: mapping.id };
    expect(await sdk.call('policyApi.getPolicyMapping', argument)).toMatchObject({ id: mapping.id });
    expect(await sdk.collect('policyApi.listPolicyMappings', { policyId })).toMatchObject([{ id: mapping.id }]);
    expect(await sdk.collect('policyApi.listPolicyApps', { policyId })).toMatchObject([{ id: app.id }]);
    await sdk.call('policyApi.deletePolicyResourceMapping', argument);
    expect(await sdk.refusal('policyApi.getPolicyMapping', argument)).toMatchObject(GONE);
    const assigned = { appId: app.id, policyId };
    await sdk.call('applicationApi.assignApplicationPolicy', assigned);
    expect(await sdk.collect('policyApi.listPolicyApps', { policyId })).toMatchObject([{ id: app.id }]);
  });

  test('simulates a sign-in', async () => {
    const app = await createApp(apps.org);
    const simulatePolicy = [{ appInstance: app.id, policyTypes: ['OKTA_SIGN_ON'] }];
    const answer = await sdk.call('policyApi.createPolicySimulation', { simulatePolicy });
    expect(JSON.parse(JSON.stringify(answer))).toMatchObject([
      { status: 'MATCH', result: { policies: [{ name: 'Default Policy' }] } },
    ]);
  });

  test.each([
    ['BehaviorRuleAnomalousLocation', { type: 'ANOMALOUS_LOCATION', settings: { granularity: 'CITY' } }],
    ['BehaviorRuleVelocity', { type: 'VELOCITY', settings: { velocityKph: 900 } }],
    ['BehaviorRuleAnomalousIP', { type: 'ANOMALOUS_IP', settings: { maxEventsUsedForEvaluation: 10 } }],
    ['BehaviorRuleAnomalousDevice', { type: 'ANOMALOUS_DEVICE', settings: { maxEventsUsedForEvaluation: 10 } }],
  ])('manages behaviors of the class %s', async (item, given) => {
    const rule = { name: `made by the SDK: ${item}`, ...given };
    const { id } = await sdk.call('behaviorApi.createBehaviorDetectionRule', { rule });
    const argument = { behaviorId: id };
    expect(await sdk.models('behaviorApi.getBehaviorDetectionRule', argument)).toMatchObject([{ item }]);
    const renamed = { ...argument, rule: { ...rule, name: `renamed: ${item}` } };
    expect(await sdk.call('behaviorApi.replaceBehaviorDetectionRule', renamed)).toMatchObject(given);
    expect(await sdk.call('behaviorApi.deactivateBehaviorDetectionRule', argument)).toMatchObject({
      status: 'INACTIVE',
    });
    expect(await sdk.call('behaviorApi.activateBehaviorDetectionRule', argument)).toMatchObject({ status: 'ACTIVE' });
    expect((await sdk.collect('behaviorApi.listBehaviorDetectionRules')).map((one) => one.id)).toContain(id);
    await sdk.call('behaviorApi.deleteBehaviorDetectionRule', argument);
    expect(await sdk.refusal('behaviorApi.getBehaviorDetectionRule', argument)).toMatchObject(GONE);
  });
});
