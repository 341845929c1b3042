import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Record, Target } from '../../../system-log/index.ts';
import { placeOf, shiftForMove } from '../../resource/index.ts';
import type { PolicyRuleInput } from '../contract.ts';
import { assertSystemKeeps, getPolicyRule, lockPolicy } from '../guards.ts';
import { type PolicyAction, policyRuleLifecycle } from '../lifecycle.ts';
import type { PoliciesPorts } from '../ports.ts';
import type { Policy } from '../store.ts';
import { policyNamesOf } from '../types/policy-names.ts';
import { wireRuleDocument } from '../types/rules.ts';
import { POLICY_TYPE_ROWS } from '../types/type-rules.ts';
import { policyRuleChange, policyRuleVersion, policyTarget } from '../wire.ts';
import { assertExpressionsFit, readRule } from './create-policy-rule.ts';
import { countPolicyRules, POLICY_RULES, type PolicyRule, shiftPolicyRules } from './rule-store.ts';

function assertDefaultKeeps(context: Context, before: PolicyRule, after: PolicyRule): void {
  // Older rows lack members that were added later, so the conditions are compared as the API shows them.
  const shown = (rule: PolicyRule) => ({
    ...rule,
    conditions: wireRuleDocument(rule, policyNamesOf(context)).conditions,
  });
  assertSystemKeeps('rule', shown(before), shown(after), ['name', 'status', 'priority', 'conditions']);
  const { systemRule } = POLICY_TYPE_ROWS[before.type];
  if (systemRule === 'actions') return;
  if (before.type === 'SIGN_ON' && after.type === 'SIGN_ON') {
    const fixed = ['access', 'primaryFactor', 'usePersistentCookie'] as const;
    const changed = fixed.find((name) => before.actions[name] !== after.actions[name]);
    if (changed !== undefined) throw invalid(changed, 'cannot be changed in the default rule.');
    return;
  }
  assertSystemKeeps('rule', before, after, ['actions']);
}

function recordChange(
  record: Record,
  policy: Policy,
  { before, after }: { readonly before: PolicyRule; readonly after: PolicyRule },
  rule: Target,
): void {
  record({ eventType: 'policy.rule.update', target: [policyTarget(policy), rule] });
  if (before.status === after.status) return;
  const action: PolicyAction = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
  record({ eventType: policyRuleLifecycle.transition(action).event, target: [policyTarget(policy), rule] });
}

/** Keeps the priority and status if the body omits them. */
export function replacePolicyRule(
  ports: PoliciesPorts,
  context: Context,
  { policyId, ruleId }: { readonly policyId: string; readonly ruleId: string },
  input: PolicyRuleInput,
): Promise<PolicyRule> {
  return ports.work(context, async (tx, record) => {
    const policy = await lockPolicy(tx, context, policyId);
    const before = await getPolicyRule(tx, context, policyId, ruleId);
    assertVersion(context, policyRuleVersion(before));
    const { document, name, wanted: given } = await readRule(tx, context, { policy, input, before });
    const counts = await countPolicyRules(tx, context.orgId, policyId, ruleId);
    assertExpressionsFit(document, counts);
    const wanted = given ?? before.priority;
    const { conditions: _conditions, actions: _actions, type: _type, ...fields } = before;
    const after: PolicyRule = {
      ...fields,
      ...document,
      name,
      status: input.status ?? before.status,
      priority: before.system ? wanted : placeOf(wanted, counts.rules),
      lastUpdatedAt: wholeSecond(context.now),
      revision: before.revision + 1,
    };
    if (before.system) assertDefaultKeeps(context, before, after);
    const target = policyRuleChange([before, after], context);
    if (target.changeDetails === undefined) return before;
    const shift = shiftForMove(before.priority, after.priority);
    if (shift !== null) await shiftPolicyRules(tx, context.orgId, policyId, shift);
    await POLICY_RULES.update(tx, context.orgId, after);
    recordChange(record, policy, { before, after }, target);
    return after;
  });
}
