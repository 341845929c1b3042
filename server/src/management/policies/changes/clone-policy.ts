import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockPolicyAndOrder } from '../guards.ts';
import { POLICY_RULES, readRulesOfPolicies } from '../rules/rule-store.ts';
import type { Policy } from '../store.ts';
import { readName } from '../types/rules.ts';
import { POLICY_TYPE_ROWS, policyIdKind, ruleIdKind } from '../types/type-rules.ts';
import { policyChange, policyRuleChange, policyTarget } from '../wire.ts';
import { assertSeen } from './assert-seen.ts';
import { placePolicy } from './create-policy.ts';

const PREFIX = '[cloned] ';

/**
 * Copies a policy with its rules, but without app mappings. The copy comes after all other policies except the default
 * policy. A copied default rule of a classic type becomes an ordinary rule.
 */
export function clonePolicy(work: Work, context: Context, id: string): Promise<Policy> {
  return work(context, async (tx, record) => {
    const { policy: original } = await lockPolicyAndOrder(tx, context, id);
    const { catchAll, policies } = POLICY_TYPE_ROWS[original.type];
    if (policies === 'one') throw invalid('type', `An org has exactly one policy of the type ${original.type}.`);
    const now = wholeSecond(context.now);
    const suffix = orgSuffixOf(context.orgId);
    const { priority: _, ...kept } = original;
    const drafted = {
      ...kept,
      id: newId(policyIdKind(original.type), suffix),
      name: readName(PREFIX + original.name),
      system: false,
      createdAt: now,
      lastUpdatedAt: now,
      revision: FIRST_REVISION,
    };
    const policy = await placePolicy(tx, context, drafted, null);
    record({ eventType: 'policy.lifecycle.create', target: [policyChange([null, policy], context)] });
    for (const rule of await readRulesOfPolicies(tx, context.orgId, [original.id])) {
      assertSeen(context, rule);
      const system = rule.system && catchAll !== null;
      const dates = { createdAt: now, lastUpdatedAt: now, revision: FIRST_REVISION };
      const copy = { ...rule, ...dates, id: newId(ruleIdKind(rule.type), suffix), policyId: policy.id, system };
      await POLICY_RULES.insert(tx, context.orgId, copy);
      record({ eventType: 'policy.rule.add', target: [policyTarget(policy), policyRuleChange([null, copy], context)] });
    }
    return policy;
  });
}
