import { type RawBuilder, sql } from 'kysely';
import type { AppId, OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { AppUserKind } from '../schemas/index.ts';
import type { Direction, MappedProperties } from './default-properties.ts';

export interface ProfileMapping {
  readonly id: string;
  /** The id of the app or identity provider. */
  readonly appId: AppId;
  readonly appName: string;
  readonly appKind: AppUserKind;
  readonly userTypeId: string;
  readonly userTypeName: string;
  readonly schemaId: string;
  readonly direction: Direction;
  /** Null means the default properties for the app's kind and the direction. */
  readonly properties: MappedProperties | null;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<ProfileMapping>('profile_mappings', {
  id: 'key',
  appId: 'fixed',
  appName: 'fixed',
  appKind: 'fixed',
  userTypeId: 'fixed',
  userTypeName: { is: 'read', reads: 't.name' },
  schemaId: { is: 'read', reads: 't.schema_id' },
  direction: 'fixed',
  properties: 'json',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const SELECT = COLUMNS.select('m');
const UPDATE = COLUMNS.update();

const FROM = `from profile_mappings m join user_types t on t.org_id = m.org_id and t.id = m.user_type_id`;

export async function findMapping(db: Db, orgId: OrgId, id: string): Promise<ProfileMapping | undefined> {
  const text = `select ${SELECT} ${FROM} where m.org_id = $1 and m.id = $2`;
  const [row] = await prepared<ProfileMapping>(db, 'profile_mapping_by_id', text, [orgId, id]);
  return row;
}

export async function findMappingForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<ProfileMapping | undefined> {
  const text = `select ${SELECT} ${FROM} where m.org_id = $1 and m.id = $2 for update of m`;
  const [row] = await prepared<ProfileMapping>(tx, 'profile_mapping_for_update', text, [orgId, id]);
  return row;
}

export interface MappingQuery {
  /** The id of a user type, an app or an identity provider; null means any. */
  readonly sourceId: string | null;
  readonly targetId: string | null;
}

/**
 * Compares the id with one end of a mapping: the app if the mapping has the direction `appDirection`, otherwise the
 * user type.
 */
const isAt = (appDirection: Direction, id: string): RawBuilder<boolean> =>
  sql<boolean>`case m.direction when ${appDirection} then m.app_id else m.user_type_id end = ${id}`;

export async function readMappings(
  db: Db,
  orgId: OrgId,
  { sourceId, targetId }: MappingQuery,
  { backwards, key, rows }: KeysetRequest<string>,
): Promise<ProfileMapping[]> {
  const conditions: RawBuilder<unknown>[] = [sql`m.org_id = ${orgId}`];
  if (sourceId !== null) conditions.push(isAt('TO_USER', sourceId));
  if (targetId !== null) conditions.push(isAt('TO_APP_USER', targetId));
  if (key !== null) conditions.push(sql`m.id ${backwards ? sql`<` : sql`>`} ${key}`);
  // The `case` conditions cannot use an index. This condition lets the indexes find the candidates.
  const ids = [sourceId, targetId].filter((id) => id !== null);
  if (ids.length > 0) conditions.push(sql`(m.app_id = any(${ids}) or m.user_type_id = any(${ids}))`);
  const result = await sql<ProfileMapping>`select ${sql.raw(SELECT)} ${sql.raw(FROM)}
    where ${sql.join(conditions, sql` and `)} order by m.id ${backwards ? sql`desc` : sql`asc`} limit ${rows}`.execute(
    db,
  );
  return result.rows;
}

export interface NewMapping {
  readonly id: string;
  readonly appId: AppId;
  readonly appName: string;
  readonly appKind: AppUserKind;
  readonly userTypeId: string;
  readonly direction: Direction;
}

export async function insertMappings(tx: Tx, orgId: OrgId, mappings: readonly NewMapping[], now: Date): Promise<void> {
  if (mappings.length === 0) return;
  const text = `insert into profile_mappings
      (org_id, id, app_id, app_name, app_kind, user_type_id, direction, last_updated_at)
    select $1, n.id, n.app_id, n.app_name, n.app_kind, n.user_type_id, n.direction, $8
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
      as n (id, app_id, app_name, app_kind, user_type_id, direction)
    on conflict (org_id, app_id, user_type_id, direction) do nothing`;
  await prepared(tx, 'profile_mappings_insert', text, [
    orgId,
    mappings.map(({ id }) => id),
    mappings.map(({ appId }) => appId),
    mappings.map(({ appName }) => appName),
    mappings.map(({ appKind }) => appKind),
    mappings.map(({ userTypeId }) => userTypeId),
    mappings.map(({ direction }) => direction),
    now,
  ]);
}

/** Returns one row per mapping of a user type. */
export const readMappedApps = (
  tx: Tx,
  orgId: OrgId,
  userTypeId: string,
): Promise<Pick<NewMapping, 'appId' | 'appName' | 'appKind' | 'direction'>[]> =>
  run(
    tx,
    `select app_id as "appId", app_name as "appName", app_kind as "appKind", direction
     from profile_mappings where org_id = $1 and user_type_id = $2`,
    [orgId, userTypeId],
  );

export async function storeProperties(tx: Tx, orgId: OrgId, mapping: ProfileMapping): Promise<void> {
  await prepared(tx, 'profile_mapping_update', UPDATE.text, UPDATE.values(orgId, mapping));
}

export async function dropProperties(
  tx: Tx,
  orgId: OrgId,
  target: { readonly direction: Direction; readonly id: string },
  names: readonly string[],
): Promise<void> {
  const column = target.direction === 'TO_USER' ? 'user_type_id' : 'app_id';
  const text = `update profile_mappings set properties = properties - $4::text[], revision = revision + 1
    where org_id = $1 and ${column} = $2 and direction = $3 and properties ?| $4::text[]`;
  await run(tx, text, [orgId, target.id, target.direction, names]);
}

export async function removeMappings(tx: Tx, orgId: OrgId, appId: AppId): Promise<void> {
  const text = 'delete from profile_mappings where org_id = $1 and app_id = $2';
  await prepared(tx, 'profile_mappings_delete', text, [orgId, appId]);
}
