import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../kernel/context.ts';
import { invalid, notFound } from '../../kernel/errors/errors.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { POLICY_RULES, type PolicyRule } from './rules/rule-store.ts';
import { lockOrderOfPolicies, POLICIES, type Policy } from './store.ts';

export async function getPolicy(db: Db, context: Context, id: string): Promise<Policy> {
  const policy = await POLICIES.find(db, context.orgId, id);
  if (policy === undefined) throw notFound(id, 'Policy');
  return policy;
}

export async function lockPolicy(tx: Tx, context: Context, id: string): Promise<Policy> {
  const policy = await POLICIES.findForUpdate(tx, context.orgId, id);
  if (policy === undefined) throw notFound(id, 'Policy');
  return policy;
}

/** Locks the order of the policies, and then the policy. */
export async function lockPolicyAndOrder(
  tx: Tx,
  context: Context,
  id: string,
): Promise<{ readonly policy: Policy; readonly last: number }> {
  const { type } = await getPolicy(tx, context, id);
  const last = await lockOrderOfPolicies(tx, context.orgId, type);
  return { policy: await lockPolicy(tx, context, id), last };
}

export async function getPolicyRule(db: Db, context: Context, policyId: string, id: string): Promise<PolicyRule> {
  const rule = await POLICY_RULES.find(db, context.orgId, policyId, id);
  if (rule !== undefined) return rule;
  await getPolicy(db, context, policyId);
  throw notFound(id, 'PolicyRule');
}

/** The default policy or rule applies if no other matches, so it must not be deactivated or deleted. */
export function assertNotSystem(kind: 'policy' | 'rule', row: { readonly system: boolean }, verb: string): void {
  if (row.system) throw invalid(kind, `The default ${kind} cannot be ${verb}.`);
}

export function assertSystemKeeps<Row extends object>(
  kind: 'policy' | 'rule',
  before: Row,
  after: Row,
  names: readonly (keyof Row & string)[],
): void {
  const changed = names.find((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed !== undefined) throw invalid(changed, `cannot be changed in the default ${kind}.`);
}
