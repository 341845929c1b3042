import { beforeAll, describe, expect, test } from 'vitest';
import {
  createPolicyPath,
  createRule,
  defaultPolicyPath,
  invalidWith,
  listRules,
  newRoutingRule,
  newSignOnRule,
} from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
let policy: string;
let discovery: string;

beforeAll(async () => {
  policy = await createPolicyPath(org);
  discovery = await defaultPolicyPath(org, 'IDP_DISCOVERY');
});

describe('create', () => {
  test('answers a sign-on rule as recorded ones are, and logs it with the policy first', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    const session = { maxSessionIdleMinutes: 120, maxSessionLifetimeMinutes: 120, usePersistentCookie: false };
    const body = {
      type: 'SIGN_ON',
      name: 'test_policy_NEITHER',
      status: 'ACTIVE',
      conditions: {
        authContext: { authType: 'ANY' },
        identityProvider: { provider: 'ANY' },
        network: { connection: 'ANYWHERE' },
      },
      actions: { signon: { access: 'ALLOW', rememberDeviceByDefault: false, requireFactor: false, session } },
    };
    const rule = await createRule(own, place, body);
    const address = `${own.baseUrl}${place}/rules/${rule.id}`;
    expect(rule).toEqual({
      id: expect.stringMatching(/^0pr[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      name: 'test_policy_NEITHER',
      priority: 1,
      created: rule.lastUpdated,
      lastUpdated: expect.stringMatching(/\.000Z$/),
      system: false,
      conditions: { people: { users: { exclude: [] } }, ...body.conditions },
      actions: {
        signon: {
          access: 'ALLOW',
          requireFactor: false,
          primaryFactor: 'PASSWORD_IDP_ANY_FACTOR',
          rememberDeviceByDefault: false,
          session,
        },
      },
      _links: {
        self: { href: address, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
        deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
      type: 'SIGN_ON',
    });
    expect((await own.admin.get(`${place}/rules/${rule.id}`)).body).toEqual(rule);
    // Older clients send these booleans back as strings.
    const { signon } = rule.actions;
    const texts = { requireFactor: 'false', rememberDeviceByDefault: 'false' };
    const written = { ...signon, ...texts, session: { ...signon.session, usePersistentCookie: 'false' } };
    const put = await own.admin.put(`${place}/rules/${rule.id}`, { body: { ...rule, actions: { signon: written } } });
    expect(put).toMatchObject({ status: 200, body: rule });
    expect(await own.systemLog('eventType sw "policy.rule"')).toMatchObject([
      {
        eventType: 'policy.rule.add',
        target: [
          { id: place.split('/').at(-1), type: 'Policy' },
          { id: rule.id, type: 'Rule', displayName: 'test_policy_NEITHER' },
        ],
      },
    ]);
  });

  test('answers a routing rule with everything it was given', async () => {
    const app = { include: [], exclude: [{ type: 'APP_TYPE', name: 'oidc_client' }] };
    const conditions = {
      network: { connection: 'ANYWHERE' },
      userIdentifier: {
        type: 'ATTRIBUTE',
        attribute: 'department',
        patterns: [
          { matchType: 'SUFFIX', value: 'Sales' },
          { matchType: 'EXPRESSION', value: '(eu|us)-.*' },
        ],
      },
      app,
      platform: { include: [{ type: 'MOBILE', os: { type: 'IOS' } }], exclude: [] },
    };
    const rule = await createRule(org, discovery, newRoutingRule({ conditions }));
    expect(rule).toMatchObject({ conditions, priority: 1, type: 'IDP_DISCOVERY', system: false });
    expect(rule.actions).toEqual({ idp: { providers: [{ type: 'SVC' }], idpSelectionType: 'SPECIFIC' } });
    expect((await listRules(org, discovery)).at(-1)).toMatchObject({ system: true, priority: 2 });
  });

  test('takes users and zones that exist', async () => {
    const { id } = await org.createUser();
    const gateways = [{ type: 'CIDR', value: '192.0.2.0/24' }];
    const zone = await org.admin.post('/api/v1/zones', { body: { type: 'IP', name: 'Office', gateways } });
    const conditions = {
      people: { users: { include: [org.adminUserId], exclude: [id] } },
      network: { connection: 'ZONE', include: [zone.body.id], exclude: [] },
    };
    const rule = await createRule(org, policy, newSignOnRule({ conditions }));
    expect(rule.conditions).toMatchObject({
      people: conditions.people,
      network: { connection: 'ZONE', include: [zone.body.id] },
    });
    await createRule(
      org,
      policy,
      newSignOnRule({ conditions: { network: { connection: 'ZONE', exclude: ['ALL_ZONES'] } } }),
    );
  });

  test('says which of what it names does not exist, also when another org has it', async () => {
    const other = await service.newOrg();
    const foreign = other.adminUserId;
    for (const id of ['00uUnknown', foreign]) {
      const conditions = { people: { users: { exclude: [id] } } };
      expect(await org.admin.post(`${policy}/rules`, { body: newSignOnRule({ conditions }) })).toMatchObject(
        invalidWith(`There is no user ${id}`),
      );
    }
    for (const [conditions, text] of [
      [{ network: { connection: 'ZONE', include: ['nzoUnknown'] } }, 'There is no network zone nzoUnknown'],
      [{ app: { include: [{ type: 'APP', id: '0oaUnknown' }] } }, 'There is no app 0oaUnknown'],
    ] as const) {
      const refused = await org.admin.post(`${discovery}/rules`, { body: newRoutingRule({ conditions }) });
      expect(refused).toMatchObject(invalidWith(text));
    }
    const actions = { idp: { providers: [{ id: '0oaUnknown', type: 'SAML2' }] } };
    expect(await org.admin.post(`${discovery}/rules`, { body: newRoutingRule({ actions }) })).toMatchObject(
      invalidWith('There is no identity provider 0oaUnknown'),
    );
  });

  test.each([
    [{ type: 'IDP_DISCOVERY' }, 'must be SIGN_ON, as for all rules'],
    [{ type: 'SVC_SIGN_ON' }, 'as for all rules of this policy'],
    [{ name: ' ' }, 'name: '],
    [{ priority: 0 }, 'priority: '],
    [{ actions: undefined }, 'actions.signon.access: '],
    [{ actions: { signon: { access: 'ALLOW', factorPromptMode: 'DEVICE' } } }, 'not supported yet'],
    [{ actions: { signon: { access: 'DENY', requireFactor: 'true' } } }, 'must be false if access is DENY'],
    [{ actions: { signon: { access: 'ALLOW', requireFactor: 'no' } } }, 'requireFactor: '],
    [{ conditions: { riskScore: { level: 'MEDIUM' } } }, 'not supported yet'],
    [{ conditions: { risk: { behaviors: ['x'] } } }, 'not supported yet'],
    [{ conditions: { whatever: true } }, 'conditions.whatever: is not supported yet'],
  ])('refuses %j of a sign-on policy', async (given, text) => {
    const before = await listRules(org, policy);
    expect(await org.admin.post(`${policy}/rules`, { body: newSignOnRule(given) })).toMatchObject(invalidWith(text));
    expect(await listRules(org, policy)).toEqual(before);
  });

  test.each([
    [{ conditions: { userIdentifier: { patterns: [{ matchType: 'EXPRESSION', value: '[a-' }] } } }, 'RE2 syntax'],
    [
      { conditions: { userIdentifier: { patterns: [{ matchType: 'EXPRESSION', value: '\\pL{1000}' }] } } },
      'too complex',
    ],
    [{ conditions: { userIdentifier: { type: 'ATTRIBUTE', attribute: 'x', patterns: [] } } }, 'no profile attribute x'],
    [{ actions: { idp: { idpSelectionType: 'DYNAMIC' } } }, 'not supported yet'],
    [{ actions: { idp: { providers: [{ type: 'SVC' }], shouldFallBackToSvc: true } } }, 'not supported yet'],
    [{ actions: undefined }, 'actions.idp.providers: '],
  ])('refuses %j of the routing policy', async (given, text) => {
    expect(await org.admin.post(`${discovery}/rules`, { body: newRoutingRule(given) })).toMatchObject(
      invalidWith(text),
    );
  });

  test('the type may be left out, and activate=false makes it inactive', async () => {
    const { body } = await org.admin.post(`${policy}/rules?activate=false`, {
      body: newSignOnRule({ type: undefined }),
    });
    expect(body).toMatchObject({ type: 'SIGN_ON', status: 'INACTIVE', _links: { activate: {} } });
  });

  test('a name is one per policy', async () => {
    const { name } = await createRule(org, policy);
    expect(await org.admin.post(`${policy}/rules`, { body: newSignOnRule({ name }) })).toMatchObject(
      invalidWith('already exists in the current organization'),
    );
    await createRule(org, await createPolicyPath(org), newSignOnRule({ name }));
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newSignOnRule(), headers: { 'idempotency-key': 'create-rule-1' } };
    const [first, second] = [
      await org.admin.post(`${policy}/rules`, options),
      await org.admin.post(`${policy}/rules`, options),
    ];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  test('the hundredth rule and the hundredth expression are the last', async () => {
    const own = await service.newOrg();
    const place = await defaultPolicyPath(own, 'IDP_DISCOVERY');
    const patterns = Array.from({ length: 20 }, (_, n) => ({ matchType: 'EXPRESSION', value: `a${n}` }));
    const conditions = { userIdentifier: { patterns } };
    for (let made = 0; made < 5; made += 1) await createRule(own, place, newRoutingRule({ conditions }));
    const one = { userIdentifier: { patterns: patterns.slice(0, 1) } };
    expect(await own.admin.post(`${place}/rules`, { body: newRoutingRule({ conditions: one }) })).toMatchObject(
      invalidWith('at most 100 patterns'),
    );
    const [first] = await listRules(own, place);
    const again = { type: 'IDP_DISCOVERY', name: 'Again', conditions, actions: newRoutingRule()['actions'] };
    expect(await own.admin.put(`${place}/rules/${first?.id}`, { body: again })).toMatchObject({ status: 200 });
    for (let made = 5; made < 100; made += 1) await createRule(own, place, newRoutingRule());
    expect(await own.admin.post(`${place}/rules`, { body: newRoutingRule() })).toMatchObject(
      invalidWith('at most 100 rules'),
    );
    expect(await listRules(own, place)).toHaveLength(101);
  });
});
