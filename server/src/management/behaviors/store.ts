import { sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { BehaviorStatus } from './lifecycle.ts';
import type { BehaviorSettings, BehaviorType } from './rules.ts';

export interface Behavior {
  readonly id: string;
  readonly type: BehaviorType;
  readonly name: string;
  readonly status: BehaviorStatus;
  readonly settings: BehaviorSettings;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of Behavior, so that a row needs no mapping. */
const COLUMNS = `id, type, name, status, settings, created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

export async function findBehavior(db: Db, orgId: OrgId, id: string): Promise<Behavior | undefined> {
  const text = `select ${COLUMNS} from behaviors where org_id = $1 and id = $2`;
  const [row] = await prepared<Behavior>(db, 'behavior_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findBehaviorForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<Behavior | undefined> {
  const text = `select ${COLUMNS} from behaviors where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<Behavior>(tx, 'behavior_for_update', text, [orgId, id]);
  return row;
}

/** Counts up to `maximum`. */
export async function countBehaviors(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = 'select count(*)::int as count from (select 1 from behaviors where org_id = $1 limit $2) t';
  const [row] = await prepared<{ count: number }>(tx, 'behavior_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

export async function insertBehavior(tx: Tx, orgId: OrgId, behavior: Behavior): Promise<void> {
  const text = `insert into behaviors (org_id, id, type, name, status, settings, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { createdAt, id, lastUpdatedAt, name, settings, status, type } = behavior;
  const values = [orgId, id, type, name, status, JSON.stringify(settings), createdAt, lastUpdatedAt];
  await prepared(tx, 'behavior_insert', text, values);
}

export async function updateBehavior(tx: Tx, orgId: OrgId, behavior: Behavior): Promise<void> {
  const text = `update behaviors set name = $3, status = $4, settings = $5, last_updated_at = $6,
      revision = revision + 1
    where org_id = $1 and id = $2`;
  const { id, lastUpdatedAt, name, settings, status } = behavior;
  await prepared(tx, 'behavior_update', text, [orgId, id, name, status, JSON.stringify(settings), lastUpdatedAt]);
}

export async function removeBehavior(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'behavior_delete', 'delete from behaviors where org_id = $1 and id = $2', [orgId, id]);
}

/** Reads behaviors by id, nearest to the key first. */
export async function readBehaviors(db: Db, orgId: OrgId, request: KeysetRequest<string>): Promise<Behavior[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const place = request.key === null ? sql`true` : sql`id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<Behavior>`select ${sql.raw(COLUMNS)} from behaviors
    where org_id = ${orgId} and ${place} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
