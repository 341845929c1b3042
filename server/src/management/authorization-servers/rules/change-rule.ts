import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Target, Work } from '../../../system-log/index.ts';
import { policyTarget } from '../../policies/index.ts';
import { changedRow, placeOf, shiftForInsert, shiftForMove, shiftForRemoval } from '../../resource/index.ts';
import type { ServerRuleInput } from '../contract.ts';
import { assertNotSystem, createPartOnce, type Found, getRule, lockPolicy } from '../guards.ts';
import { serverRuleLifecycle } from '../lifecycle.ts';
import type { StoredPolicy } from '../policies/policy-store.ts';
import { serverRuleChange, serverRuleVersion } from '../policies/policy-wire.ts';
import type { RulePlace } from '../servers/change-status.ts';
import { freshRow } from '../servers/create-default-server.ts';
import { authorizationServerTarget } from '../wire.ts';
import { assertConditionsExist } from './check-references.ts';
import { readRule } from './rule-document-rules.ts';
import { countRules, SERVER_RULES, type StoredRule, shiftRules } from './rule-store.ts';

export const MAXIMUM_RULES = 100;

type Place = Omit<RulePlace, 'ruleId'>;

const targetsOf = ({ part, server }: Found<StoredPolicy>, rule: Target): Target[] => [
  policyTarget(part),
  rule,
  authorizationServerTarget(server),
];

async function lockRule(tx: Tx, context: Context, { authServerId, policyId, ruleId }: RulePlace) {
  const found = await lockPolicy(tx, context, { authServerId, id: policyId });
  const place = { serverId: found.server.id, policyId };
  return { found, place, rule: await getRule(tx, context, place, ruleId) };
}

/** By default, the rule comes after the others. */
export function createServerRule(
  work: Work,
  context: Context,
  { authServerId, policyId }: Place,
  input: ServerRuleInput,
): Promise<Found<StoredRule>> {
  const { givenStatus, wanted, ...values } = readRule(input, context.namespace.word);
  const id = newId('policyRule', orgSuffixOf(context.orgId));
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const found = await lockPolicy(tx, context, { authServerId, id: policyId });
    const { server } = found;
    const place = { serverId: server.id, policyId };
    const find = (made: string) => SERVER_RULES.find(tx, orgId, server.id, policyId, made);
    return createPartOnce(tx, context, server, id, find, async () => {
      const count = await countRules(tx, orgId, place);
      if (count >= MAXIMUM_RULES) throw limitReached('rule', MAXIMUM_RULES, 'rules', 'A policy');
      await assertConditionsExist(tx, context, server.id, values.conditions, null);
      const rule: StoredRule = {
        ...freshRow(context),
        ...values,
        id,
        priority: placeOf(wanted, count + 1),
        status: givenStatus ?? 'ACTIVE',
        isSystem: false,
      };
      await shiftRules(tx, orgId, place, shiftForInsert(rule.priority));
      await SERVER_RULES.insert(tx, orgId, { ...rule, ...place });
      record({ eventType: 'policy.rule.add', target: targetsOf(found, serverRuleChange([null, rule], context)) });
      return rule;
    });
  });
}

/** Keeps the priority and status if the body omits them. */
export function replaceServerRule(
  work: Work,
  context: Context,
  rulePlace: RulePlace,
  input: ServerRuleInput,
): Promise<Found<StoredRule>> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const { found, place, rule: before } = await lockRule(tx, context, rulePlace);
    const { server } = found;
    assertVersion(context, serverRuleVersion(before));
    const { givenStatus, wanted, ...values } = readRule(input, context.namespace.word, before.name);
    await assertConditionsExist(tx, context, server.id, values.conditions, before.conditions);
    const after = changedRow(context, before, {
      ...values,
      priority: placeOf(wanted ?? before.priority, await countRules(tx, orgId, place)),
      status: givenStatus ?? before.status,
    });
    const change = serverRuleChange([before, after], context);
    if (change.changeDetails === undefined) return { server, part: before };
    const shift = shiftForMove(before.priority, after.priority);
    if (shift !== null) await shiftRules(tx, orgId, place, shift);
    await SERVER_RULES.update(tx, orgId, { ...after, ...place });
    const target = targetsOf(found, change);
    record({ eventType: 'policy.rule.update', target });
    if (before.status !== after.status) {
      const action = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: serverRuleLifecycle.transition(action).event, target });
    }
    return { server, part: after };
  });
}

export function deleteServerRule(work: Work, context: Context, rulePlace: RulePlace): Promise<void> {
  return work(context, async (tx, record) => {
    const { found, place, rule } = await lockRule(tx, context, rulePlace);
    assertVersion(context, serverRuleVersion(rule));
    assertNotSystem('rule', rule, 'deleted');
    await SERVER_RULES.remove(tx, context.orgId, place.serverId, place.policyId, rule.id);
    await shiftRules(tx, context.orgId, place, shiftForRemoval(rule.priority));
    record({ eventType: 'policy.rule.delete', target: targetsOf(found, serverRuleChange([rule, null], context)) });
  });
}
