import { describe, expect, test } from 'vitest';
import {
  POLICY_TYPE_ROWS,
  POLICY_TYPES,
  type PolicyType,
} from '../../server/src/management/policies/types/type-rules.ts';
import { POLICY_SETTING_LIMITS, POLICY_SETTING_PROOFS } from './policy-setting-proofs.ts';
import { isThere } from './proof.ts';

/** The number of settings that have no effect, counted once for each policy type. It may only decrease. */
const MOST_LIMITS = 19;
/** The number of policy types that are not evaluated. It may only decrease. */
const MOST_UNASKED_TYPES = 8;

const isAsked = (type: PolicyType): boolean => POLICY_TYPE_ROWS[type].isEvaluated;

/** Returns the places of the settings that policies of a type, and their rules, can contain. */
function settingsOf(type: PolicyType): readonly string[] {
  const { conditions, ruleActions, ruleConditions, settings } = POLICY_TYPE_ROWS[type];
  return [
    ...(conditions?.settings('conditions') ?? []),
    ...(settings?.settings('settings') ?? []),
    ...(ruleConditions?.settings('rule.conditions') ?? []),
    ...ruleActions.settings('rule.actions'),
  ];
}

const named = (rows: typeof POLICY_SETTING_PROOFS | typeof POLICY_SETTING_LIMITS): string[] =>
  rows.flatMap(({ places, types }) => types.flatMap((type) => places.map((place) => `${type} ${place}`)));

const stored = POLICY_TYPES.filter(isAsked).flatMap((type) => settingsOf(type).map((place) => `${type} ${place}`));

describe('every setting of a policy that is asked', () => {
  test('has an effect that a test shows, or stands among the limits, once', () => {
    expect(stored.length).toBeGreaterThan(100);
    const rows = [...named(POLICY_SETTING_PROOFS), ...named(POLICY_SETTING_LIMITS)];
    expect(rows.toSorted()).toEqual([...new Set(stored)].toSorted());
  });

  test('is shown by a test that there is', () => {
    const gone = POLICY_SETTING_PROOFS.filter((proof) => !isThere(proof));
    expect(gone.map(({ file, places, title }) => `${places[0]}: ${file}: ${title}`)).toEqual([]);
  });

  test('the limits only shrink', () => {
    expect(named(POLICY_SETTING_LIMITS)).toHaveLength(MOST_LIMITS);
    expect(POLICY_TYPES.filter((type) => !isAsked(type))).toHaveLength(MOST_UNASKED_TYPES);
    for (const { reason } of POLICY_SETTING_LIMITS) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
