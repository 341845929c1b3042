import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { AppDocument, ApplicationType } from './document-contract.ts';
import type { AppStatus } from './lifecycle.ts';

export interface App {
  readonly id: string;
  readonly label: string;
  readonly status: AppStatus;
  readonly signOnMode: string;
  readonly applicationType: ApplicationType;
  readonly document: AppDocument;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

/** Columns in the spelling of App, so that a row needs no mapping. */
const COLUMNS = `id, label, status, sign_on_mode as "signOnMode", application_type as "applicationType", document,
  created_at as "createdAt", last_updated_at as "lastUpdatedAt"`;

export async function findApp(db: Db, orgId: OrgId, id: string): Promise<App | undefined> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and id = $2`;
  const [row] = await prepared<App>(db, 'app_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status and type a caller checks are those it then changes. */
export async function findAppForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<App | undefined> {
  const text = `select ${COLUMNS} from apps where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<App>(tx, 'app_for_update', text, [orgId, id]);
  return row;
}

export async function insertApp(tx: Tx, orgId: OrgId, app: App): Promise<void> {
  const text = `insert into apps
      (org_id, id, label, status, sign_on_mode, application_type, document, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
  await prepared(tx, 'app_insert', text, [
    orgId,
    app.id,
    app.label,
    app.status,
    app.signOnMode,
    app.applicationType,
    JSON.stringify(app.document),
    app.createdAt,
    app.lastUpdatedAt,
  ]);
}

export async function updateApp(tx: Tx, orgId: OrgId, app: App): Promise<void> {
  const text = `update apps
    set label = $3, status = $4, document = $5, last_updated_at = $6, revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'app_update', text, [
    orgId,
    app.id,
    app.label,
    app.status,
    JSON.stringify(app.document),
    app.lastUpdatedAt,
  ]);
}

/** Voids what was issued to the client until now, for good: activating it again revives nothing. */
export async function raiseValidAfter(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'update apps set valid_after = clock_timestamp() where org_id = $1 and id = $2';
  await prepared(tx, 'app_valid_after', text, [orgId, id]);
}

/** Keys, secrets, grants and roles go with the app. */
export async function removeApp(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'app_delete', 'delete from apps where org_id = $1 and id = $2', [orgId, id]);
}

export interface AppQuery {
  /** Name or label starts with it. */
  readonly q: string | null;
  readonly filter: CheckedExpression | null;
}

const NAME = sql`(document ->> 'name')`;

const filterLeaf = columnLeaves(
  new Map([
    ['id', { value: sql.ref('id') }],
    ['name', { value: NAME }],
    ['status', { value: sql.ref('status') }],
  ]),
);

/** By id, nearest to the key first. */
export async function readApps(db: Db, orgId: OrgId, query: AppQuery, request: KeysetRequest<string>): Promise<App[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  if (query.q !== null) conditions.push(sql`(starts_with(label, ${query.q}) or starts_with(${NAME}, ${query.q}))`);
  if (query.filter !== null) conditions.push(toSql(query.filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<App>`select ${sql.raw(COLUMNS)} from apps
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
