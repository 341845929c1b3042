import { describe, expect, test } from 'vitest';
import { secondsOf } from '../conditions/access-limit-rules.ts';
import { accessActions, accessConditions } from '../conditions/access-rules.ts';
import type { LoadedRule } from '../evaluation/evaluation-rules.ts';
import { type AppNetwork, compileAppSignOn } from './app-sign-on-rules.ts';

const words = { word: 'svc', upperWord: 'SVC', capitalisedWord: 'Svc', attributes: new Set<string>() };
const PASSWORD = { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn: 'PT2H' };
const LETS_IN = { access: 'ALLOW', verificationMethod: PASSWORD };
const DENIES = { access: 'DENY' };
const ZONE = { network: { connection: 'ZONE', include: ['nzo1'] } };

interface Given {
  readonly conditions?: object | null;
  readonly appSignOn?: object;
  readonly policyId?: string;
}

let rules = 0;
function rule({ appSignOn = LETS_IN, conditions = {}, policyId = 'own' }: Given): LoadedRule {
  rules += 1;
  return {
    policyId,
    policyName: policyId,
    ruleId: `rule ${rules}`,
    ruleName: `rule ${rules}`,
    policyConditions: null,
    policySettings: null,
    type: 'ACCESS_POLICY',
    conditions: conditions === null ? null : accessConditions.read('conditions', conditions, words),
    actions: accessActions.read('actions', { appSignOn }, words),
  };
}

const ANYBODY = { userId: '00u1', userTypeId: 'oty1', groups: new Set(['00g1']), network: { zones: ['nzo1'] } };

/** Decides with an additional last rule that allows access to everybody. */
function decided(given: readonly Given[], changes: Partial<typeof ANYBODY> | { readonly network: AppNetwork } = {}) {
  const compiled = compileAppSignOn([...given.map(rule), rule({ conditions: null })], 'default');
  const decision = compiled.decide('own', { ...ANYBODY, ...changes });
  return decision?.reason ?? decision?.access;
}

describe('whom a rule is for', () => {
  const deny = (conditions: object): Given => ({ conditions, appSignOn: DENIES });

  test.each([
    ['a user', { people: { users: { include: ['00u1'] } } }, 'DENIED_BY_RULE'],
    ['another user', { people: { users: { include: ['00u2'] } } }, 'ALLOW'],
    ['all but the user', { people: { users: { exclude: ['00u1'] } } }, 'ALLOW'],
    ['a group', { people: { groups: { include: ['00g1'] } } }, 'DENIED_BY_RULE'],
    ['another group', { people: { groups: { include: ['00g2'] } } }, 'ALLOW'],
    ['all but a group', { people: { groups: { exclude: ['00g1'] } } }, 'ALLOW'],
    ['a type of users', { userType: { include: ['oty1'] } }, 'DENIED_BY_RULE'],
    ['all but a type', { userType: { include: [], exclude: ['oty1'] } }, 'ALLOW'],
    ['a zone', ZONE, 'DENIED_BY_RULE'],
    ['another zone', { network: { connection: 'ZONE', include: ['nzo2'] } }, 'ALLOW'],
    ['no zone', { network: { connection: 'OFF_NETWORK' } }, 'ALLOW'],
    ['every platform', { platform: { include: [{ type: 'ANY', os: { type: 'ANY' } }] } }, 'DENIED_BY_RULE'],
  ])('%s', (_, conditions, expected) => expect(decided([deny(conditions)])).toBe(expected));

  test('the first that holds decides', () => {
    expect(decided([{ conditions: { people: { users: { include: ['00u1'] } } } }, deny({})])).toBe('ALLOW');
    expect(decided([deny({ people: { users: { include: ['00u2'] } } }), deny({})])).toBe('DENIED_BY_RULE');
  });
});

describe('the network', () => {
  test.each([
    ['judged before, where it would let in', [{ conditions: ZONE }, { appSignOn: DENIES }], 'judgedBefore', 'ALLOW'],
    ['judged before, where it would deny', [{ conditions: ZONE, appSignOn: DENIES }], 'judgedBefore', 'ALLOW'],
    ['of nobody, where it would let in', [{ conditions: ZONE }, { appSignOn: DENIES }], 'nobody', 'DENIED_BY_RULE'],
    ['of nobody, where it would deny', [{ conditions: ZONE, appSignOn: DENIES }], 'nobody', 'NETWORK_UNKNOWN'],
    ['of nobody, where nothing asks for it', [{ conditions: {} }], 'nobody', 'ALLOW'],
  ] as const)('%s', (_, given, network, expected) => expect(decided(given, { network })).toBe(expected));
});

describe('what a password is enough for', () => {
  const asking = (verificationMethod: object): Given => ({ appSignOn: { access: 'ALLOW', verificationMethod } });
  const oneFactor = (more: object) => asking({ type: 'ASSURANCE', factorMode: '1FA', ...more });

  test.each([
    ['one factor', oneFactor({}), 'ALLOW'],
    ['two factors', asking({ type: 'ASSURANCE', factorMode: '2FA' }), 'SECOND_FACTOR_REQUIRED'],
    ['knowledge of a password', oneFactor({ constraints: [{ knowledge: { types: ['PASSWORD'] } }] }), 'ALLOW'],
    ['knowledge of an answer', oneFactor({ constraints: [{ knowledge: { types: ['SECURITY_QUESTION'] } }] }), 'no'],
    ['the method of an answer', oneFactor({ constraints: [{ knowledge: { methods: ['SECURITY_QUESTION'] } }] }), 'no'],
    [
      'an authenticator that is no password',
      oneFactor({ constraints: [{ knowledge: { authenticationMethods: [{ key: 'svc_email' }] } }] }),
      'no',
    ],
    [
      'a password by another method',
      oneFactor({ constraints: [{ knowledge: { authenticationMethods: [{ key: 'svc_password', method: 'otp' }] } }] }),
      'no',
    ],
    ['possession', oneFactor({ constraints: [{ possession: { deviceBound: 'REQUIRED' } }] }), 'no'],
    ['possession or a password', oneFactor({ constraints: [{ possession: {} }, { knowledge: {} }] }), 'ALLOW'],
    [
      'all but a password',
      oneFactor({ constraints: [{ knowledge: { excludedAuthenticationMethods: [{ key: 'svc_password' }] } }] }),
      'no',
    ],
    [
      'all but a password by its method',
      oneFactor({
        constraints: [{ knowledge: { excludedAuthenticationMethods: [{ key: 'svc_password', method: 'password' }] } }],
      }),
      'no',
    ],
    [
      'all but a password by another method',
      oneFactor({
        constraints: [{ knowledge: { excludedAuthenticationMethods: [{ key: 'svc_password', method: 'otp' }] } }],
      }),
      'ALLOW',
    ],
    ['activity', oneFactor({ inactivityPeriod: 'PT5M' }), 'no'],
    [
      'a chain of a password',
      asking({
        type: 'AUTH_METHOD_CHAIN',
        chains: [{ authenticationMethods: [{ key: 'svc_password', method: 'password' }] }],
      }),
      'ALLOW',
    ],
    [
      'a chain of another authenticator',
      asking({
        type: 'AUTH_METHOD_CHAIN',
        chains: [{ authenticationMethods: [{ key: 'svc_email', method: 'email' }] }],
      }),
      'no',
    ],
    [
      'a chain of a password by another method',
      asking({
        type: 'AUTH_METHOD_CHAIN',
        chains: [{ authenticationMethods: [{ key: 'svc_password', method: 'otp' }] }],
      }),
      'no',
    ],
    [
      'a chain of more',
      asking({
        type: 'AUTH_METHOD_CHAIN',
        chains: [
          {
            authenticationMethods: [{ key: 'svc_password', method: 'password' }],
            next: [{ authenticationMethods: [{ key: 'svc_email', method: 'email' }] }],
          },
        ],
      }),
      'no',
    ],
    ...(['hardwareProtection', 'phishingResistant', 'userVerification'] as const).map(
      (name): [string, Given, string] => [
        `a chain of a password with ${name}`,
        asking({
          type: 'AUTH_METHOD_CHAIN',
          chains: [{ authenticationMethods: [{ key: 'svc_password', method: 'password', [name]: 'REQUIRED' }] }],
        }),
        'no',
      ],
    ),
    ['a proof of identity', asking({ type: 'ID_PROOFING' }), 'no'],
  ])('%s', (_, given, expected) =>
    expect(decided([given])).toBe(expected === 'no' ? 'SECOND_FACTOR_REQUIRED' : expected),
  );

  test('how old a sign-in may be: the shortest that is said', () => {
    const constraints = [{ knowledge: { reauthenticateIn: 'PT30M' } }];
    const compiled = compileAppSignOn([rule(oneFactor({ reauthenticateIn: 'PT2H', constraints }))], 'own');
    expect(compiled.decide(null, ANYBODY)).toMatchObject({ access: 'ALLOW', signInAgeSeconds: 1_800 });
    expect(['P1D', 'PT12H', 'PT1M30S', 'PT0S'].map(secondsOf)).toEqual([86_400, 43_200, 90, 0]);
  });
});

test('the one of a chain, which counts from the sign-in as well', () => {
  const chains = [{ authenticationMethods: [{ key: 'svc_password', method: 'password' }], reauthenticateIn: 'PT10M' }];
  const verificationMethod = { type: 'AUTH_METHOD_CHAIN', chains, reauthenticateIn: 'PT1H' };
  const compiled = compileAppSignOn([rule({ appSignOn: { access: 'ALLOW', verificationMethod } })], 'own');
  expect(compiled.decide(null, ANYBODY)).toMatchObject({ access: 'ALLOW', signInAgeSeconds: 600 });
});

describe('what cannot be told', () => {
  test.each([
    ['a risk', { riskScore: { level: 'HIGH' } }],
    ['a device', { device: { registered: true } }],
    ['a managed device', { device: { managed: true } }],
    ['all but a group of platforms', { platform: { exclude: [{ type: 'ANY', os: { type: 'IOS' } }] } }],
    ['a platform', { platform: { include: [{ type: 'MOBILE' }] } }],
    ['all but a platform', { platform: { exclude: [{ type: 'ANY' }] } }],
    ['an expression', { elCondition: { condition: 'true' } }],
  ])('%s: nobody gets in for whom the rest holds, whatever the rule would do', (_, conditions) => {
    for (const appSignOn of [LETS_IN, DENIES]) {
      expect(decided([{ conditions, appSignOn }])).toBe('CONDITION_NOT_EVALUATED');
      const ofOthers = { ...conditions, people: { users: { include: ['00u2'] } } };
      expect(decided([{ conditions: ofOthers, appSignOn }])).toBe('ALLOW');
    }
  });
});

test('an app that was put under none, or under one that is not active, is under the default', () => {
  const compiled = compileAppSignOn(
    [rule({ appSignOn: DENIES }), rule({ conditions: null, policyId: 'default' })],
    'default',
  );
  const asked = (policyId: string | null) => compiled.decide(policyId, ANYBODY)?.access;
  expect([asked('own'), asked('gone'), asked(null)]).toEqual(['DENY', 'ALLOW', 'ALLOW']);
});

test('what has to be known of somebody is known from the rules', () => {
  const asks = (given: Given) => {
    const { asksGroups, asksNetwork, deniesSomebody } = compileAppSignOn([rule(given)], 'own');
    return { asksGroups, asksNetwork, deniesSomebody };
  };
  const nothing = { asksGroups: false, asksNetwork: false, deniesSomebody: false };
  expect(asks({})).toEqual(nothing);
  expect(asks({ conditions: { people: { groups: { include: ['00g1'] } } } })).toEqual({ ...nothing, asksGroups: true });
  expect(asks({ conditions: ZONE })).toEqual({ ...nothing, asksNetwork: true, deniesSomebody: true });
  expect(asks({ appSignOn: DENIES })).toEqual({ ...nothing, deniesSomebody: true });
});
