import { describe, expect, test } from 'vitest';
import { DEFAULT_PASSWORD_SETTINGS, NIST_PASSWORD_SETTINGS } from '../evaluation/password-settings-rules.ts';
import type { PolicyNames } from './document-rules.ts';
import { readPolicySettings, readRuleDocument, wirePolicySettings, wireRuleDocument } from './rules.ts';
import { POLICY_TYPE_ROWS, POLICY_TYPES, type PolicyType, policyIdKind, ruleIdKind } from './type-rules.ts';

const words: PolicyNames = { word: 'svc', upperWord: 'SVC', capitalisedWord: 'Svc', attributes: new Set() };

/** Documents in the form of the contract's recordings and examples, with this service's namespace word. */
const RECORDED: readonly [PolicyType, conditions: unknown, actions: unknown][] = [
  [
    'ACCESS_POLICY',
    {
      people: { users: { exclude: [] } },
      network: { connection: 'ANYWHERE' },
      riskScore: { level: 'ANY' },
      userType: { include: [], exclude: [] },
    },
    {
      appSignOn: {
        access: 'ALLOW',
        verificationMethod: { factorMode: '2FA', type: 'ASSURANCE', reauthenticateIn: 'PT12H' },
        keepMeSignedIn: { postAuth: 'NOT_ALLOWED' },
      },
    },
  ],
  [
    'PASSWORD',
    {
      people: {
        users: { include: ['00u1'], exclude: ['00u2'] },
        groups: { include: ['00g1'], exclude: ['00g2'] },
      },
      network: { connection: 'ZONE', include: ['nzo1'] },
    },
    {
      passwordChange: { access: 'ALLOW' },
      selfServicePasswordReset: {
        access: 'ALLOW',
        requirement: {
          primary: {
            methods: ['otp'],
            methodConstraints: [{ method: 'otp', allowedAuthenticators: [{ key: 'google_otp' }] }],
          },
          stepUp: { required: true },
          accessControl: 'LEGACY',
        },
      },
      selfServiceUnlock: { access: 'ALLOW' },
    },
  ],
  [
    'MFA_ENROLL',
    { people: { users: { exclude: [] } }, network: { connection: 'ANYWHERE' } },
    { enroll: { self: 'CHALLENGE' } },
  ],
  [
    'PROFILE_ENROLLMENT',
    null,
    {
      profileEnrollment: {
        access: 'ALLOW',
        preRegistrationInlineHooks: null,
        profileAttributes: [{ name: 'email', label: 'Primary Email', required: true }],
        targetGroupIds: ['00g1'],
        unknownUserAction: 'REGISTER',
        activationRequirements: { emailVerification: false },
        progressiveProfilingAction: 'DISABLED',
        allowedIdentifiers: ['login'],
      },
    },
  ],
  [
    'POST_AUTH_SESSION',
    { people: { users: { exclude: [] } } },
    { postAuthSession: { failureActions: [{ action: 'TERMINATE_SESSION' }] } },
  ],
  [
    'SESSION_VIOLATION_DETECTION',
    { network: { connection: 'ANYWHERE' }, riskScore: { minRiskLevel: 'HIGH' } },
    { sessionViolationDetection: { policyEvaluation: { enabled: true } } },
  ],
  [
    'DEVICE_SIGNAL_COLLECTION',
    {
      network: { connection: 'ZONE', exclude: ['nzo1'] },
      platform: { include: [{ type: 'MOBILE', os: { type: 'ANDROID' } }] },
    },
    {
      deviceSignalCollection: {
        deviceContextProviders: [
          { key: 'SVC_VERIFY', userIdentification: 'IGNORE' },
          { key: 'DEVICE_POSTURE_IDP', id: '0oa1' },
        ],
      },
    },
  ],
  [
    'IDENTITY_CLAIM_SOURCING',
    null,
    {
      claimSourcing: {
        redirectType: 'IDP_DISCOVERY',
        refresh: { redirectType: 'FIXED', filter: { include: [{ id: '0oa1', name: 'one' }] } },
      },
    },
  ],
  ['CLIENT_UPDATE', null, { updateControls: { actions: [{ action: 'SVC_VERIFY_UPDATE', value: 'HOTFIX_ONLY' }] } }],
];

describe('recorded rules', () => {
  test.each(RECORDED)('of the type %s come back as they are', (type, conditions, actions) => {
    const document = readRuleDocument(type, { conditions, actions }, words);
    expect(wireRuleDocument(document, words)).toEqual({ conditions, actions });
    expect(JSON.stringify(document)).not.toMatch(/svc_|SVC_/);
  });

  test('clients print `slo` as null', () => {
    const actions = { postAuthSession: { failureActions: [{ action: 'TERMINATE_SESSION', slo: null }] } };
    expect(readRuleDocument('POST_AUTH_SESSION', { actions }, words).actions).toEqual({
      postAuthSession: { failureActions: [{ action: 'TERMINATE_SESSION' }] },
    });
  });
});

describe('the table', () => {
  test.each(POLICY_TYPES)('the default of %s is read as it is printed', (type) => {
    const { standard } = POLICY_TYPE_ROWS[type];
    if (standard === null) return;
    const { actions, conditions } = standard.rule;
    const wire = wireRuleDocument(readRuleDocument(type, wireOf(type), words, true), words);
    expect(readRuleDocument(type, wire, words, true)).toEqual({ type, conditions, actions });
    const settings = wirePolicySettings(type, standard.settings, words);
    expect(readPolicySettings(type, settings, words, undefined)).toEqual(standard.settings);
  });

  test('one in three types is asked by something', () => {
    expect(POLICY_TYPES.filter((type) => POLICY_TYPE_ROWS[type].isEvaluated)).toEqual([
      'SIGN_ON',
      'IDP_DISCOVERY',
      'PASSWORD',
      'ACCESS_POLICY',
    ]);
  });

  test('the newer types have ids of their own', () => {
    expect(POLICY_TYPES.filter((type) => policyIdKind(type) === 'policy')).toEqual([
      'SIGN_ON',
      'IDP_DISCOVERY',
      'PASSWORD',
      'MFA_ENROLL',
    ]);
    for (const type of POLICY_TYPES) {
      expect(ruleIdKind(type)).toBe(policyIdKind(type) === 'policy' ? 'policyRule' : 'newerPolicyRule');
    }
  });
});

function wireOf(type: PolicyType): { conditions: unknown; actions: unknown } {
  const { ruleActions, ruleConditions, standard } = POLICY_TYPE_ROWS[type];
  const { actions, conditions } = standard?.rule ?? { actions: {}, conditions: null };
  return {
    conditions: conditions === null ? null : ruleConditions?.write(conditions, words),
    actions: ruleActions.write(actions, words),
  };
}

describe('settings of passwords', () => {
  test.each([
    ['the classic rules', DEFAULT_PASSWORD_SETTINGS],
    ['the profile of NIST', NIST_PASSWORD_SETTINGS],
  ])('%s are read as they are printed', (_, settings) => {
    const wire = wirePolicySettings('PASSWORD', settings, words);
    expect(readPolicySettings('PASSWORD', wire, words, undefined)).toEqual(settings);
  });

  test('left out are the classic rules', () => {
    for (const given of [undefined, null, {}, { password: {} }]) {
      expect(readPolicySettings('PASSWORD', given, words, undefined)).toEqual(DEFAULT_PASSWORD_SETTINGS);
    }
  });

  test('the profile of NIST asks for what it says', () => {
    expect(NIST_PASSWORD_SETTINGS).toMatchObject({
      complexity: {
        minLength: 15,
        minLowerCase: 0,
        minUpperCase: 0,
        minNumber: 0,
        minSymbol: 0,
        dictionary: { common: { exclude: true } },
      },
      age: { maxAgeDays: 0 },
      recovery: { question: { isActive: false } },
    });
    expect(NIST_PASSWORD_SETTINGS.lockout.maxAttempts).toBeLessThanOrEqual(100);
  });
});
