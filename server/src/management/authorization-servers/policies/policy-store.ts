import { sql } from 'kysely';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { countSiblings, resourceStore, type Shift, shiftSiblings } from '../../resource/index.ts';
import type { AuthorizationServerStatus } from '../lifecycle.ts';
import type { PolicyValues } from '../rules/rule-document-rules.ts';
import type { OfServer, PartKey } from '../store.ts';
import type { ServerPolicy } from './policy-rules.ts';

export interface StoredPolicy extends PolicyValues {
  readonly id: string;
  /** Priorities start at 1 and have no gaps. */
  readonly priority: number;
  readonly status: AuthorizationServerStatus;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<StoredPolicy & OfServer>('authorization_server_policies', {
  serverId: 'key',
  id: 'key',
  name: 'changes',
  description: 'changes',
  priority: 'changes',
  status: 'changes',
  isSystem: 'fixed',
  clients: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const SERVER_POLICIES = resourceStore<StoredPolicy & OfServer, PartKey>('authorization_server_policy', COLUMNS);

/** The caller holds the server's lock, so the number cannot change. */
export const countPolicies = (tx: Tx, orgId: OrgId, serverId: string): Promise<number> =>
  countSiblings(tx, orgId, SERVER_POLICIES.table, { server_id: serverId });

export const shiftPolicies = (tx: Tx, orgId: OrgId, serverId: string, shift: Shift): Promise<void> =>
  shiftSiblings(tx, orgId, SERVER_POLICIES.table, { server_id: serverId }, shift);

export interface PolicyQuery {
  readonly status: AuthorizationServerStatus | null;
  /** The beginning of the name. */
  readonly q: string | null;
  readonly sortBy: 'priority' | 'name';
}

export function readPolicies(
  db: Db,
  orgId: OrgId,
  serverId: string,
  { q, sortBy, status }: PolicyQuery,
  request: KeysetRequest<string | number>,
): Promise<StoredPolicy[]> {
  const conditions = [sql`server_id = ${serverId}`];
  if (status !== null) conditions.push(sql`status = ${status}`);
  if (q !== null) conditions.push(sql`starts_with(name, ${q})`);
  return SERVER_POLICIES.readPage(db, orgId, conditions, request, sortBy);
}

/** Reads the active policies that have active rules, with those rules, in order of evaluation. */
export function readServerPolicies(db: Db, orgId: OrgId, serverId: string): Promise<ServerPolicy[]> {
  const text = `select p.id, p.name, p.clients, jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name,
      'conditions', r.conditions, 'accessTokenLifetimeMinutes', r.access_token_lifetime_minutes,
      'refreshTokenLifetimeMinutes', r.refresh_token_lifetime_minutes,
      'refreshTokenWindowMinutes', r.refresh_token_window_minutes) order by r.priority) as rules
    from authorization_server_policies p
    join authorization_server_rules r on r.org_id = p.org_id and r.server_id = p.server_id and r.policy_id = p.id
    where p.org_id = $1 and r.org_id = $1 and p.server_id = $2 and p.status = 'ACTIVE' and r.status = 'ACTIVE'
    group by p.org_id, p.server_id, p.id order by p.priority`;
  return prepared<ServerPolicy>(db, 'authorization_server_active_rules', text, [orgId, serverId]);
}
