import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { insertClaims } from '../claims/claim-store.ts';
import { SERVER_POLICIES } from '../policies/policy-store.ts';
import { SERVER_RULES } from '../rules/rule-store.ts';
import { insertScopes } from '../scopes/scope-store.ts';
import { insertServer } from '../store.ts';
import { DEFAULT_POLICY, DEFAULT_RULE, DEFAULT_SERVER, SYSTEM_CLAIMS, SYSTEM_SCOPES } from './seed-rules.ts';

export function freshRow(context: Context) {
  const now = wholeSecond(context.now);
  return { createdAt: now, lastUpdatedAt: now, revision: FIRST_REVISION } as const;
}

export async function addSystemParts(tx: Tx, context: Context, serverId: string): Promise<void> {
  const suffix = orgSuffixOf(context.orgId);
  const row = { ...freshRow(context), isSystem: true };
  const scopes = SYSTEM_SCOPES.map((scope) => ({ ...row, ...scope, id: newId('authorizationServerScope', suffix) }));
  const claims = SYSTEM_CLAIMS.map((claim) => ({ ...row, ...claim, id: newId('authorizationServerClaim', suffix) }));
  await insertScopes(tx, context.orgId, serverId, scopes);
  await insertClaims(tx, context.orgId, serverId, claims);
}

/** Does nothing if the org already has a default server. */
export async function createDefaultAuthorizationServer(tx: Tx, context: Context): Promise<void> {
  const { orgId } = context;
  const suffix = orgSuffixOf(orgId);
  const row = { ...freshRow(context), status: 'ACTIVE' } as const;
  const id = newId('authorizationServer', suffix);
  if (!(await insertServer(tx, orgId, { ...row, ...DEFAULT_SERVER, id, isDefault: true }))) return;
  await addSystemParts(tx, context, id);
  const first = { ...row, priority: 1, isSystem: false };
  const policyId = newId('policy', suffix);
  await SERVER_POLICIES.insert(tx, orgId, { ...first, ...DEFAULT_POLICY, id: policyId, serverId: id });
  const rule = { ...first, ...DEFAULT_RULE, id: newId('policyRule', suffix) };
  await SERVER_RULES.insert(tx, orgId, { ...rule, serverId: id, policyId });
}
