import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { policyLifecycle, policyRuleLifecycle } from './lifecycle.ts';
import {
  checkPolicyConditions,
  checkRuleType,
  readDescription,
  readName,
  readPolicyType,
  readPriority,
  wirePolicyType,
} from './rules.ts';

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
    ['PASSWORD', 'PASSWORD is not supported yet'],
    ['ACCESS_POLICY', 'ACCESS_POLICY is not supported yet'],
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

describe('conditions of a policy', () => {
  test.each([
    [undefined],
    [null],
    [{}],
    [{ people: null }],
    [{ people: { groups: { include: [] } } }],
    [{ people: { groups: { include: [], exclude: [] } } }],
  ])('%j is everyone', (conditions) => {
    expect(causesOf(() => checkPolicyConditions('SIGN_ON', conditions))).toEqual([]);
  });

  test('a group is named and refused', () => {
    const conditions = { people: { groups: { include: ['00g123'] } } };
    expect(causesOf(() => checkPolicyConditions('SIGN_ON', conditions))).toEqual([
      'conditions.people.groups.include: There is no group 00g123.',
    ]);
  });

  test.each([{ people: [] }, { network: {} }, 'all', { people: { groups: { include: 'x' } } }])(
    'refuses %j',
    (conditions) => {
      expect(causesOf(() => checkPolicyConditions('SIGN_ON', conditions))).toHaveLength(1);
    },
  );

  test('routing has none', () => {
    expect(causesOf(() => checkPolicyConditions('IDP_DISCOVERY', null))).toEqual([]);
    expect(causesOf(() => checkPolicyConditions('IDP_DISCOVERY', { people: {} }))).toHaveLength(1);
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
