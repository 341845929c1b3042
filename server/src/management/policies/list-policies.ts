import type { Context } from '../../kernel/context.ts';
import { readChoice } from '../../kernel/members.ts';
import { type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { getPolicy } from './guards.ts';
import { POLICY_STATUSES } from './lifecycle.ts';
import type { PoliciesPorts } from './ports.ts';
import { type PolicyRule, readPolicyRules, readRulesOfPolicies } from './rule-store.ts';
import { readPolicyType } from './rules.ts';
import { type Policy, readPolicies } from './store.ts';

interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

export interface ListPoliciesQuery extends PageQuery {
  readonly type: string | undefined;
  readonly status: string | undefined;
  readonly q: string | undefined;
  readonly sortBy: string | undefined;
}

type RawQuery = readonly (readonly [string, string])[];

/** One page of the org's policies of a type, in the order in which they are asked, or by name. 400 E0000001. */
export async function listPolicies(
  { db, cursors }: Pick<PoliciesPorts, 'db' | 'cursors'>,
  context: Context,
  query: ListPoliciesQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<Policy>> {
  const { limit, after, before, q } = query;
  const wanted = {
    type: readPolicyType(query.type, context.namespace.upper),
    // Clients send empty parameters for those they don't use.
    status:
      query.status === undefined || query.status === ''
        ? null
        : readChoice('status', query.status, POLICY_STATUSES, null),
    q: q === undefined || q === '' ? null : q,
    sortBy:
      query.sortBy === undefined || query.sortBy === ''
        ? 'priority'
        : readChoice('sortBy', query.sortBy, ['name'], null),
  } as const;
  return keysetPage(
    cursors,
    { orgId: context.orgId, list: 'listPolicies', limit, after, before, query: rawQuery },
    (policy: Policy): string | number => policy[wanted.sortBy],
    (request) => readPolicies(db, context.orgId, wanted, request),
  );
}

/** Whether `expand` asks for the rules too. */
export const expandsRules = (expand: string | undefined): boolean => (expand ?? '').split(',').includes('rules');

/** The rules of each of these policies, in the order in which they are asked. */
export async function rulesOf(
  db: Db,
  context: Context,
  policies: readonly Policy[],
): Promise<ReadonlyMap<string, readonly PolicyRule[]>> {
  const ids = policies.map(({ id }) => id);
  const byPolicy = new Map<string, PolicyRule[]>(ids.map((id) => [id, []]));
  for (const rule of await readRulesOfPolicies(db, context.orgId, ids)) byPolicy.get(rule.policyId)?.push(rule);
  return byPolicy;
}

/** One page of a policy's rules, in the order in which they are asked. 404 E0000007. */
export async function listPolicyRules(
  { db, cursors }: Pick<PoliciesPorts, 'db' | 'cursors'>,
  context: Context,
  policyId: string,
  { limit, after, before }: PageQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<PolicyRule> & Pick<Policy, 'type'>> {
  const { type } = await getPolicy(db, context, policyId);
  const found = await keysetPage(
    cursors,
    { orgId: context.orgId, list: `listPolicyRules ${policyId}`, limit, after, before, query: rawQuery },
    (rule: PolicyRule) => rule.priority,
    (request) => readPolicyRules(db, context.orgId, policyId, request),
  );
  return { ...found, type };
}
