import type { OrgId } from '../../../kernel/words/ids.ts';
import type { RewrittenSegment } from '../../ledger/segments/rewrite.ts';
import type { EncodedSegment } from '../../ledger/segments/segment.ts';
import { type LogConnection, rowsOf } from '../../relay/connections.ts';
import type { OlderTable } from '../turn/unsealed-rows-store.ts';

/** Erases a row. Returns false if no row at the position has a content. */
export async function eraseRow(
  connection: LogConnection,
  orgId: OrgId,
  older: OlderTable,
  position: number,
  erasedAt: Date,
): Promise<boolean> {
  const erasure = (table: string): string =>
    `update ${table} set salt = null, erased_at = $3::timestamptz, body = '{}', tokens = '{}', actor_id = '',
       target_ids = '{}', client_ip_address = null, transaction_id = ''
     where org_id = $1 and position = $2::bigint and salt is not null returning 1`;
  const [row] = await rowsOf<{ rows: number }>(
    connection,
    `with older as (${erasure(older)}), fresh as (${erasure('log_fresh')})
     select ((select count(*) from older) + (select count(*) from fresh))::integer as rows`,
    [orgId, position, erasedAt.toISOString()],
  );
  return (row?.rows ?? 0) > 0;
}

export interface WholeSegment extends EncodedSegment {
  readonly lastPosition: number;
}

/** Reads the whole segment that may have an event at a position, and locks it until the transaction ends. */
export async function lockSegmentAt(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
): Promise<WholeSegment | null> {
  const [row] = await rowsOf<Omit<WholeSegment, 'lastPosition'> & { lastPosition: string | number }>(
    connection,
    `select last_position as "lastPosition", head, published, persisted, kinds, salts, hashes, bodies,
       part_ends as "partEnds", postings, bucket_ends as "bucketEnds"
     from log_segments where org_id = $1 and last_position >= $2::bigint and first_position <= $2::bigint
     order by last_position limit 1 for update`,
    [orgId, position],
  );
  return row === undefined ? null : { ...row, lastPosition: Number(row.lastPosition) };
}

export async function updateSegment(
  connection: LogConnection,
  orgId: OrgId,
  lastPosition: number,
  segment: RewrittenSegment,
): Promise<void> {
  await connection.query(
    `update log_segments set head = $3, kinds = $4, salts = $5, bodies = $6, part_ends = $7, postings = $8,
       bucket_ends = $9
     where org_id = $1 and last_position = $2::bigint`,
    [
      orgId,
      lastPosition,
      segment.head,
      segment.kinds,
      segment.salts,
      segment.bodies,
      segment.partEnds,
      segment.postings,
      segment.bucketEnds,
    ],
  );
}
