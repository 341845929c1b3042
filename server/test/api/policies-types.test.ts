import { describe, expect, test } from 'vitest';
import {
  CLOSED_RULE,
  createPolicy,
  defaultPolicy,
  invalidWith,
  listPolicies,
  listRules,
  POLICIES,
} from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

type Given = Readonly<Record<string, unknown>>;

const RULES: Readonly<Record<string, Given>> = {
  SVC_SIGN_ON: { actions: { signon: { access: 'ALLOW' } } },
  PASSWORD: {
    conditions: { network: { connection: 'ANYWHERE' } },
    actions: {
      passwordChange: { access: 'ALLOW' },
      selfServicePasswordReset: {
        access: 'ALLOW',
        requirement: {
          primary: {
            methods: ['otp', 'email'],
            methodConstraints: [{ method: 'otp', allowedAuthenticators: [{ key: 'google_otp' }] }],
          },
          stepUp: { required: true },
          accessControl: 'LEGACY',
        },
      },
      selfServiceUnlock: { access: 'DENY' },
    },
  },
  MFA_ENROLL: { conditions: { network: { connection: 'ANYWHERE' } }, actions: { enroll: { self: 'LOGIN' } } },
  ACCESS_POLICY: CLOSED_RULE,
  DEVICE_SIGNAL_COLLECTION: {
    conditions: { platform: { include: [{ type: 'MOBILE', os: { type: 'ANDROID' } }] } },
    actions: {
      deviceSignalCollection: {
        deviceContextProviders: [{ key: 'SVC_VERIFY', userIdentification: 'IGNORE' }, { key: 'CHROME_DEVICE_TRUST' }],
      },
    },
  },
};

const DEFAULTS = [
  ['SVC_SIGN_ON', 'Default Policy', 'Default Rule', '00p'],
  ['PASSWORD', 'Default Policy', 'Default Rule', '00p'],
  ['MFA_ENROLL', 'Default Policy', 'Default Rule', '00p'],
  ['IDP_DISCOVERY', 'Idp Discovery Policy', 'Default Rule', '00p'],
  ['ACCESS_POLICY', 'Default Policy', 'Catch-all Rule', 'rst'],
  ['PROFILE_ENROLLMENT', 'Default Policy', 'Catch-all Rule', 'rst'],
  ['POST_AUTH_SESSION', 'Post Auth Session Policy', 'Catch-all Rule', 'rst'],
  ['ENTITY_RISK', 'Entity Risk Policy', 'Catch-all Rule', 'rst'],
  ['SESSION_VIOLATION_DETECTION', 'Session Violation Detection Policy', 'Catch-all Rule', 'rst'],
  ['CLIENT_UPDATE', 'Client Update Policy', 'Catch-all Rule', 'rst'],
  ['IDENTITY_CLAIM_SOURCING', 'Identity Claim Sourcing Policy', 'Catch-all Rule', 'rst'],
] as const;
const EVALUATED: ReadonlySet<string> = new Set(['SVC_SIGN_ON', 'PASSWORD', 'IDP_DISCOVERY', 'ACCESS_POLICY']);

const headerOf = ({ headers }: { headers: Given }) => headers['x-policy-evaluation'];

describe('a new org', () => {
  test.each(DEFAULTS)('has one %s, called %s, with the rule %s', async (type, name, ruleName, prefix) => {
    const own = await service.newOrg();
    const [policy, ...others] = await listPolicies(own, `type=${type}`);
    expect(others).toEqual([]);
    expect(policy).toMatchObject({ type, name, system: true, status: 'ACTIVE', priority: 1 });
    expect(policy?.id.startsWith(prefix)).toBe(true);
    const [rule, ...more] = await listRules(own, `${POLICIES}/${policy?.id}`);
    expect(more).toEqual([]);
    const isNewer = prefix === 'rst';
    expect(rule).toMatchObject({ name: ruleName, system: true, priority: isNewer ? 99 : 1 });
    expect(rule?.id.startsWith(isNewer ? 'rul' : '0pr')).toBe(true);
    if (isNewer) expect(rule).toMatchObject({ conditions: null });
  });

  test('has no policy of device signals', async () => {
    expect(await listPolicies(await service.newOrg(), 'type=DEVICE_SIGNAL_COLLECTION')).toEqual([]);
  });

  test.each(DEFAULTS)('its %s and the rule of it stay, and may be put back as they were read', async (type) => {
    const own = await service.newOrg();
    const { id } = await defaultPolicy(own, type);
    const path = `${POLICIES}/${id}`;
    const { body: policy } = await own.admin.get(path);
    const [rule] = await listRules(own, path);
    for (const [place, body] of [
      [path, policy],
      [`${path}/rules/${rule?.id}`, rule],
    ] as const) {
      expect(await own.admin.put(place, { body })).toMatchObject({ status: 200, body });
      expect(await own.admin.del(place)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(await own.admin.post(`${place}/lifecycle/deactivate`)).toMatchObject({ status: 400 });
      const renamed = await own.admin.put(place, { body: { ...body, name: 'Other' } });
      expect(renamed).toMatchObject(invalidWith('name: '));
    }
    expect(await own.systemLog('eventType sw "policy."')).toEqual([]);
  });

  test.each(DEFAULTS)('answers of %s say whether it is evaluated', async (type) => {
    const expected = EVALUATED.has(type) ? undefined : 'none';
    const list = await org.admin.get(`${POLICIES}?type=${type}`);
    const path = `${POLICIES}/${list.body[0].id}`;
    const rules = await org.admin.get(`${path}/rules`);
    const single = await org.admin.get(path);
    const rule = await org.admin.get(`${path}/rules/${rules.body[0].id}`);
    for (const answer of [list, rules, single, rule]) expect(headerOf(answer)).toBe(expected);
  });
});

describe.each(Object.keys(RULES))('a policy of the type %s', (type) => {
  const rule = { name: 'Rule', ...RULES[type] };

  test('is made, read, replaced, deactivated, activated, deleted, and each of it is logged', async () => {
    const own = await service.newOrg();
    const made = await createPolicy(own, { type, name: 'Made', description: 'd' });
    const path = `${POLICIES}/${made.id}`;
    expect((await own.admin.get(path)).body).toEqual(made);
    expect(await own.admin.put(path, { body: made })).toMatchObject({ status: 200, body: made });
    const replaced = await own.admin.put(path, { body: { ...made, name: 'Replaced', description: null } });
    expect(replaced).toMatchObject({ status: 200, body: { name: 'Replaced', description: null, type } });
    expect(await own.admin.post(`${path}/lifecycle/deactivate`)).toMatchObject({ status: 204 });
    expect(await own.admin.post(`${path}/lifecycle/activate`)).toMatchObject({ status: 204 });
    const added = await own.admin.post(`${path}/rules`, { body: rule });
    expect(added.status, added.text).toBe(200);
    const place = `${path}/rules/${added.body.id}`;
    expect(await own.admin.put(place, { body: added.body })).toMatchObject({ status: 200, body: added.body });
    expect(await own.admin.put(place, { body: { ...added.body, name: 'Other' } })).toMatchObject({ status: 200 });
    expect(await own.admin.post(`${place}/lifecycle/deactivate`)).toMatchObject({ status: 204 });
    expect(await own.admin.post(`${place}/lifecycle/activate`)).toMatchObject({ status: 204 });
    expect(await own.admin.del(place)).toMatchObject({ status: 204 });
    expect(await own.admin.del(path)).toMatchObject({ status: 204 });
    const events = await own.systemLog('eventType sw "policy."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'policy.lifecycle.create',
      'policy.lifecycle.update',
      'policy.lifecycle.deactivate',
      'policy.lifecycle.activate',
      'policy.rule.add',
      'policy.rule.update',
      'policy.rule.deactivate',
      'policy.rule.activate',
      'policy.rule.delete',
      'policy.lifecycle.delete',
    ]);
    for (const event of events) {
      expect(event.target[0]).toMatchObject({ id: made.id, type: 'Policy' });
      expect(event.target.at(-1).changeDetails).not.toBeNull();
    }
    expect(events[4].target[1].changeDetails.to).toMatchObject({ actions: added.body.actions });
  });

  test('is copied with its rules, the rule of the system with it where the type has one', async () => {
    const own = await service.newOrg();
    const made = await createPolicy(own, { type, name: 'Original' });
    const path = `${POLICIES}/${made.id}`;
    await own.admin.post(`${path}/rules`, { body: rule });
    const clone = await own.admin.post(`${path}/clone`);
    expect(clone).toMatchObject({
      status: 200,
      body: { name: '[cloned] Original', type, system: false, conditions: made.conditions },
    });
    expect(clone.body.settings).toEqual(made.settings);
    expect(clone.body.id).not.toBe(made.id);
    const shapesOf = async (place: string) =>
      (await own.admin.get(`${place}/rules`)).body.map((one: Given) => ({
        name: one['name'],
        system: one['system'],
        priority: one['priority'],
        actions: one['actions'],
        conditions: one['conditions'],
      }));
    expect(await shapesOf(`${POLICIES}/${clone.body.id}`)).toEqual(await shapesOf(path));
    expect(await own.admin.post(`${path}/clone`)).toMatchObject(invalidWith('already exists'));
  });

  test('takes a rule of its own type alone, and says all that is wrong with it', async () => {
    const { id } = await createPolicy(org, { type, name: `Faults of ${type}` });
    const path = `${POLICIES}/${id}/rules`;
    const other = await org.admin.post(path, { body: { ...rule, type: 'RESOURCE_ACCESS' } });
    expect(other).toMatchObject(invalidWith('as for all rules of this policy'));
    const refused = await org.admin.post(path, {
      body: {
        name: ' ',
        priority: -1,
        conditions: { strange: 1, network: { connection: 'X' } },
        actions: { other: 1 },
      },
    });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const causes = refused.body.errorCauses.map(
      ({ errorSummary }: { errorSummary: string }) => errorSummary.split(':')[0],
    );
    for (const place of ['name', 'priority', 'conditions.strange', 'conditions.network.connection', 'actions.other']) {
      expect(causes).toContain(place);
    }
  });
});

describe('types of which an org has one', () => {
  test.each(DEFAULTS.filter(([type]) => !(type in RULES) && type !== 'PROFILE_ENROLLMENT'))(
    '%s is neither made nor copied',
    async (type) => {
      const made = await org.admin.post(POLICIES, { body: { type, name: 'Second' } });
      expect(made).toMatchObject(invalidWith('An org has exactly one policy of the type'));
      const { id } = await defaultPolicy(org, type);
      expect(await org.admin.post(`${POLICIES}/${id}/clone`)).toMatchObject(invalidWith('An org has exactly one'));
    },
  );

  test.each(['PROFILE_ENROLLMENT', 'POST_AUTH_SESSION', 'CLIENT_UPDATE', 'IDENTITY_CLAIM_SOURCING'])(
    '%s takes no more rules',
    async (type) => {
      const { id } = await defaultPolicy(org, type);
      const [{ actions }] = (await org.admin.get(`${POLICIES}/${id}/rules`)).body;
      const refused = await org.admin.post(`${POLICIES}/${id}/rules`, { body: { name: 'More', actions } });
      expect(refused).toMatchObject(invalidWith('keeps the rules that it was created with'));
    },
  );

  test('rules about sessions and risks are added before the catch-all rule, counted from 0', async () => {
    const { id } = await defaultPolicy(org, 'ENTITY_RISK');
    const path = `${POLICIES}/${id}/rules`;
    const body = {
      name: 'High',
      conditions: {
        entityRisk: { level: 'HIGH' },
        riskDetectionTypes: { include: ['SVC_THREAT_INTELLIGENCE'], exclude: [] },
      },
      actions: {
        entityRisk: {
          actions: [{ action: 'TERMINATE_ALL_SESSIONS' }, { action: 'RUN_WORKFLOW', workflow: { id: 7 } }],
        },
      },
    };
    const made = await org.admin.post(path, { body });
    expect(made).toMatchObject({ status: 200, body: { ...body, priority: 0, type: 'ENTITY_RISK' } });
    const second = await org.admin.post(path, { body: { ...body, name: 'First', priority: 0 } });
    expect(second).toMatchObject({ status: 200, body: { priority: 0 } });
    const { body: list } = await org.admin.get(path);
    expect(list.map((one: Given) => [one['name'], one['priority']])).toEqual([
      ['First', 0],
      ['High', 1],
      ['Catch-all Rule', 99],
    ]);
    const twice = {
      ...body,
      name: 'Twice',
      actions: { entityRisk: { actions: [body.actions.entityRisk.actions[0], body.actions.entityRisk.actions[0]] } },
    };
    expect(await org.admin.post(path, { body: twice })).toMatchObject(invalidWith('must contain each action once'));
    const violation = await defaultPolicy(org, 'SESSION_VIOLATION_DETECTION');
    const violationRule = {
      name: 'Low',
      conditions: { riskScore: { minRiskLevel: 'HIGH' } },
      actions: { sessionViolationDetection: { policyEvaluation: { enabled: true } } },
    };
    expect(await org.admin.post(`${POLICIES}/${violation.id}/rules`, { body: violationRule })).toMatchObject({
      status: 200,
      body: { conditions: { network: { connection: 'ANYWHERE' }, riskScore: { minRiskLevel: 'HIGH' } } },
    });
  });
});
