import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Work } from '../../../system-log/index.ts';
import { policyTarget } from '../../policies/index.ts';
import { getRule, lockPolicy, lockServer, type PartPlace } from '../guards.ts';
import {
  type AuthorizationServerAction,
  authorizationServerLifecycle,
  serverPolicyLifecycle,
  serverRuleLifecycle,
} from '../lifecycle.ts';
import { updatePolicy } from '../policies/policy-store.ts';
import {
  serverPolicyChange,
  serverPolicyVersion,
  serverRuleChange,
  serverRuleVersion,
} from '../policies/policy-wire.ts';
import { updateRule } from '../rules/rule-store.ts';
import { updateServer } from '../store.ts';
import { authorizationServerTarget, serverChange, serverVersion } from '../wire.ts';

/** A rule of a server's policy, by the ids in the path. */
export interface RulePlace {
  readonly authServerId: string;
  readonly policyId: string;
  readonly ruleId: string;
}

/** Adds the members of a row that change along with its status. */
const changed = <Row extends { readonly revision: number }>(context: Context, row: Row) => ({
  ...row,
  lastUpdatedAt: wholeSecond(context.now),
  revision: row.revision + 1,
});

/**
 * Activates or deactivates a server; one in that status already stays as it is, without an event. Tokens from before a
 * deactivation stay void. 404 E0000007.
 */
export function changeServerStatus(
  work: Work,
  context: Context,
  id: string,
  action: AuthorizationServerAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const before = await lockServer(tx, context, id);
    assertVersion(context, serverVersion(before));
    if (!authorizationServerLifecycle.allows(before.status, action)) return;
    const { event, to } = authorizationServerLifecycle.transition(action);
    const after = { ...changed(context, before), status: to[0] };
    await updateServer(tx, context.orgId, after);
    record({ eventType: event, target: [serverChange([before, after])] });
  });
}

/** Activates or deactivates a policy in the same way. */
export function changeServerPolicyStatus(
  work: Work,
  context: Context,
  place: PartPlace,
  action: AuthorizationServerAction,
): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: before, server } = await lockPolicy(tx, context, place);
    assertVersion(context, serverPolicyVersion(before));
    if (!serverPolicyLifecycle.allows(before.status, action)) return;
    const { event, to } = serverPolicyLifecycle.transition(action);
    const after = { ...changed(context, before), status: to[0] };
    await updatePolicy(tx, context.orgId, server.id, after);
    record({
      eventType: event,
      target: [serverPolicyChange([before, after]), authorizationServerTarget(server)],
    });
  });
}

/** Activates or deactivates a rule in the same way. */
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
    if (!serverRuleLifecycle.allows(before.status, action)) return;
    const { event, to } = serverRuleLifecycle.transition(action);
    const after = { ...changed(context, before), status: to[0] };
    await updateRule(tx, context.orgId, place, after);
    const rule = serverRuleChange([before, after], context);
    record({ eventType: event, target: [policyTarget(policy), rule, authorizationServerTarget(server)] });
  });
}
