import { type RawBuilder, sql } from 'kysely';
import { appsWithin } from '../../access/index.ts';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { AppId, ClientId, OrgId } from '../../kernel/words/ids.ts';
import type { Grant, KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { AppDocument, ApplicationType, ClientDocument } from './documents/document-contract.ts';
import type { AppStatus } from './lifecycle.ts';
import type { SignOnMode } from './modes/kind-rules.ts';

export interface App {
  readonly id: AppId;
  /** What its client is called; of an app that is none: its id. Never changes. */
  readonly clientId: ClientId;
  readonly label: string;
  readonly status: AppStatus;
  readonly signOnMode: SignOnMode;
  /** Null: the app is no OAuth client. */
  readonly applicationType: ApplicationType | null;
  readonly document: AppDocument;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Raised by each change of the app and of its client's keys. */
  readonly revision: number;
}

/** An app that is an OAuth client. */
export interface ClientApp extends App {
  readonly applicationType: ApplicationType;
  readonly document: ClientDocument;
}

export const isClientApp = (app: App): app is ClientApp => app.signOnMode === 'OPENID_CONNECT';

/** Columns in the spelling of App, so that a row needs no mapping. */
const COLUMNS = `id, client_id as "clientId", label, status, sign_on_mode as "signOnMode",
  application_type as "applicationType", document,
  created_at as "createdAt", last_updated_at as "lastUpdatedAt", revision`;

export async function findApp(db: Db, orgId: OrgId, id: AppId): Promise<App | undefined> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and id = $2`;
  const [row] = await prepared<App>(db, 'app_by_id', text, [orgId, id]);
  return row;
}

/** The app whose client is called so; one that is no client is called by its id. */
export async function findAppOfClient(db: Db, orgId: OrgId, clientId: ClientId): Promise<App | undefined> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and client_id = $2`;
  const [row] = await prepared<App>(db, 'app_by_client_id', text, [orgId, clientId]);
  return row;
}

/** It tells which of these clients the org has. */
export async function findClientIds(db: Db, orgId: OrgId, clientIds: readonly ClientId[]): Promise<ClientId[]> {
  const text = `select client_id as "clientId" from apps where org_id = $1 and client_id = any($2::text[])`;
  const rows = await prepared<Pick<App, 'clientId'>>(db, 'client_ids', text, [orgId, clientIds]);
  return rows.map(({ clientId }) => clientId);
}

/** Those of these apps that the org has, by id. */
export async function findAppsByIds(db: Db, orgId: OrgId, ids: readonly AppId[]): Promise<App[]> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and id = any($2::text[]) order by id`;
  return prepared<App>(db, 'apps_by_ids', text, [orgId, ids]);
}

/** Locks the row, so that the status and type a caller checks are those it then changes. */
export async function findAppForUpdate(tx: Tx, orgId: OrgId, id: AppId): Promise<App | undefined> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<App>(tx, 'app_for_update', text, [orgId, id]);
  return row;
}

/** `chosen`: what its client is called in place of its id, which must be claimed; null: by that. */
export async function insertApp(tx: Tx, orgId: OrgId, app: App, chosen: ClientId | null): Promise<void> {
  const text = `insert into apps
      (org_id, id, chosen_client_id, label, status, sign_on_mode, application_type, document, created_at,
        last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await prepared(tx, 'app_insert', text, [
    orgId,
    app.id,
    chosen,
    app.label,
    app.status,
    app.signOnMode,
    app.applicationType,
    JSON.stringify(app.document),
    app.createdAt,
    app.lastUpdatedAt,
  ]);
}

const isImplicit = (document: string): string =>
  `coalesce(${document} -> 'settings' ->> 'implicitAssignment' = 'true', false)`;

/** Needs the lock of the row. The app as it is then, with its new revision. */
export async function updateApp(tx: Tx, orgId: OrgId, app: App): Promise<App> {
  const text = `update apps
    set label = $3, status = $4, document = $5::jsonb, last_updated_at = $6, revision = revision + 1,
      last_deactivated_at =
        case when status = 'ACTIVE' and $4 = 'INACTIVE' then clock_timestamp() else last_deactivated_at end,
      implicit_from =
        case when ${isImplicit('$5::jsonb')} and not ${isImplicit('document')} then clock_timestamp()
          else implicit_from end
    where org_id = $1 and id = $2`;
  await prepared(tx, 'app_update', text, [
    orgId,
    app.id,
    app.label,
    app.status,
    JSON.stringify(app.document),
    app.lastUpdatedAt,
  ]);
  return { ...app, revision: app.revision + 1 };
}

/** For what is shown with the app and stands in a table of its own: whoever read it before has read something else. */
export async function raiseRevision(tx: Tx, orgId: OrgId, id: AppId): Promise<void> {
  await prepared(tx, 'app_revision', 'update apps set revision = revision + 1 where org_id = $1 and id = $2', [
    orgId,
    id,
  ]);
}

/** Voids what was issued to the client until now, for good: activating it again revives nothing. */
export async function raiseValidAfter(tx: Tx, orgId: OrgId, id: AppId): Promise<void> {
  const text = 'update apps set valid_after = clock_timestamp() where org_id = $1 and id = $2';
  await prepared(tx, 'app_valid_after', text, [orgId, id]);
}

/** Keys, secrets, grants and roles go with the app. */
export async function removeApp(tx: Tx, orgId: OrgId, id: AppId): Promise<void> {
  await prepared(tx, 'app_delete', 'delete from apps where org_id = $1 and id = $2', [orgId, id]);
}

/** The number of the org's next app of a name that is made for it: each is given once. */
export async function nextAppNumber(tx: Tx, orgId: OrgId): Promise<number> {
  const text = `insert into app_numbers (org_id, last_number) values ($1, 1)
    on conflict (org_id) do update set last_number = app_numbers.last_number + 1 where app_numbers.org_id = $1
    returning last_number as "lastNumber"`;
  const [row] = await prepared<{ lastNumber: number }>(tx, 'app_number_next', text, [orgId]);
  return row?.lastNumber ?? 1;
}

/** The password that people share in the app, sealed; null: there is none any more. */
export async function setSharedPassword(tx: Tx, orgId: OrgId, id: AppId, sealed: Buffer | null): Promise<void> {
  const text = 'update apps set sealed_password = $3 where org_id = $1 and id = $2';
  await prepared(tx, 'app_shared_password_set', text, [orgId, id, sealed]);
}

export interface AppQuery {
  /** Name or label starts with it. */
  readonly q: string | null;
  /** The label alone starts with it. */
  readonly label?: string | null;
  readonly signOnMode?: SignOnMode;
  readonly filter: CheckedExpression | null;
  /** Ids of the apps that a user or group in the filter has, by `user.id` or `group.id` and its value. */
  readonly assigned: ReadonlyMap<string, readonly string[]>;
  /** The key that clients are shown with, for filters. */
  readonly orgKid?: string | null;
}

const NAME = sql`(document ->> 'name')`;
const HAS_LOGOUT = sql`coalesce((document #>> '{settings,signOn,slo,enabled}')::boolean,
  (document #>> '{settings,oauthClient,participate_slo}')::boolean)`;

const columnLeavesOf = (orgKid: string | null) =>
  columnLeaves(
    new Map([
      ['id', { value: sql.ref('id') }],
      ['name', { value: NAME }],
      ['status', { value: sql.ref('status') }],
      [
        'credentials.signing.kid',
        {
          value: sql`(case when sign_on_mode = 'OPENID_CONNECT' then ${orgKid}::text
            else document #>> '{credentials,signing,kid}' end)`,
        },
      ],
      ['settings.slo.enabled', { value: HAS_LOGOUT }],
    ]),
  );

const ASSIGNED: ReadonlySet<string> = new Set(['user.id', 'group.id']);

/** How a leaf names who is assigned; null where it is about something else. */
export const assigneeOf = (field: string, value: unknown): string | null =>
  ASSIGNED.has(field) ? `${field} ${String(value)}` : null;

/** By id, nearest to the key first; those that the grant opens only. */
export async function readApps(
  db: Db,
  orgId: OrgId,
  grant: Grant,
  query: AppQuery,
  request: KeysetRequest<string>,
): Promise<App[]> {
  const columnLeaf = columnLeavesOf(query.orgKid ?? null);
  const filterLeaf: typeof columnLeaf = (leaf) => {
    const assignee = leaf.op === 'pr' ? null : assigneeOf(leaf.field.name, leaf.value);
    if (assignee === null) return columnLeaf(leaf);
    return sql<boolean>`id = any(${query.assigned.get(assignee) ?? []}::text[])`;
  };
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`, appsWithin(grant, sql.ref('id'), NAME)];
  if (query.q !== null) conditions.push(sql`(starts_with(label, ${query.q}) or starts_with(${NAME}, ${query.q}))`);
  if (query.label !== undefined && query.label !== null) conditions.push(sql`starts_with(label, ${query.label})`);
  if (query.signOnMode !== undefined) conditions.push(sql`sign_on_mode = ${query.signOnMode}`);
  if (query.filter !== null) conditions.push(toSql(query.filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<App>`select ${sql.raw(COLUMNS)} from apps
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
