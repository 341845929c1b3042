import { sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { LogStreamStatus } from './lifecycle.ts';
import type { LogStreamSettings, LogStreamType } from './settings/stream-types-rules.ts';

export interface LogStream {
  readonly id: string;
  readonly type: LogStreamType;
  readonly name: string;
  readonly status: LogStreamStatus;
  readonly settings: LogStreamSettings;
  /** This is null for types without a secret, and for imported streams that have no secret yet. */
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
  /**
   * Delivered events contain attribute values only if this user or client may see all attributes of all users. Without
   * an owner, they contain everything.
   */
  readonly ownerId: string | null;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<LogStream>('log_streams', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  status: 'changes',
  settings: 'json',
  sealedSecret: 'changes',
  createdAt: 'fixed',
  ownerId: 'changes',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const LOG_STREAMS = resourceStore('log_stream', COLUMNS);

const filterLeaf = columnLeaves(
  new Map([
    ['type', { value: sql.ref('type') }],
    ['status', { value: sql.ref('status') }],
  ]),
);

export const readLogStreams = (
  db: Db,
  orgId: OrgId,
  filter: CheckedExpression | null,
  request: KeysetRequest<string>,
): Promise<LogStream[]> => LOG_STREAMS.readPage(db, orgId, filter === null ? [] : [toSql(filter, filterLeaf)], request);

/** Returns the total size, in megabytes, to which the org's other file streams may grow. */
export async function sumFileMegabytes(tx: Tx, orgId: OrgId, exceptId: string): Promise<number> {
  const text = `select coalesce(sum(
      (settings ->> 'maximumMegabytes')::integer * (settings ->> 'maximumFiles')::integer
    ), 0)::integer as megabytes
    from log_streams where org_id = $1 and type = 'file_ndjson' and id <> $2`;
  const [row] = await prepared<{ megabytes: number }>(tx, 'log_stream_file_megabytes', text, [orgId, exceptId]);
  return row?.megabytes ?? 0;
}
