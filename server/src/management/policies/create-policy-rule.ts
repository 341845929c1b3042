import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { apiError } from '../../kernel/errors.ts';
import { newId, orgSuffixOf } from '../../kernel/ids.ts';
import { claimIdempotency, type Tx } from '../../platform/postgres/index.ts';
import { checkReferences } from './check-references.ts';
import type { PolicyRuleInput } from './contract.ts';
import { lockPolicy } from './guards.ts';
import { placeOf, shiftForInsert } from './order-rules.ts';
import type { PoliciesPorts, ReferencePorts } from './ports.ts';
import {
  countPolicyRules,
  findPolicyRule,
  insertPolicyRule,
  type PolicyRule,
  type RuleCounts,
  shiftPolicyRules,
} from './rule-store.ts';
import {
  checkRuleType,
  expressionsOf,
  MAXIMUM_EXPRESSIONS,
  MAXIMUM_RULES,
  type RuleDocument,
  readName,
  readPriority,
  readRuleDocument,
} from './rules.ts';
import { refused } from './shape-rules.ts';
import type { Policy } from './store.ts';
import { policyRuleChange, policyTarget } from './wire.ts';
import { wordsOf } from './words.ts';

/** Conditions and actions of a body as they are stored. 400 E0000001. */
export async function readRule(
  ports: ReferencePorts,
  tx: Tx,
  context: Context,
  policy: Policy,
  input: PolicyRuleInput,
): Promise<RuleDocument> {
  checkRuleType(input.type, policy.type);
  const document = readRuleDocument(policy.type, input, wordsOf(context));
  return checkReferences(ports, tx, context, document);
}

/** Expressions are what costs at every sign-in: a policy may have so many in all. 400 E0000001. */
export function assertExpressionsFit(document: RuleDocument, others: RuleCounts): void {
  if (expressionsOf(document) + others.expressions <= MAXIMUM_EXPRESSIONS) return;
  throw refused(
    'conditions.userIdentifier.patterns',
    `the rules of a policy may have at most ${MAXIMUM_EXPRESSIONS} patterns of the type EXPRESSION in all.`,
  );
}

async function addRule(
  ports: PoliciesPorts,
  tx: Tx,
  context: Context,
  policy: Policy,
  given: { readonly id: string; readonly input: PolicyRuleInput; readonly activate: boolean },
): Promise<PolicyRule> {
  const { id, input, activate } = given;
  const name = readName(input.name);
  const wanted = readPriority(input.priority);
  const document = await readRule(ports, tx, context, policy, input);
  const counts = await countPolicyRules(tx, context.orgId, policy.id, null);
  if (counts.rules >= MAXIMUM_RULES) throw refused('rule', `a policy may have at most ${MAXIMUM_RULES} rules.`);
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
  };
  await shiftPolicyRules(tx, context.orgId, policy.id, shiftForInsert(rule.priority));
  await insertPolicyRule(tx, context.orgId, rule);
  return rule;
}

/**
 * Adds a rule at the place asked for, by default behind the others but before the default rule. 400 E0000001 for what
 * is wrong, unknown or not supported yet, and past 100 rules; 404 E0000007. A repeated `Idempotency-Key` returns what
 * the first request made.
 */
export function createPolicyRule(
  ports: PoliciesPorts,
  context: Context,
  policyId: string,
  input: PolicyRuleInput,
  activate: boolean,
): Promise<PolicyRule> {
  const id = newId('policyRule', orgSuffixOf(context.orgId));
  return ports.work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, id);
    if (earlier !== null) {
      const existing = await findPolicyRule(tx, context.orgId, policyId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    const policy = await lockPolicy(tx, context, policyId);
    const rule = await addRule(ports, tx, context, policy, { id, input, activate });
    record({ eventType: 'policy.rule.add', target: [policyTarget(policy), policyRuleChange([null, rule], context)] });
    return rule;
  });
}
