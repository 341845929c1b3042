import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../../filter/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import { countSiblings, resourceStore } from '../../resource/index.ts';
import type { OfServer, PartKey } from '../store.ts';
import type { ScopeValues } from './scope-rules.ts';

export interface ServerScope extends ScopeValues {
  readonly id: string;
  readonly isSystem: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<ServerScope & OfServer>('authorization_server_scopes', {
  serverId: 'key',
  id: 'key',
  name: 'changes',
  displayName: 'changes',
  description: 'changes',
  isSystem: 'fixed',
  metadataPublish: 'changes',
  consent: 'changes',
  isOptional: 'changes',
  isDefault: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

const UPDATE = COLUMNS.update(({ of }) => ({
  valid_after: `case when name = ${of('name')} then valid_after else clock.now end`,
}));

export const SERVER_SCOPES = resourceStore<ServerScope & OfServer, PartKey>(
  'authorization_server_scope',
  COLUMNS,
  UPDATE,
);

export function readServerScopes(db: Db, orgId: OrgId, serverId: string): Promise<ServerScope[]> {
  const text = `select ${COLUMNS.select()} from authorization_server_scopes
    where org_id = $1 and server_id = $2 order by name`;
  return prepared<ServerScope>(db, 'authorization_server_scopes', text, [orgId, serverId]);
}

export async function findScopeNames(
  db: Db,
  orgId: OrgId,
  serverId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = `select name from authorization_server_scopes
    where org_id = $1 and server_id = $2 and name = any($3::text[])`;
  const rows = await run<Pick<ServerScope, 'name'>>(db, text, [orgId, serverId, names]);
  return new Set(rows.map(({ name }) => name));
}

/** The caller holds the server's lock, so the number cannot rise. */
export const countScopes = (tx: Tx, orgId: OrgId, serverId: string): Promise<number> =>
  countSiblings(tx, orgId, SERVER_SCOPES.table, { server_id: serverId });

export async function insertScopes(
  tx: Tx,
  orgId: OrgId,
  serverId: string,
  scopes: readonly ServerScope[],
): Promise<void> {
  const text = `insert into authorization_server_scopes (org_id, server_id, id, name, display_name, description,
      is_system, metadata_publish, consent, is_optional, is_default, created_at, last_updated_at)
    select $1, $2, d.id, d.name, d."displayName", d.description, d."isSystem", d."metadataPublish", d.consent,
      d."isOptional", d."isDefault", d."createdAt", d."lastUpdatedAt"
    from jsonb_to_recordset($3::jsonb) as d (id text, name text, "displayName" text, description text,
      "isSystem" boolean, "metadataPublish" text, consent text, "isOptional" boolean, "isDefault" boolean,
      "createdAt" timestamptz, "lastUpdatedAt" timestamptz)`;
  await prepared(tx, 'authorization_server_scopes_insert', text, [orgId, serverId, JSON.stringify(scopes)]);
}

export interface ScopeQuery {
  /** A part of the name. Case is ignored. */
  readonly q: string | null;
  readonly filter: CheckedExpression | null;
}

const filterLeaf = columnLeaves(
  new Map([
    ['name', { value: sql.ref('name') }],
    ['displayName', { value: sql.ref('display_name') }],
    ['consent', { value: sql.ref('consent') }],
    ['metadataPublish', { value: sql.ref('metadata_publish') }],
    ['system', { value: sql.ref('is_system') }],
    ['default', { value: sql.ref('is_default') }],
    ['optional', { value: sql.ref('is_optional') }],
  ]),
);

export function readScopes(
  db: Db,
  orgId: OrgId,
  serverId: string,
  { filter, q }: ScopeQuery,
  request: KeysetRequest<string>,
): Promise<ServerScope[]> {
  const conditions: RawBuilder<unknown>[] = [sql`server_id = ${serverId}`];
  if (q !== null) conditions.push(sql`strpos(lower(name), ${q.toLowerCase()}) > 0`);
  if (filter !== null) conditions.push(toSql(filter, filterLeaf));
  return SERVER_SCOPES.readPage(db, orgId, conditions, request);
}
