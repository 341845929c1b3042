import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { policyTarget } from '../../policies/index.ts';
import { activated, statusChange } from '../../resource/index.ts';
import { getRule, lockPolicy, type PartPlace } from '../guards.ts';
import {
  type AuthorizationServerAction,
  authorizationServerLifecycle,
  serverPolicyLifecycle,
  serverRuleLifecycle,
} from '../lifecycle.ts';
import { SERVER_POLICIES } from '../policies/policy-store.ts';
import {
  serverPolicyChange,
  serverPolicyVersion,
  serverRuleChange,
  serverRuleVersion,
} from '../policies/policy-wire.ts';
import { servers } from '../resource.ts';
import { SERVER_RULES } from '../rules/rule-store.ts';
import { authorizationServerTarget } from '../wire.ts';

export interface RulePlace {
  readonly authServerId: string;
  readonly policyId: string;
  readonly ruleId: string;
}

const changeStatus = statusChange(servers, authorizationServerLifecycle);

/** Tokens that a deactivation voided stay void after an activation. */
export async function changeServerStatus(
  work: Work,
  context: Context,
  id: string,
  action: AuthorizationServerAction,
): Promise<void> {
  await changeStatus(work, context, id, action);
}

export function changeServerPolicyStatus(
  work: Work,
  context: Context,
  place: PartPlace,
  action: AuthorizationServerAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: before, server } = await lockPolicy(tx, context, place);
    assertVersion(context, serverPolicyVersion(before));
    const change = activated(context, before, serverPolicyLifecycle, action);
    if (change === null) return;
    const { after, event } = change;
    await SERVER_POLICIES.update(tx, context.orgId, { ...after, serverId: server.id });
    record({
      eventType: event,
      target: [serverPolicyChange([before, after]), authorizationServerTarget(server)],
    });
  });
}

export function changeServerRuleStatus(
  work: Work,
  context: Context,
  { authServerId, policyId, ruleId }: RulePlace,
  action: AuthorizationServerAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: policy, server } = await lockPolicy(tx, context, { authServerId, id: policyId });
    const place = { serverId: server.id, policyId };
    const before = await getRule(tx, context, place, ruleId);
    assertVersion(context, serverRuleVersion(before));
    const change = activated(context, before, serverRuleLifecycle, action);
    if (change === null) return;
    const { after, event } = change;
    await SERVER_RULES.update(tx, context.orgId, { ...after, ...place });
    const rule = serverRuleChange([before, after], context);
    record({ eventType: event, target: [policyTarget(policy), rule, authorizationServerTarget(server)] });
  });
}
