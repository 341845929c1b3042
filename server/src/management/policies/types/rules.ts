import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { readLine, readProse } from '../../../kernel/texts/written-text.ts';
import { isAbsent, MAXIMUM_TEXT_LENGTH, type Members, readMembers } from '../../../kernel/words/members.ts';
import type { AccessActions, AccessConditions } from '../conditions/access-rules.ts';
import type { DiscoveryActions, DiscoveryConditions } from '../conditions/discovery-rules.ts';
import { gather } from '../conditions/gather-rules.ts';
import type { SignOnActions, SignOnConditions } from '../conditions/sign-on-rules.ts';
import { PASSWORD_PRESETS, type PasswordPreset } from '../evaluation/password-settings-rules.ts';
import { type PolicyNames, type Reference, type Shape } from './document-rules.ts';
import type { PasswordRuleActions, PasswordRuleConditions } from './password-rule-rules.ts';
import { POLICY_TYPE_ROWS, POLICY_TYPES, type PolicyConditions, type PolicyType } from './type-rules.ts';

const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

/** The default policy does not count towards this limit. */
export const MAXIMUM_POLICIES = 100;
/** The default rule does not count towards this limit. */
const MAXIMUM_RULES = 100;
/** The catch-all rule does not count towards this limit. */
const MAXIMUM_NEWER_RULES = 99;
const CATCH_ALL_PRIORITY = 99;
/** A policy has at most this many regular expressions, because they are costly at sign-in. */
export const MAXIMUM_EXPRESSIONS = 100;

type LaterType = Exclude<PolicyType, 'SIGN_ON' | 'IDP_DISCOVERY' | 'PASSWORD' | 'ACCESS_POLICY'>;

export type RuleDocument =
  | { readonly type: 'SIGN_ON'; readonly conditions: SignOnConditions; readonly actions: SignOnActions }
  | { readonly type: 'IDP_DISCOVERY'; readonly conditions: DiscoveryConditions; readonly actions: DiscoveryActions }
  | { readonly type: 'PASSWORD'; readonly conditions: PasswordRuleConditions; readonly actions: PasswordRuleActions }
  | { readonly type: 'ACCESS_POLICY'; readonly conditions: AccessConditions | null; readonly actions: AccessActions }
  | { readonly type: LaterType; readonly conditions: Members | null; readonly actions: Members };

export const wirePolicyType = (type: PolicyType, upperWord: string): string =>
  type === 'SIGN_ON' ? `${upperWord}_SIGN_ON` : type;

export function readPolicyType(text: string | undefined, upperWord: string): PolicyType {
  if (text === undefined) throw required('type');
  const type = POLICY_TYPES.find((known) => wirePolicyType(known, upperWord) === text);
  if (type === undefined) throw invalid('type', `There is no policy type ${text.slice(0, 100)}.`);
  return type;
}

export function readNewPolicyType(text: string | undefined, upperWord: string): PolicyType {
  const type = readPolicyType(text, upperWord);
  if (POLICY_TYPE_ROWS[type].policies === 'many') return type;
  throw invalid('type', `An org has exactly one policy of the type ${type}.`);
}

export function checkRuleType(text: string | null | undefined, policyType: PolicyType): void {
  if (isAbsent(text) || text === policyType) return;
  throw invalid('type', `must be ${policyType}, as for all rules of this policy.`);
}

/** Accepts the stored name even if it is not valid. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_TEXT_LENGTH, stored);

/** Accepts the stored description even if it is not valid. */
export const readDescription = (text: string | null | undefined, stored?: string | null): string | null =>
  isAbsent(text) ? null : readProse('description', text, MAXIMUM_DESCRIPTION_LENGTH, stored);

/**
 * Returns the priority counted from 1, or null if it is absent. A priority after the last one is accepted, because
 * `placeOf` reduces it to the last one.
 */
export function readPriority(priority: number | null | undefined, first = 1): number | null {
  if (isAbsent(priority)) return null;
  if (!Number.isSafeInteger(priority) || priority < first) {
    throw invalid('priority', `must be a whole number of at least ${first}.`);
  }
  return priority - first + 1;
}

const isNewer = (type: PolicyType): boolean => POLICY_TYPE_ROWS[type].family === 'newer';

/**
 * In the API, the priorities of rules of newer policy types start at 0, and the catch-all rule has 99. Returns the
 * priority counted from 1, or null if it is absent.
 */
export function readRulePriority(
  type: PolicyType,
  priority: number | null | undefined,
  before: { readonly system: boolean; readonly priority: number } | null,
): number | null {
  const wanted = readPriority(priority, isNewer(type) ? 0 : 1);
  const isPrinted = before?.system === true && isNewer(type) && priority === CATCH_ALL_PRIORITY;
  return isPrinted ? before.priority : wanted;
}

export function wireRulePriority({
  priority,
  system,
  type,
}: {
  readonly type: PolicyType;
  readonly priority: number;
  readonly system: boolean;
}): number {
  if (!isNewer(type)) return priority;
  return system ? CATCH_ALL_PRIORITY : priority - 1;
}

/**
 * If apps choose among the policies of a type, these policies have no order, and the API shows the priority 1 for each.
 */
export const wirePolicyPriority = ({ priority, type }: { readonly type: PolicyType; readonly priority: number }) =>
  POLICY_TYPE_ROWS[type].chosenBy === 'app' ? 1 : priority;

/** Returns null if the priority is absent or if policies of the type have no order. */
export function readPolicyPriority(type: PolicyType, priority: number | null | undefined): number | null {
  const wanted = readPriority(priority);
  return POLICY_TYPE_ROWS[type].chosenBy === 'app' ? null : wanted;
}

export const maximumRulesOf = (type: PolicyType): number => (isNewer(type) ? MAXIMUM_NEWER_RULES : MAXIMUM_RULES);

function readPart<Stored>(place: string, shape: Shape<Stored> | null, value: unknown, words: PolicyNames) {
  if (shape !== null) return shape.read(place, value, words);
  readMembers(place, value, []);
  return null;
}

/** Returns null for types without conditions. */
export const readPolicyConditions = (type: PolicyType, value: unknown, words: PolicyNames): PolicyConditions | null =>
  readPart('conditions', POLICY_TYPE_ROWS[type].conditions, value, words);

/** Reads the settings, or returns those of the preset. Returns null for types without settings. */
export function readPolicySettings(
  type: PolicyType,
  value: unknown,
  words: PolicyNames,
  preset: PasswordPreset | undefined,
): object | null {
  if (preset === undefined) return readPart('settings', POLICY_TYPE_ROWS[type].settings, value, words) as object | null;
  if (type !== 'PASSWORD') throw invalid('preset', 'belongs to policies of the type PASSWORD.');
  if (!isAbsent(value)) throw invalid('settings', 'must be absent: the preset has its own settings.');
  return PASSWORD_PRESETS[preset];
}

export const wirePolicyConditions = (type: PolicyType, stored: PolicyConditions | null, words: PolicyNames): unknown =>
  stored === null ? null : (POLICY_TYPE_ROWS[type].conditions?.write(stored, words) ?? null);

export const wirePolicySettings = (type: PolicyType, stored: object | null, words: PolicyNames): unknown =>
  stored === null ? undefined : POLICY_TYPE_ROWS[type].settings?.write(stored, words);

export const namesOfPolicy = (type: PolicyType, conditions: PolicyConditions | null): readonly Reference[] =>
  conditions === null ? [] : (POLICY_TYPE_ROWS[type].conditions?.names(conditions, 'conditions') ?? []);

/** The conditions and actions must belong to this type. */
export const documentOf = (type: PolicyType, conditions: object | null, actions: object): RuleDocument =>
  ({ type, conditions, actions }) as RuleDocument;

/** With `isCatchAll`, absent conditions are read as null. */
export function readRuleDocument(
  type: PolicyType,
  body: { readonly conditions?: unknown; readonly actions?: unknown },
  words: PolicyNames,
  isCatchAll = false,
): RuleDocument {
  const { ruleActions, ruleConditions } = POLICY_TYPE_ROWS[type];
  const isBare = isCatchAll && isAbsent(body.conditions);
  const { actions, conditions } = gather({
    conditions: () => (isBare ? null : readPart('conditions', ruleConditions, body.conditions, words)),
    actions: () => ruleActions.read('actions', body.actions, words),
  });
  return documentOf(type, conditions as object | null, actions as object);
}

export function wireRuleDocument(
  { actions, conditions, type }: RuleDocument,
  words: PolicyNames,
): { readonly conditions: unknown; readonly actions: unknown } {
  const { ruleActions, ruleConditions } = POLICY_TYPE_ROWS[type];
  return {
    conditions: conditions === null ? null : (ruleConditions?.write(conditions, words) ?? null),
    actions: ruleActions.write(actions, words),
  };
}

export function namesOfRule({ actions, conditions, type }: RuleDocument): readonly Reference[] {
  const { ruleActions, ruleConditions } = POLICY_TYPE_ROWS[type];
  const named = conditions === null ? [] : (ruleConditions?.names(conditions, 'conditions') ?? []);
  return [...named, ...ruleActions.names(actions, 'actions')];
}

export const expressionsOf = (document: RuleDocument): number =>
  document.type === 'IDP_DISCOVERY'
    ? document.conditions.userIdentifier.patterns.filter(({ matchType }) => matchType === 'EXPRESSION').length
    : 0;
