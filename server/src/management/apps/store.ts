import { type RawBuilder, sql } from 'kysely';
import { appsWithin } from '../../access/index.ts';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { AppId, ClientId, OrgId } from '../../kernel/words/ids.ts';
import type { Grant, KeysetRequest } from '../../platform/http/index.ts';
import { CLOCK, columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { AppDocument, ApplicationType, ClientDocument } from './documents/document-contract.ts';
import type { AppStatus } from './lifecycle.ts';
import type { SignOnMode } from './modes/kind-rules.ts';

export interface App {
  readonly id: AppId;
  /** The app's id, unless another client id was chosen. */
  readonly clientId: ClientId;
  readonly label: string;
  readonly status: AppStatus;
  readonly signOnMode: SignOnMode;
  /** This is null when the app is not an OAuth client. */
  readonly applicationType: ApplicationType | null;
  readonly document: AppDocument;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** Changes to the app's JSON Web Keys, logo and policies also raise the revision. */
  readonly revision: number;
}

export interface ClientApp extends App {
  readonly applicationType: ApplicationType;
  readonly document: ClientDocument;
}

export const isClientApp = (app: App): app is ClientApp => app.signOnMode === 'OPENID_CONNECT';

export interface OfApp {
  readonly appId: AppId;
}

const COLUMNS = columns<App>('apps', {
  id: 'key',
  clientId: 'read',
  label: 'changes',
  status: 'changes',
  signOnMode: 'fixed',
  applicationType: 'fixed',
  document: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const SELECT = `select ${COLUMNS.select()} from apps`;

const INSERT = COLUMNS.insert(({ free }) => ({ chosen_client_id: free(0) }));

const isImplicit = (document: string): string =>
  `coalesce(${document} -> 'settings' ->> 'implicitAssignment' = 'true', false)`;

const UPDATE = COLUMNS.update(({ of }) => ({
  last_deactivated_at: `case when status = 'ACTIVE' and ${of('status')} = 'INACTIVE' then clock.now
    else last_deactivated_at end`,
  implicit_from: `case when ${isImplicit(`${of('document')}::jsonb`)} and not ${isImplicit('document')}
    then clock.now else implicit_from end`,
}));

export const APPS = resourceStore<App, [id: AppId]>('app', COLUMNS, UPDATE);

export const findApp = APPS.find;

export async function findAppOfClient(db: Db, orgId: OrgId, clientId: ClientId): Promise<App | undefined> {
  const text = `${SELECT} where org_id = $1 and client_id = $2`;
  const [row] = await prepared<App>(db, 'app_by_client_id', text, [orgId, clientId]);
  return row;
}

export async function findClientIds(db: Db, orgId: OrgId, clientIds: readonly ClientId[]): Promise<ClientId[]> {
  const text = `select client_id as "clientId" from apps where org_id = $1 and client_id = any($2::text[])`;
  const rows = await prepared<Pick<App, 'clientId'>>(db, 'client_ids', text, [orgId, clientIds]);
  return rows.map(({ clientId }) => clientId);
}

export async function findAppsByIds(db: Db, orgId: OrgId, ids: readonly AppId[]): Promise<App[]> {
  const text = `${SELECT} where org_id = $1 and id = any($2::text[]) order by id`;
  return prepared<App>(db, 'apps_by_ids', text, [orgId, ids]);
}

/** `chosen` is the claimed client id, or null if none was chosen. */
export async function insertApp(tx: Tx, orgId: OrgId, app: App, chosen: ClientId | null): Promise<void> {
  await prepared(tx, 'app_insert', INSERT.text, [...INSERT.values(orgId, app), chosen]);
}

/** Needs the lock on the row. */
export async function updateApp(tx: Tx, orgId: OrgId, app: App): Promise<App> {
  await APPS.update(tx, orgId, app);
  return { ...app, revision: app.revision + 1 };
}

/** Raises the revision after a change to data that is shown with the app but stored elsewhere. */
export async function raiseRevision(tx: Tx, orgId: OrgId, id: AppId): Promise<void> {
  await prepared(tx, 'app_revision', 'update apps set revision = revision + 1 where org_id = $1 and id = $2', [
    orgId,
    id,
  ]);
}

/** Voids everything issued to the client so far, for good. */
export async function raiseValidAfter(tx: Tx, orgId: OrgId, id: AppId): Promise<void> {
  const text = `update apps set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2`;
  await prepared(tx, 'app_valid_after', text, [orgId, id]);
}

/** Reserves the number for the org's next generated app name. */
export async function nextAppNumber(tx: Tx, orgId: OrgId): Promise<number> {
  const text = `insert into app_numbers (org_id, last_number) values ($1, 1)
    on conflict (org_id) do update set last_number = app_numbers.last_number + 1 where app_numbers.org_id = $1
    returning last_number as "lastNumber"`;
  const [row] = await prepared<{ lastNumber: number }>(tx, 'app_number_next', text, [orgId]);
  return row?.lastNumber ?? 1;
}

/** Null removes the password. */
export async function setSharedPassword(tx: Tx, orgId: OrgId, id: AppId, sealed: Buffer | null): Promise<void> {
  const text = 'update apps set sealed_password = $3 where org_id = $1 and id = $2';
  await prepared(tx, 'app_shared_password_set', text, [orgId, id, sealed]);
}

export interface AppQuery {
  /** A prefix of the name or label. */
  readonly q: string | null;
  /** A prefix of the label. */
  readonly label?: string | null;
  readonly signOnMode?: SignOnMode;
  readonly filter: CheckedExpression | null;
  /** The ids of the apps of each user or group in the filter. The keys of the map come from `assigneeOf`. */
  readonly assigned: ReadonlyMap<string, readonly string[]>;
  /** The id of the org's key, which filters use as the key id of every client. */
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

/** Returns the key of a user or group in `AppQuery.assigned`, or null for other fields of a filter. */
export const assigneeOf = (field: string, value: unknown): string | null =>
  ASSIGNED.has(field) ? `${field} ${String(value)}` : null;

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
  const conditions: RawBuilder<unknown>[] = [appsWithin(grant, sql.ref('id'), NAME)];
  if (query.q !== null) conditions.push(sql`(starts_with(label, ${query.q}) or starts_with(${NAME}, ${query.q}))`);
  if (query.label !== undefined && query.label !== null) conditions.push(sql`starts_with(label, ${query.label})`);
  if (query.signOnMode !== undefined) conditions.push(sql`sign_on_mode = ${query.signOnMode}`);
  if (query.filter !== null) conditions.push(toSql(query.filter, filterLeaf));
  return APPS.readPage(db, orgId, conditions, request);
}
