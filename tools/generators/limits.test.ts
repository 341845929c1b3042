import { describe, expect, test } from 'vitest';
import { POLICY_TYPE_ROWS, POLICY_TYPES } from '../../server/src/management/policies/types/type-rules.ts';
import { DIFFERENCES } from '../limits/differences.ts';
import { FEATURES, UNASKED_POLICIES } from '../limits/features.ts';
import { MISSING_FAMILIES } from '../limits/operations.ts';
import { CLIENT_CREDENTIALS, CLIENT_SETTINGS, ORG_SETTINGS } from '../promises/client-setting-proofs.ts';
import { PARAMETER_LIMITS } from '../promises/parameter-proofs.ts';
import { POLICY_SETTING_LIMITS } from '../promises/policy-setting-proofs.ts';
import { generateLimits, OTHER_WAYS } from './limits.ts';

const unasked = POLICY_TYPES.filter((type) => !POLICY_TYPE_ROWS[type].isEvaluated);
const routes = [
  { method: 'GET', url: '/sso/door', summary: 'Say that doors are not there yet', errors: ['E0000060'] },
  { method: 'GET', url: '/api/v1/doors', summary: 'List all doors', errors: ['E0000007'] },
];
const text = generateLimits(unasked, routes);

describe('docs/limits.md', () => {
  test('names each type of policy that nothing asks, and no other', () => {
    expect(Object.keys(UNASKED_POLICIES).toSorted()).toEqual(unasked.toSorted());
    for (const type of unasked) expect(text).toContain(`| \`${type}\` | ${UNASKED_POLICIES[type]} |`);
    expect(() => generateLimits([...unasked, 'DOOR'], routes)).toThrow('DOOR');
  });

  test('names each setting and each parameter that changes nothing', () => {
    for (const { places, reason } of POLICY_SETTING_LIMITS) {
      for (const place of places) expect(text).toContain(`| \`${place}\` | ${reason} |`);
    }
    for (const [name, word] of [CLIENT_SETTINGS, CLIENT_CREDENTIALS, ORG_SETTINGS].flatMap(Object.entries)) {
      const row = `| \`${name}\` | ${String(word)} |`;
      expect(text.includes(row)).toBe(typeof word === 'string');
    }
    for (const [where, settings] of OTHER_WAYS) {
      for (const [place, reason] of Object.entries(settings)) {
        if (typeof reason !== 'string') continue;
        const row = text.split('\n').find((one) => one.startsWith(`| ${where} |`) && one.endsWith(`| ${reason} |`));
        expect(row, `${where}: ${place}`).toContain(`\`${place}\``);
      }
    }
    for (const { parameter, reason } of PARAMETER_LIMITS) {
      const line = text.split('\n').find((one) => one.startsWith(`| \`${parameter}\` |`) && one.includes(reason));
      expect(line, parameter).toBeDefined();
    }
  });

  test('names each address that says what is missing, and no other', () => {
    expect(text).toContain('| GET `/sso/door` | Say that doors are not there yet. |');
    expect(text).not.toContain('/api/v1/doors');
  });

  test('gives each family once, with a feature, and each reason as a whole sentence', () => {
    const names = MISSING_FAMILIES.map(({ family }) => family);
    expect(names).toHaveLength(new Set(names).size);
    for (const { all, family, missing, served } of MISSING_FAMILIES) {
      expect(text).toContain(`| ${family} | ${served} of ${all} |`);
      expect(missing).toHaveLength(served === 0 ? 0 : all - served);
    }
    const sentences = [...Object.values(FEATURES), ...DIFFERENCES.map(({ here }) => ({ reason: here }))];
    for (const { reason } of sentences) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
