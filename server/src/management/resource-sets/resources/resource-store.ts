import { sql } from 'kysely';
import type { ResourceKindName } from '../../../access/index.ts';
import type { ResourceName } from '../../../kernel/words/held-role.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, keysetRows, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { NamedResource } from './resource-names.ts';

export interface SetResource extends NamedResource {
  readonly id: string;
  /** The exceptions to the resource. The list is empty unless the resource covers everything of its kind. */
  readonly excluded: readonly ResourceName[];
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<SetResource, SetResource & { readonly resourceSetId: string }>('resource_set_resources', {
  resourceSetId: { is: 'key', reads: null },
  id: 'key',
  kind: 'fixed',
  key: 'fixed',
  excluded: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const SELECT = `select ${COLUMNS.select()} from resource_set_resources`;
const UPDATE = COLUMNS.update();

export async function findResource(db: Db, orgId: OrgId, setId: string, id: string): Promise<SetResource | undefined> {
  const text = `${SELECT} where ${COLUMNS.isKey}`;
  const [row] = await prepared<SetResource>(db, 'set_resource', text, [orgId, setId, id]);
  return row;
}

export function findResources(db: Db, orgId: OrgId, setId: string, maximum: number): Promise<SetResource[]> {
  const text = `${SELECT} where org_id = $1 and resource_set_id = $2 order by id limit $3`;
  return prepared<SetResource>(db, 'set_resources', text, [orgId, setId, maximum]);
}

export function readResources(
  db: Db,
  orgId: OrgId,
  setId: string,
  request: KeysetRequest<string>,
): Promise<SetResource[]> {
  const list = sql`${sql.raw(SELECT)} where org_id = ${orgId} and resource_set_id = ${setId}`;
  return keysetRows(db, list, 'id', request);
}

export async function insertResources(
  tx: Tx,
  orgId: OrgId,
  setId: string,
  resources: readonly SetResource[],
): Promise<void> {
  const text = `insert into resource_set_resources
      (org_id, resource_set_id, id, kind, key, excluded, created_at, last_updated_at)
    select $1, $2, r.id, r.kind, r.key, r.excluded, r.created_at, r.last_updated_at
    from unnest($3::text[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[], $8::timestamptz[])
      as r (id, kind, key, excluded, created_at, last_updated_at)`;
  await run(tx, text, [
    orgId,
    setId,
    resources.map(({ id }) => id),
    resources.map(({ kind }) => kind),
    resources.map(({ key }) => key),
    resources.map(({ excluded }) => JSON.stringify(excluded)),
    resources.map(({ createdAt }) => createdAt),
    resources.map(({ lastUpdatedAt }) => lastUpdatedAt),
  ]);
}

export async function updateExcluded(tx: Tx, orgId: OrgId, setId: string, resource: SetResource): Promise<void> {
  await prepared(tx, 'set_resource_update', UPDATE.text, UPDATE.values(orgId, { ...resource, resourceSetId: setId }));
}

export async function removeResource(tx: Tx, orgId: OrgId, setId: string, id: string): Promise<void> {
  const text = `delete from resource_set_resources where ${COLUMNS.isKey}`;
  await prepared(tx, 'set_resource_delete', text, [orgId, setId, id]);
}

const TABLES: Readonly<Partial<Record<ResourceKindName, string>>> = {
  user: 'users',
  group: 'groups',
  groupUsers: 'groups',
  app: 'apps',
};

/**
 * Returns one of the resources that the org does not have, or undefined if it has them all. Looks up only resources
 * that are named by id.
 */
export async function findMissing(
  tx: Tx,
  orgId: OrgId,
  resources: readonly NamedResource[],
): Promise<NamedResource | undefined> {
  for (const table of new Set(Object.values(TABLES))) {
    const named = resources.filter(({ kind }) => TABLES[kind] === table);
    if (named.length === 0) continue;
    const text = `select id from ${table} where org_id = $1 and id = any($2::text[])`;
    const rows = await run<{ id: string }>(tx, text, [orgId, named.map(({ key }) => key)]);
    const found = new Set(rows.map(({ id }) => id));
    const missing = named.find(({ key }) => !found.has(key));
    if (missing !== undefined) return missing;
  }
  return undefined;
}

export async function isEveryoneAmong(tx: Tx, orgId: OrgId, groupIds: readonly string[]): Promise<boolean> {
  if (groupIds.length === 0) return false;
  const text = `select 1 as found from groups where org_id = $1 and id = any($2::text[]) and type = 'BUILT_IN' limit 1`;
  return (await run(tx, text, [orgId, groupIds])).length > 0;
}
