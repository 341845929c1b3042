import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, type Tx } from '../../../platform/postgres/index.ts';
import { countSiblings, resourceStore, type Shift, shiftSiblings } from '../../resource/index.ts';
import type { AuthorizationServerStatus } from '../lifecycle.ts';
import type { RuleValues } from './rule-document-rules.ts';

export interface RulesPlace {
  readonly serverId: string;
  readonly policyId: string;
}

export interface StoredRule extends RuleValues {
  readonly id: string;
  /** Priorities start at 1 and have no gaps. */
  readonly priority: number;
  readonly status: AuthorizationServerStatus;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
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

const parentOf = ({ policyId, serverId }: RulesPlace) => ({ server_id: serverId, policy_id: policyId });

/** The caller holds the policy's lock, so the number cannot change. */
export const countRules = (tx: Tx, orgId: OrgId, place: RulesPlace): Promise<number> =>
  countSiblings(tx, orgId, SERVER_RULES.table, parentOf(place));

export const shiftRules = (tx: Tx, orgId: OrgId, place: RulesPlace, shift: Shift): Promise<void> =>
  shiftSiblings(tx, orgId, SERVER_RULES.table, parentOf(place), shift);

export const readRules = (
  db: Db,
  orgId: OrgId,
  { policyId, serverId }: RulesPlace,
  request: KeysetRequest<number>,
): Promise<StoredRule[]> => {
  const conditions = [sql`server_id = ${serverId}`, sql`policy_id = ${policyId}`];
  return SERVER_RULES.readPage(db, orgId, conditions, request, 'priority');
};
