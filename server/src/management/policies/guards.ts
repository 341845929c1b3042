import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { refused } from '../../kernel/words/members.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { findPolicyRule, type PolicyRule } from './rules/rule-store.ts';
import { findPolicy, findPolicyForUpdate, lockOrderOfPolicies, type Policy } from './store.ts';

/** 404 E0000007 when the org has none of this id. */
export async function getPolicy(db: Db, context: Context, id: string): Promise<Policy> {
  const policy = await findPolicy(db, context.orgId, id);
  if (policy === undefined) throw notFound(id, 'Policy');
  return policy;
}

/** The policy under its lock, which changes of its rules share. 404 E0000007. */
export async function lockPolicy(tx: Tx, context: Context, id: string): Promise<Policy> {
  const policy = await findPolicyForUpdate(tx, context.orgId, id);
  if (policy === undefined) throw notFound(id, 'Policy');
  return policy;
}

/**
 * The policy under its lock and that of the order of its type, with the default's place, which is behind all others'.
 * 404 E0000007.
 */
export async function lockPolicyAndOrder(
  tx: Tx,
  context: Context,
  id: string,
): Promise<{ readonly policy: Policy; readonly last: number }> {
  const { type } = await getPolicy(tx, context, id);
  const last = await lockOrderOfPolicies(tx, context.orgId, type);
  return { policy: await lockPolicy(tx, context, id), last };
}

/** The policy must stand, or a rule of a policy that is gone would be said to be missing. 404 E0000007. */
export async function getPolicyRule(db: Db, context: Context, policyId: string, id: string): Promise<PolicyRule> {
  const rule = await findPolicyRule(db, context.orgId, policyId, id);
  if (rule !== undefined) return rule;
  await getPolicy(db, context, policyId);
  throw notFound(id, 'PolicyRule');
}

/** 400 E0000001: defaults are what holds where nothing else does, so they stay, active and last. */
export function assertNotSystem(kind: 'policy' | 'rule', row: { readonly system: boolean }, verb: string): void {
  if (row.system) throw refused(kind, `The default ${kind} can't be ${verb}.`);
}

/** Of a default policy or rule name, place, status and conditions stay as they are. 400 E0000001. */
export function assertSystemKeeps<Row extends object>(
  kind: 'policy' | 'rule',
  before: Row,
  after: Row,
  names: readonly (keyof Row & string)[],
): void {
  const changed = names.find((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed !== undefined) throw refused(changed, `This can't be changed in the default ${kind}.`);
}
