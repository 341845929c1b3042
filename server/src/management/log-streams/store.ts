import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { LogStreamStatus } from './lifecycle.ts';
import type { LogStreamSettings, LogStreamType } from './settings/stream-types-rules.ts';

export interface LogStream {
  readonly id: string;
  readonly type: LogStreamType;
  readonly name: string;
  readonly status: LogStreamStatus;
  /** Settings of the stream's type. */
  readonly settings: LogStreamSettings;
  /** Token or HMAC secret; null when the type has none. */
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
  /**
   * The user who last created, changed or activated it, whose rights limit the events. Null in streams older than
   * owners.
   */
  readonly ownerId: string | null;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of LogStream, so that a row needs no mapping. */
const COLUMNS = `id, type, name, status, settings, sealed_secret as "sealedSecret", created_at as "createdAt",
  owner_id as "ownerId", last_updated_at as "lastUpdatedAt", revision`;

export async function findLogStream(db: Db, orgId: OrgId, id: string): Promise<LogStream | undefined> {
  const text = `select ${COLUMNS} from log_streams where org_id = $1 and id = $2`;
  const [row] = await prepared<LogStream>(db, 'log_stream_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findLogStreamForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<LogStream | undefined> {
  const text = `select ${COLUMNS} from log_streams where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<LogStream>(tx, 'log_stream_for_update', text, [orgId, id]);
  return row;
}

const filterLeaf = columnLeaves(
  new Map([
    ['type', { value: sql.ref('type') }],
    ['status', { value: sql.ref('status') }],
  ]),
);

/** Reads streams by id, nearest to the key first. */
export async function readLogStreams(
  db: Db,
  orgId: OrgId,
  filter: CheckedExpression | null,
  request: KeysetRequest<string>,
): Promise<LogStream[]> {
  const conditions: RawBuilder<unknown>[] = [sql`org_id = ${orgId}`];
  if (filter !== null) conditions.push(toSql(filter, filterLeaf));
  const beyond = request.backwards ? sql`<` : sql`>`;
  if (request.key !== null) conditions.push(sql`id ${beyond} ${request.key}`);
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<LogStream>`select ${sql.raw(COLUMNS)} from log_streams
    where ${sql.join(conditions, sql` and `)} order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}

export async function countLogStreams(tx: Tx, orgId: OrgId): Promise<number> {
  const text = 'select count(*) as count from log_streams where org_id = $1';
  const [row] = await prepared<{ count: number }>(tx, 'log_stream_count', text, [orgId]);
  return row?.count ?? 0;
}

/** Sums the megabytes that the org's other file streams may use. */
export async function sumFileMegabytes(tx: Tx, orgId: OrgId, exceptId: string): Promise<number> {
  const text = `select coalesce(sum(
      (settings ->> 'maximumMegabytes')::integer * (settings ->> 'maximumFiles')::integer
    ), 0)::integer as megabytes
    from log_streams where org_id = $1 and type = 'file_ndjson' and id <> $2`;
  const [row] = await prepared<{ megabytes: number }>(tx, 'log_stream_file_megabytes', text, [orgId, exceptId]);
  return row?.megabytes ?? 0;
}

const valuesOf = (orgId: OrgId, stream: LogStream): unknown[] => [
  orgId,
  stream.id,
  stream.name,
  stream.status,
  JSON.stringify(stream.settings),
  stream.sealedSecret,
  stream.lastUpdatedAt,
  stream.ownerId,
];

export async function insertLogStream(tx: Tx, orgId: OrgId, stream: LogStream): Promise<void> {
  const text = `insert into log_streams
      (org_id, id, name, status, settings, sealed_secret, last_updated_at, owner_id, type, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await prepared(tx, 'log_stream_insert', text, [...valuesOf(orgId, stream), stream.type, stream.createdAt]);
}

export async function updateLogStream(tx: Tx, orgId: OrgId, stream: LogStream): Promise<void> {
  const text = `update log_streams
    set name = $3, status = $4, settings = $5, sealed_secret = $6, last_updated_at = $7, owner_id = $8,
      revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'log_stream_update', text, valuesOf(orgId, stream));
}

export async function removeLogStream(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'log_stream_delete', 'delete from log_streams where org_id = $1 and id = $2', [orgId, id]);
}
