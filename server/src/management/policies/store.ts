import { sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore, type Shift, shiftSiblings } from '../resource/index.ts';
import type { PolicyStatus } from './lifecycle.ts';
import type { PolicyConditions, PolicyType } from './types/type-rules.ts';

export interface Policy {
  readonly id: string;
  readonly type: PolicyType;
  readonly name: string;
  readonly description: string | null;
  readonly status: PolicyStatus;
  /** From 1, without gaps among the policies of the type; the default's is the highest. */
  readonly priority: number;
  readonly system: boolean;
  /** Null when the type has none. */
  readonly conditions: PolicyConditions | null;
  /** Settings in the form of the type's contract; null when it has none. */
  readonly settings: object | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** The revision also rises when changes of other policies move this one. */
  readonly revision: number;
}

/** Policies from before there were groups apply to everyone. */
export const conditionsOfPolicy = (alias: string): string => `coalesce(${alias}.conditions,
  case when ${alias}.type = 'SIGN_ON' then '{"groups": {"include": [], "exclude": []}}'::jsonb end)`;

const COLUMNS = columns<Policy>('policies', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  description: 'changes',
  status: 'changes',
  priority: 'changes',
  system: 'fixed',
  conditions: { is: 'json', reads: conditionsOfPolicy('policies') },
  settings: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const POLICIES = resourceStore('policy', COLUMNS);

/** Keeps the policy from being deleted until the transaction ends, without blocking other changes. */
export async function lockPolicyForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS.select()} from policies where ${COLUMNS.isKey} for key share`;
  const [row] = await prepared<Policy>(tx, 'policy_for_key_share', text, [orgId, id]);
  return row;
}

/** Ids of the default policies of these types. */
export async function findDefaultsOf(
  db: Db,
  orgId: OrgId,
  types: readonly PolicyType[],
): Promise<ReadonlyMap<PolicyType, string>> {
  const text = 'select id, type from policies where org_id = $1 and system and type = any($2::text[])';
  const rows = await run<Pick<Policy, 'id' | 'type'>>(db, text, [orgId, types]);
  return new Map(rows.map(({ id, type }) => [type, id]));
}

/**
 * Serialises moves of policies of a type by the lock of its default policy, taken before any other policy's. Returns
 * the default's priority, which is the place after all others. A type without a default uses a lock of the org instead
 * and returns the place after the last.
 */
export async function lockOrderOfPolicies(tx: Tx, orgId: OrgId, type: PolicyType): Promise<number> {
  const text = 'select priority from policies where org_id = $1 and type = $2 and system for update';
  const [row] = await run<{ priority: number }>(tx, text, [orgId, type]);
  if (row !== undefined) return row.priority;
  await run(tx, `select pg_advisory_xact_lock(hashtextextended('policies ' || $1::text || $2::text, 0))`, [
    orgId,
    type,
  ]);
  const count = 'select count(*)::int + 1 as last from policies where org_id = $1 and type = $2';
  const [counted] = await run<{ last: number }>(tx, count, [orgId, type]);
  return counted?.last ?? 1;
}

export const shiftPolicies = (tx: Tx, orgId: OrgId, type: PolicyType, shift: Shift): Promise<void> =>
  shiftSiblings(tx, orgId, 'policies', { type }, shift);

/**
 * Inserts default policies for the types that the org has none of, in one statement, and returns the ids of the new
 * ones.
 */
export async function insertStandardPolicies(
  tx: Tx,
  orgId: OrgId,
  policies: readonly Policy[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const text = `insert into policies (org_id, id, type, name, status, priority, system, conditions, settings,
      created_at, last_updated_at)
    select $1, d.id, d.type, d.name, 'ACTIVE', 1, true, d.conditions, d.settings, $3, $3
    from jsonb_to_recordset($2::jsonb) as d (id text, type text, name text, conditions jsonb, settings jsonb)
    where not exists (select from policies p where p.org_id = $1 and p.type = d.type and p.system) returning id`;
  const values = [orgId, JSON.stringify(policies), now];
  const made = await prepared<{ id: string }>(tx, 'policies_insert_standard', text, values);
  return new Set(made.map(({ id }) => id));
}

export interface PolicyQuery {
  readonly type: PolicyType;
  readonly status: PolicyStatus | null;
  /** Prefix of the name. */
  readonly q: string | null;
  readonly sortBy: 'name' | 'priority';
}

/** Reads policies by name or by priority, nearest to the key first; both are unique within a type. */
export function readPolicies(
  db: Db,
  orgId: OrgId,
  { q, sortBy, status, type }: PolicyQuery,
  request: KeysetRequest<string | number>,
): Promise<Policy[]> {
  const conditions = [sql`type = ${type}`];
  if (status !== null) conditions.push(sql`status = ${status}`);
  if (q !== null) conditions.push(sql`starts_with(name, ${q})`);
  return POLICIES.readPage(db, orgId, conditions, request, sortBy);
}
