import { decide } from '../../access/index.ts';
import { type Context, userIdOf } from '../../kernel/context.ts';
import { apiError, invalid } from '../../kernel/errors/errors.ts';
import { required } from '../../kernel/errors/field-errors.ts';
import { readChoice } from '../../kernel/words/members.ts';
import { type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { PageQuery, RawQuery } from '../resource/index.ts';
import { getPolicy } from './guards.ts';
import { POLICY_STATUSES } from './lifecycle.ts';
import type { PoliciesPorts } from './ports.ts';
import { type PolicyRule, readPolicyRules, readRulesOfPolicies } from './rules/rule-store.ts';
import { type Policy, readPolicies } from './store.ts';
import { readPolicyType } from './types/rules.ts';

export interface ListPoliciesQuery extends PageQuery {
  readonly type: string | undefined;
  readonly resourceId: string | undefined;
  readonly status: string | undefined;
  readonly q: string | undefined;
  readonly sortBy: string | undefined;
}

const given = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

function readWanted({ q, sortBy, status }: Pick<ListPoliciesQuery, 'q' | 'sortBy' | 'status'>) {
  const asked = { sortBy: given(sortBy), status: given(status) };
  return {
    status: asked.status === null ? null : readChoice('status', asked.status, POLICY_STATUSES, null),
    q: given(q),
    sortBy: asked.sortBy === null ? 'priority' : readChoice('sortBy', asked.sortBy, ['name'], null),
  } as const;
}

export async function listPolicies(
  { db, cursors }: Pick<PoliciesPorts, 'db' | 'cursors'>,
  context: Context,
  query: ListPoliciesQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<Policy>> {
  const { limit, after, before } = query;
  const wanted = { type: readPolicyType(query.type, context.namespace.upper), ...readWanted(query) };
  if (given(query.resourceId) !== null) {
    throw invalid('resourceId', `does not apply to policies of the type ${query.type}.`);
  }
  return keysetPage(
    cursors,
    { orgId: context.orgId, list: 'listPolicies', limit, after, before, query: rawQuery },
    (policy: Policy): string | number => policy[wanted.sortBy],
    (request) => readPolicies(db, context.orgId, wanted, request),
  );
}

/** Policies of this type are created and changed under their authorization server. */
export const SERVER_POLICY_TYPE = 'OAUTH_AUTHORIZATION_POLICY';

/** Throws 403 E0000006 for callers who may not read authorization servers. */
export function listPoliciesOfServer(
  { serverPolicies }: Pick<PoliciesPorts, 'serverPolicies'>,
  context: Context,
  query: ListPoliciesQuery,
  raw: RawQuery,
): ReturnType<PoliciesPorts['serverPolicies']> {
  const subject = { userId: userIdOf(context.principal), roles: context.roles, scopes: context.scopes };
  if (decide(subject, 'authorizationServers.read', ['authorizationServers.read']) === null) throw apiError('E0000006');
  const authServerId = given(query.resourceId);
  if (authServerId === null) throw required('resourceId');
  const { after, before, limit } = query;
  return serverPolicies(context, authServerId, { ...readWanted(query), limit, after, before, raw });
}

export const expandsRules = (expand: string | undefined): boolean => (expand ?? '').split(',').includes('rules');

/** Returns the rules in order of evaluation, by the id of their policy. */
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
