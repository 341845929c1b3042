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
  /** Priorities start at 1 and have no gaps; the default policy is last. */
  readonly priority: number;
  readonly system: boolean;
  /** This is null if policies of the type have no conditions. */
  readonly conditions: PolicyConditions | null;
  /** The settings, in a form that depends on the type. This is null if policies of the type have no settings. */
  readonly settings: object | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Policies that were created before groups existed apply to everyone. */
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

/** Prevents the deletion of the policy until the transaction ends. Several transactions can hold this lock together. */
export async function lockPolicyForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS.select()} from policies where ${COLUMNS.isKey} for key share`;
  const [row] = await prepared<Policy>(tx, 'policy_for_key_share', text, [orgId, id]);
  return row;
}

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
 * Locks the order of the policies of a type by locking the default policy or, if there is none, by an advisory lock. To
 * avoid deadlocks, a transaction takes this lock before it locks other policies. Returns the priority of the default
 * policy, which is last, or the priority after the last policy if there is no default policy.
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

/** Skips types that already have a default policy. */
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
  /** The beginning of the name. */
  readonly q: string | null;
  readonly sortBy: 'name' | 'priority';
}

/** Names and priorities are unique within a type, so a cursor can contain either. */
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
