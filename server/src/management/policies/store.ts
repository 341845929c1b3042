import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { PolicyStatus } from './lifecycle.ts';
import type { PolicyType } from './rules.ts';

export interface Policy {
  readonly id: string;
  readonly type: PolicyType;
  readonly name: string;
  readonly description: string | null;
  readonly status: PolicyStatus;
  /** From 1, without gaps among the policies of the type; the default's is the highest. */
  readonly priority: number;
  readonly system: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

/** Columns in the spelling of Policy, so that a row needs no mapping. */
const COLUMNS = `id, type, name, description, status, priority, system, created_at as "createdAt",
  last_updated_at as "lastUpdatedAt"`;

export async function findPolicy(db: Db, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS} from policies where org_id = $1 and id = $2`;
  const [row] = await prepared<Policy>(db, 'policy_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row: what a caller checks of it is what it then changes, and changes of its rules wait for each other. */
export async function findPolicyForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<Policy | undefined> {
  const text = `select ${COLUMNS} from policies where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<Policy>(tx, 'policy_for_update', text, [orgId, id]);
  return row;
}

/**
 * Makes all who move policies of a type wait for each other, by the lock of its default policy; taken before any other
 * policy's. Answers the default's priority: the place behind all others.
 */
export async function lockOrderOfPolicies(tx: Tx, orgId: OrgId, type: PolicyType): Promise<number> {
  const text = 'select priority from policies where org_id = $1 and type = $2 and system for update';
  const [row] = await run<{ priority: number }>(tx, text, [orgId, type]);
  if (row === undefined) throw new Error(`the org has no default ${type} policy`);
  return row.priority;
}

/** Moves the policies on places `from` to `to` by one place, down (1) or up (-1). */
export async function shiftPolicies(
  tx: Tx,
  orgId: OrgId,
  type: PolicyType,
  places: { readonly from: number; readonly to: number; readonly by: 1 | -1 },
): Promise<void> {
  const text = `update policies set priority = priority + $5
    where org_id = $1 and type = $2 and priority between $3 and $4`;
  await run(tx, text, [orgId, type, places.from, places.to, places.by]);
}

export async function insertPolicy(tx: Tx, orgId: OrgId, policy: Policy): Promise<void> {
  const text = `insert into policies
      (org_id, id, type, name, description, status, priority, system, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await prepared(tx, 'policy_insert', text, [
    orgId,
    policy.id,
    policy.type,
    policy.name,
    policy.description,
    policy.status,
    policy.priority,
    policy.system,
    policy.createdAt,
    policy.lastUpdatedAt,
  ]);
}

export async function updatePolicy(tx: Tx, orgId: OrgId, policy: Policy): Promise<void> {
  const text = `update policies set name = $3, description = $4, status = $5, priority = $6, last_updated_at = $7
    where org_id = $1 and id = $2`;
  await prepared(tx, 'policy_update', text, [
    orgId,
    policy.id,
    policy.name,
    policy.description,
    policy.status,
    policy.priority,
    policy.lastUpdatedAt,
  ]);
}

/** Its rules go with it. */
export async function removePolicy(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from policies where org_id = $1 and id = $2';
  await prepared(tx, 'policy_delete', text, [orgId, id]);
}

export interface PolicyQuery {
  readonly type: PolicyType;
  readonly status: PolicyStatus | null;
  /** The name starts with it. */
  readonly q: string | null;
  readonly sortBy: 'name' | 'priority';
}

/** By name or by priority, nearest to the key first; both are unique within a type. */
export async function readPolicies(
  db: Db,
  orgId: OrgId,
  query: PolicyQuery,
  request: KeysetRequest<string | number>,
): Promise<Policy[]> {
  const order = sql.ref(query.sortBy);
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`, sql`type = ${query.type}`];
  if (query.status !== null) conditions.push(sql`status = ${query.status}`);
  if (query.q !== null) conditions.push(sql`starts_with(name, ${query.q})`);
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`${order} ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<Policy>`select ${sql.raw(COLUMNS)} from policies
    where ${sql.join(conditions, sql` and `)} order by ${order} ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
