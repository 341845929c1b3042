import { sql } from 'kysely';
import { nameKey } from '../../kernel/texts/text.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export interface ResourceSet {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Changes of the set's resources raise it too. */
  readonly revision: number;
}

/** Columns in the spelling of ResourceSet, so that a row needs no mapping. */
const COLUMNS = 'id, label, description, created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision';

/** Finds a set by id or label, in any Unicode normal form; labels never look like ids. */
export async function findResourceSet(db: Db, orgId: OrgId, idOrLabel: string): Promise<ResourceSet | undefined> {
  const text = `select ${COLUMNS} from resource_sets where org_id = $1 and (id = $2 or normalize(label, nfc) = $3)`;
  const [row] = await prepared<ResourceSet>(db, 'resource_set', text, [orgId, idOrLabel, nameKey(idOrLabel)]);
  return row;
}

export async function findResourceSetForUpdate(
  tx: Tx,
  orgId: OrgId,
  idOrLabel: string,
): Promise<ResourceSet | undefined> {
  const text = `select ${COLUMNS} from resource_sets
    where org_id = $1 and (id = $2 or normalize(label, nfc) = $3) for update`;
  const [row] = await prepared<ResourceSet>(tx, 'resource_set_for_update', text, [
    orgId,
    idOrLabel,
    nameKey(idOrLabel),
  ]);
  return row;
}

/** Counts up to `maximum`. */
export async function countResourceSets(tx: Tx, orgId: OrgId, maximum: number): Promise<number> {
  const text = 'select count(*)::integer as count from (select 1 from resource_sets where org_id = $1 limit $2) r';
  const [row] = await prepared<{ count: number }>(tx, 'resource_set_count', text, [orgId, maximum]);
  return row?.count ?? 0;
}

/** Reads sets by id, nearest to the key first. */
export async function readResourceSets(db: Db, orgId: OrgId, request: KeysetRequest<string>): Promise<ResourceSet[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const key = request.key === null ? sql`true` : sql`id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<ResourceSet>`select ${sql.raw(COLUMNS)} from resource_sets
    where org_id = ${orgId} and ${key} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

export async function insertResourceSet(tx: Tx, orgId: OrgId, set: ResourceSet): Promise<void> {
  const text = `insert into resource_sets (org_id, id, label, description, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { createdAt, description, id, label, lastUpdatedAt } = set;
  await prepared(tx, 'resource_set_insert', text, [orgId, id, label, description, createdAt, lastUpdatedAt]);
}

export async function updateResourceSet(tx: Tx, orgId: OrgId, set: ResourceSet): Promise<void> {
  const text = `update resource_sets set label = $3, description = $4, last_updated_at = $5, revision = revision + 1
    where org_id = $1 and id = $2`;
  const { description, id, label, lastUpdatedAt } = set;
  await prepared(tx, 'resource_set_update', text, [orgId, id, label, description, lastUpdatedAt]);
}

/** Its resources and its bindings are deleted with it. */
export async function removeResourceSet(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'resource_set_delete', 'delete from resource_sets where org_id = $1 and id = $2', [orgId, id]);
}

/** Finds the neutral names of the permissions of all roles that are bound to the set. */
export async function findBoundPermissions(tx: Tx, orgId: OrgId, setId: string): Promise<readonly string[]> {
  const text = `select distinct p.permission from role_bindings b
    join custom_role_permissions p on p.org_id = b.org_id and p.role_id = b.role_id
    where b.org_id = $1 and b.resource_set_id = $2`;
  const rows = await prepared<{ permission: string }>(tx, 'resource_set_permissions', text, [orgId, setId]);
  return rows.map(({ permission }) => permission);
}
