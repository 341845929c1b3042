import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import { changedRow, placeOf, shiftForInsert, shiftForMove, shiftForRemoval } from '../../resource/index.ts';
import type { ServerPolicyInput } from '../contract.ts';
import {
  assertNotSystem,
  createPartOnce,
  type Found,
  lockPolicyAndOrder,
  lockServer,
  type PartPlace,
} from '../guards.ts';
import { serverPolicyLifecycle } from '../lifecycle.ts';
import { assertClientsExist } from '../rules/check-references.ts';
import { readPolicy } from '../rules/rule-document-rules.ts';
import { freshRow } from '../servers/create-default-server.ts';
import { authorizationServerTarget } from '../wire.ts';
import { countPolicies, SERVER_POLICIES, type StoredPolicy, shiftPolicies } from './policy-store.ts';
import { serverPolicyChange, serverPolicyVersion } from './policy-wire.ts';

export const MAXIMUM_POLICIES = 100;

/** By default, the policy comes after the others. */
export function createServerPolicy(
  work: Work,
  context: Context,
  authServerId: string,
  input: ServerPolicyInput,
): Promise<Found<StoredPolicy>> {
  const { givenStatus, wanted, ...values } = readPolicy(input);
  const id = newId('policy', orgSuffixOf(context.orgId));
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const server = await lockServer(tx, context, authServerId);
    const find = (made: string) => SERVER_POLICIES.find(tx, orgId, server.id, made);
    return createPartOnce(tx, context, server, id, find, async () => {
      const count = await countPolicies(tx, orgId, server.id);
      if (count >= MAXIMUM_POLICIES) throw limitReached('policy', MAXIMUM_POLICIES, 'policies', 'A server');
      await assertClientsExist(tx, context, values.clients, []);
      const policy: StoredPolicy = {
        ...freshRow(context),
        ...values,
        id,
        priority: placeOf(wanted, count + 1),
        status: givenStatus ?? 'ACTIVE',
        isSystem: false,
      };
      await shiftPolicies(tx, orgId, server.id, shiftForInsert(policy.priority));
      await SERVER_POLICIES.insert(tx, orgId, { ...policy, serverId: server.id });
      const target = [serverPolicyChange([null, policy]), authorizationServerTarget(server)];
      record({ eventType: 'policy.lifecycle.create', target });
      return policy;
    });
  });
}

/** Keeps the priority and status if the body omits them. */
export function replaceServerPolicy(
  work: Work,
  context: Context,
  place: PartPlace,
  input: ServerPolicyInput,
): Promise<Found<StoredPolicy>> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const { part: before, server } = await lockPolicyAndOrder(tx, context, place);
    assertVersion(context, serverPolicyVersion(before));
    const { givenStatus, wanted, ...values } = readPolicy(input, before);
    await assertClientsExist(tx, context, values.clients, before.clients);
    const last = await countPolicies(tx, orgId, server.id);
    const after = changedRow(context, before, {
      ...values,
      priority: placeOf(wanted ?? before.priority, last),
      status: givenStatus ?? before.status,
    });
    const change = serverPolicyChange([before, after]);
    if (change.changeDetails === undefined) return { server, part: before };
    const shift = shiftForMove(before.priority, after.priority);
    if (shift !== null) await shiftPolicies(tx, orgId, server.id, shift);
    await SERVER_POLICIES.update(tx, orgId, { ...after, serverId: server.id });
    const target = [change, authorizationServerTarget(server)];
    record({ eventType: 'policy.lifecycle.update', target });
    if (before.status !== after.status) {
      const action = after.status === 'ACTIVE' ? 'activate' : 'deactivate';
      record({ eventType: serverPolicyLifecycle.transition(action).event, target });
    }
    return { server, part: after };
  });
}

export function deleteServerPolicy(work: Work, context: Context, place: PartPlace): Promise<void> {
  return work(context, async (tx, record) => {
    const { part: policy, server } = await lockPolicyAndOrder(tx, context, place);
    assertVersion(context, serverPolicyVersion(policy));
    assertNotSystem('policy', policy, 'deleted');
    await SERVER_POLICIES.remove(tx, context.orgId, server.id, policy.id);
    await shiftPolicies(tx, context.orgId, server.id, shiftForRemoval(policy.priority));
    record({
      eventType: 'policy.lifecycle.delete',
      target: [serverPolicyChange([policy, null]), authorizationServerTarget(server)],
    });
  });
}
