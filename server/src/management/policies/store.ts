import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
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
  /** Rises also when changes of other policies move this one. */
  readonly revision: number;
}

/** Policies older than groups apply to everyone. */
export const CONDITIONS_OF_POLICY = `coalesce(p.conditions,
  case when p.type = 'SIGN_ON' then '{"groups": {"include": [], "exclude": []}}'::jsonb end)`;

/** Columns in the spelling of Policy, so that a row needs no mapping. */
const COLUMNS = `p.id, p.type, p.name, p.description, p.status, p.priority, p.system,
  ${CONDITIONS_OF_POLICY} as conditions, p.settings, p.created_at as "createdAt",
  p.last_updated_at as "lastUpdatedAt", p.revision`;

export async function findPolicy(db: Db, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS} from policies p where p.org_id = $1 and p.id = $2`;
  const [row] = await prepared<Policy>(db, 'policy_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that its checked state is the one that changes, and changes of its rules are serialised. */
export async function findPolicyForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS} from policies p where p.org_id = $1 and p.id = $2 for update`;
  const [row] = await prepared<Policy>(tx, 'policy_for_update', text, [orgId, id]);
  return row;
}

/** Keeps the policy from being deleted until the transaction ends, without blocking other changes. */
export async function lockPolicyForKeyShare(tx: Tx, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS} from policies p where p.org_id = $1 and p.id = $2 for key share`;
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
 * the default's priority, the place behind all others. A type without a default uses a lock of the org instead and
 * returns the place behind the last.
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

/** Moves the policies on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftPolicies(
  tx: Tx,
  orgId: OrgId,
  type: PolicyType,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update policies set priority = priority + $5, revision = revision + 1
    where org_id = $1 and type = $2 and priority between $3 and $4`;
  await run(tx, text, [orgId, type, places.from, places.to, places.by]);
}

const json = (document: object | null): string | null => (document === null ? null : JSON.stringify(document));

export async function insertPolicy(tx: Tx, orgId: OrgId, policy: Policy): Promise<void> {
  const text = `insert into policies (org_id, id, type, name, description, status, priority, system, conditions,
      settings, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
  await prepared(tx, 'policy_insert', text, [
    orgId,
    policy.id,
    policy.type,
    policy.name,
    policy.description,
    policy.status,
    policy.priority,
    policy.system,
    json(policy.conditions),
    json(policy.settings),
    policy.createdAt,
    policy.lastUpdatedAt,
  ]);
}

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

export async function updatePolicy(tx: Tx, orgId: OrgId, policy: Policy): Promise<void> {
  const text = `update policies set name = $3, description = $4, status = $5, priority = $6, conditions = $7,
      settings = $8, last_updated_at = $9, revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'policy_update', text, [
    orgId,
    policy.id,
    policy.name,
    policy.description,
    policy.status,
    policy.priority,
    json(policy.conditions),
    json(policy.settings),
    policy.lastUpdatedAt,
  ]);
}

/** Its rules are deleted with it. */
export async function removePolicy(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from policies where org_id = $1 and id = $2';
  await prepared(tx, 'policy_delete', text, [orgId, id]);
}

export interface PolicyQuery {
  readonly type: PolicyType;
  readonly status: PolicyStatus | null;
  /** Prefix of the name. */
  readonly q: string | null;
  readonly sortBy: 'name' | 'priority';
}

/** Reads policies by name or by priority, nearest to the key first; both are unique within a type. */
export async function readPolicies(
  db: Db,
  orgId: OrgId,
  query: PolicyQuery,
  request: KeysetRequest<string | number>,
): Promise<Policy[]> {
  const order = sql.ref(`p.${query.sortBy}`);
  const conditions: RawBuilder<unknown>[] = [sql`p.org_id = ${orgId}`, sql`p.type = ${query.type}`];
  if (query.status !== null) conditions.push(sql`p.status = ${query.status}`);
  if (query.q !== null) conditions.push(sql`starts_with(p.name, ${query.q})`);
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`${order} ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<Policy>`select ${sql.raw(COLUMNS)} from policies p
    where ${sql.join(conditions, sql` and `)} order by ${order} ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
