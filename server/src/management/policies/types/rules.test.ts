import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { policyLifecycle, policyRuleLifecycle } from '../lifecycle.ts';
import type { PolicyNames } from './document-rules.ts';
import {
  checkRuleType,
  readDescription,
  readName,
  readNewPolicyType,
  readPolicyConditions,
  readPolicyPriority,
  readPolicyType,
  readPriority,
  readRulePriority,
  wirePolicyPriority,
  wirePolicyType,
  wireRulePriority,
} from './rules.ts';
import { POLICY_TYPE_ROWS, POLICY_TYPES } from './type-rules.ts';

const words: PolicyNames = { word: 'svc', upperWord: 'SVC', capitalisedWord: 'Svc', attributes: new Set() };

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('types', () => {
  test('carry the word on the wire', () => {
    expect(readPolicyType('SVC_SIGN_ON', 'SVC')).toBe('SIGN_ON');
    expect(readPolicyType('IDP_DISCOVERY', 'SVC')).toBe('IDP_DISCOVERY');
    expect(wirePolicyType('SIGN_ON', 'SVC')).toBe('SVC_SIGN_ON');
  });

  test.each([
    [undefined, 'cannot be left blank'],
    ['OAUTH_AUTHORIZATION_POLICY', 'There is no policy type'],
    ['SIGN_ON', 'There is no policy type SIGN_ON'],
    ['OTHER_SIGN_ON', 'There is no policy type'],
    ['svc_sign_on', 'There is no policy type'],
    ['constructor', 'There is no policy type'],
  ])('refuses %s', (type, cause) => {
    expect(causesOf(() => readPolicyType(type, 'SVC'))).toEqual([expect.stringContaining(cause)]);
  });

  test('a rule is of the type of its policy', () => {
    for (const type of [undefined, null, 'SIGN_ON']) expect(causesOf(() => checkRuleType(type, 'SIGN_ON'))).toEqual([]);
    for (const type of ['SVC_SIGN_ON', 'IDP_DISCOVERY']) {
      expect(causesOf(() => checkRuleType(type, 'SIGN_ON'))).toHaveLength(1);
    }
  });
});

describe('names, descriptions, priorities', () => {
  test('are read', () => {
    expect(readName('  Staff ')).toBe('Staff');
    expect(readDescription(null)).toBeNull();
    expect(readPriority(undefined)).toBeNull();
    expect(readPriority(99)).toBe(99);
  });
  test.each([
    () => readName('  '),
    () => readName('x'.repeat(256)),
    () => readDescription('x'.repeat(1_025)),
    () => readPriority(0),
    () => readPriority(-1),
    () => readPriority(1.5),
  ])('or refused: %s', (run) => {
    expect(causesOf(run)).toHaveLength(1);
  });
});

test('those of which an org has one cannot be made', () => {
  const single = POLICY_TYPES.filter((type) => POLICY_TYPE_ROWS[type].policies === 'one');
  expect(single).toEqual([
    'IDP_DISCOVERY',
    'POST_AUTH_SESSION',
    'ENTITY_RISK',
    'SESSION_VIOLATION_DETECTION',
    'CLIENT_UPDATE',
    'IDENTITY_CLAIM_SOURCING',
  ]);
  for (const type of single) expect(causesOf(() => readNewPolicyType(type, 'SVC'))).toHaveLength(1);
  expect(readNewPolicyType('SVC_SIGN_ON', 'SVC')).toBe('SIGN_ON');
});

describe('places on the wire', () => {
  test('rules of the classic types begin at 1, those of the newer ones at 0 and end with 99', () => {
    expect(wireRulePriority({ type: 'PASSWORD', priority: 1, system: false })).toBe(1);
    expect(wireRulePriority({ type: 'PASSWORD', priority: 3, system: true })).toBe(3);
    expect(wireRulePriority({ type: 'ACCESS_POLICY', priority: 1, system: false })).toBe(0);
    expect(wireRulePriority({ type: 'ACCESS_POLICY', priority: 3, system: true })).toBe(99);
  });

  test('and are read as they are printed', () => {
    expect(readRulePriority('PASSWORD', 2, null)).toBe(2);
    expect(readRulePriority('ACCESS_POLICY', 0, null)).toBe(1);
    expect(readRulePriority('ACCESS_POLICY', 99, { system: true, priority: 3 })).toBe(3);
    expect(readRulePriority('ACCESS_POLICY', null, null)).toBeNull();
    expect(causesOf(() => readRulePriority('PASSWORD', 0, null))).toHaveLength(1);
    expect(causesOf(() => readRulePriority('ACCESS_POLICY', -1, null))).toHaveLength(1);
  });

  test('policies that apps are mapped to have no order', () => {
    expect(wirePolicyPriority({ type: 'ACCESS_POLICY', priority: 7 })).toBe(1);
    expect(wirePolicyPriority({ type: 'MFA_ENROLL', priority: 7 })).toBe(7);
    expect(readPolicyPriority('PROFILE_ENROLLMENT', 7)).toBeNull();
    expect(readPolicyPriority('PASSWORD', 7)).toBe(7);
    expect(causesOf(() => readPolicyPriority('ACCESS_POLICY', 0))).toHaveLength(1);
  });
});

describe('conditions of a policy', () => {
  const everyone = { groups: { include: [], exclude: [] } };

  test.each([
    [undefined],
    [null],
    [{}],
    [{ people: null }],
    [{ people: { groups: { include: [] } } }],
    [{ people: { groups: { include: [], exclude: [] } } }],
  ])('%j is everyone', (conditions) => {
    expect(readPolicyConditions('SIGN_ON', conditions, words)).toEqual(everyone);
    expect(readPolicyConditions('PASSWORD', conditions, words)).toEqual({ ...everyone, authProvider: 'ANY' });
  });

  test('groups are kept, each once', () => {
    const conditions = { people: { groups: { include: ['00g1', '00g2', '00g1'] } } };
    expect(readPolicyConditions('MFA_ENROLL', conditions, words)).toEqual({
      groups: { include: ['00g1', '00g2'], exclude: [] },
    });
  });

  test.each([
    ['SVC', '{WORD}'],
    ['LDAP', 'LDAP'],
    ['ANY', 'ANY'],
  ])('who keeps the password: %s', (provider, authProvider) => {
    expect(readPolicyConditions('PASSWORD', { authProvider: { provider } }, words)).toEqual({
      ...everyone,
      authProvider,
    });
  });

  test.each([{ people: [] }, { network: {} }, 'all', { people: { groups: { include: 'x' } } }])(
    'refuses %j',
    (conditions) => {
      expect(causesOf(() => readPolicyConditions('SIGN_ON', conditions, words))).toHaveLength(1);
    },
  );

  test('all faults at once', () => {
    const conditions = {
      people: { groups: { include: 'x', exclude: [1] } },
      authProvider: { provider: 'OTHER', include: ['0oa1'] },
      network: {},
    };
    expect(causesOf(() => readPolicyConditions('PASSWORD', conditions, words))).toEqual([
      'conditions.people.groups.include: must be an array.',
      'conditions.people.groups.exclude[0]: must be a string.',
      'conditions.authProvider.provider: must be one of ANY, SVC, ACTIVE_DIRECTORY, LDAP.',
      'conditions.authProvider.include: is not supported yet.',
      'conditions.network: is not supported yet.',
    ]);
  });

  test('routing has none', () => {
    expect(readPolicyConditions('IDP_DISCOVERY', null, words)).toBeNull();
    expect(causesOf(() => readPolicyConditions('IDP_DISCOVERY', { people: {} }, words))).toHaveLength(1);
  });
});

test('both lifecycles: each status links to the other', () => {
  for (const [lifecycle, prefix] of [
    [policyLifecycle, 'policy.lifecycle'],
    [policyRuleLifecycle, 'policy.rule'],
  ] as const) {
    expect(lifecycle.linkedFrom('ACTIVE')).toEqual(['deactivate']);
    expect(lifecycle.linkedFrom('INACTIVE')).toEqual(['activate']);
    expect(lifecycle.transition('activate')).toMatchObject({ to: ['ACTIVE'], event: `${prefix}.activate` });
    expect(lifecycle.transition('deactivate')).toMatchObject({ to: ['INACTIVE'], event: `${prefix}.deactivate` });
  }
});
