import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, type OrgId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { createOnce, placeOf, shiftForInsert } from '../../resource/index.ts';
import { checkReferences } from '../changes/check-references.ts';
import { keepFactorMode } from '../conditions/access-rules.ts';
import { gather } from '../conditions/gather-rules.ts';
import type { PolicyRuleInput } from '../contract.ts';
import { getPolicy, lockPolicy } from '../guards.ts';
import type { PoliciesPorts } from '../ports.ts';
import type { Policy } from '../store.ts';
import { policyNamesOf } from '../types/policy-names.ts';
import {
  checkRuleType,
  expressionsOf,
  MAXIMUM_EXPRESSIONS,
  maximumRulesOf,
  type RuleDocument,
  readName,
  readRuleDocument,
  readRulePriority,
} from '../types/rules.ts';
import { POLICY_TYPE_ROWS, ruleIdKind } from '../types/type-rules.ts';
import { policyRuleChange, policyTarget } from '../wire.ts';
import { countPolicyRules, POLICY_RULES, type PolicyRule, type RuleCounts, shiftPolicyRules } from './rule-store.ts';

export interface ReadRule {
  readonly name: string;
  readonly wanted: number | null;
  readonly document: RuleDocument;
}

/** `before` is the rule that the body replaces, or null for a new rule. */
export async function readRule(
  tx: Tx,
  context: Context,
  {
    before,
    input,
    policy,
  }: { readonly policy: Policy; readonly input: PolicyRuleInput; readonly before: PolicyRule | null },
): Promise<ReadRule> {
  const { type } = policy;
  const words = policyNamesOf(context);
  checkRuleType(input.type, type);
  const isCatchAll = before !== null && before.conditions === null;
  const actions = before?.type === 'ACCESS_POLICY' ? keepFactorMode(input.actions, before.actions) : input.actions;
  const given = gather<ReadRule>({
    name: () => readName(input.name, before?.name),
    wanted: () => readRulePriority(type, input.priority, before),
    document: () => readRuleDocument(type, { ...input, actions }, words, isCatchAll),
  });
  return { ...given, document: await checkReferences(tx, context, given.document, before) };
}

/** Limits the regular expressions of a policy, because they are costly at sign-in. */
export function assertExpressionsFit(document: RuleDocument, others: RuleCounts): void {
  if (expressionsOf(document) + others.expressions <= MAXIMUM_EXPRESSIONS) return;
  throw invalid(
    'conditions.userIdentifier.patterns',
    `The rules of a policy may have at most ${MAXIMUM_EXPRESSIONS} patterns of the type EXPRESSION in total.`,
  );
}

async function addRule(
  tx: Tx,
  context: Context,
  policy: Policy,
  given: { readonly id: string; readonly input: PolicyRuleInput; readonly activate: boolean },
): Promise<PolicyRule> {
  const { id, input, activate } = given;
  if (POLICY_TYPE_ROWS[policy.type].rules === 'closed') {
    throw invalid('rule', 'A policy of this type keeps the rules that it was created with.');
  }
  const { document, name, wanted } = await readRule(tx, context, { policy, input, before: null });
  const counts = await countPolicyRules(tx, context.orgId, policy.id, null);
  const maximum = maximumRulesOf(policy.type);
  if (counts.rules >= maximum) throw limitReached('rule', maximum, 'rules', 'A policy');
  assertExpressionsFit(document, counts);
  const now = wholeSecond(context.now);
  const rule: PolicyRule = {
    ...document,
    id,
    policyId: policy.id,
    name,
    status: activate ? (input.status ?? 'ACTIVE') : 'INACTIVE',
    priority: placeOf(wanted, counts.rules + 1),
    system: false,
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  await shiftPolicyRules(tx, context.orgId, policy.id, shiftForInsert(rule.priority));
  await POLICY_RULES.insert(tx, context.orgId, rule);
  return rule;
}

/** Adds a rule, by default after the others but before the default rule. */
export async function createPolicyRule(
  ports: PoliciesPorts,
  context: Context,
  policyId: string,
  input: PolicyRuleInput,
  activate: boolean,
): Promise<PolicyRule> {
  // The type of a policy never changes, so it is read without a lock.
  const { type } = await getPolicy(ports.db, context, policyId);
  const id = newId(ruleIdKind(type), orgSuffixOf(context.orgId));
  const find = (tx: Tx, orgId: OrgId, made: string) => POLICY_RULES.find(tx, orgId, policyId, made);
  return ports.work(context, (tx, record) =>
    createOnce(tx, context, id, find, async () => {
      const policy = await lockPolicy(tx, context, policyId);
      const rule = await addRule(tx, context, policy, { id, input, activate });
      record({ eventType: 'policy.rule.add', target: [policyTarget(policy), policyRuleChange([null, rule], context)] });
      return rule;
    }),
  );
}
