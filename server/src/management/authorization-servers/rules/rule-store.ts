import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, run, type Tx } from '../../../platform/postgres/index.ts';
import { resourceStore } from '../../resource/index.ts';
import type { AuthorizationServerStatus } from '../lifecycle.ts';
import type { RuleValues } from './rule-document-rules.ts';

/** The policy whose rules are meant. */
export interface RulesPlace {
  readonly serverId: string;
  readonly policyId: string;
}

export interface StoredRule extends RuleValues {
  readonly id: string;
  /** From 1, without gaps among the rules of the policy. */
  readonly priority: number;
  readonly status: AuthorizationServerStatus;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Rises also when changes of other rules move this one. */
  readonly revision: number;
}

const COLUMNS = columns<StoredRule & RulesPlace>('authorization_server_rules', {
  serverId: 'key',
  policyId: 'key',
  id: 'key',
  name: 'changes',
  priority: 'changes',
  status: 'changes',
  isSystem: 'fixed',
  conditions: 'json',
  accessTokenLifetimeMinutes: 'changes',
  refreshTokenLifetimeMinutes: 'changes',
  refreshTokenWindowMinutes: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const SERVER_RULES = resourceStore<StoredRule & RulesPlace, [serverId: string, policyId: string, id: string]>(
  'authorization_server_rule',
  COLUMNS,
);

/** Counts under the policy's lock. */
export async function countRules(tx: Tx, orgId: OrgId, { policyId, serverId }: RulesPlace): Promise<number> {
  const text = `select count(*)::int as count from authorization_server_rules
    where org_id = $1 and server_id = $2 and policy_id = $3`;
  const [row] = await run<{ count: number }>(tx, text, [orgId, serverId, policyId]);
  return row?.count ?? 0;
}

/** Moves the rules on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftRules(
  tx: Tx,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update authorization_server_rules set priority = priority + $6, revision = revision + 1
    where org_id = $1 and server_id = $2 and policy_id = $3 and priority between $4 and $5`;
  await run(tx, text, [orgId, serverId, policyId, places.from, places.to, places.by]);
}

/** Reads rules by priority, nearest to the key first. */
export const readRules = (
  db: Db,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  request: KeysetRequest<number>,
): Promise<StoredRule[]> => {
  const conditions = [sql`server_id = ${serverId}`, sql`policy_id = ${policyId}`];
  return SERVER_RULES.readPage(db, orgId, conditions, request, 'priority');
};
