import type { OrgId } from '../kernel/ids.ts';
import { type LogConnection, rowsOf } from './connections.ts';

export interface LedgerRow {
  readonly position: number;
  readonly uuid: string;
  readonly published: Date;
  readonly eventType: string;
  readonly actorId: string;
  /** Null when the event was erased. */
  readonly salt: Buffer | null;
  readonly digest: Buffer;
  readonly hash: Buffer;
  readonly erasedAt: Date | null;
  readonly body: string;
}

/** An end or a start of a chain. */
export interface ChainPlace {
  readonly position: number;
  readonly hash: Buffer;
}

interface StoredPlace {
  position: string | number;
  hash: Buffer;
}

const placeOf = (row: StoredPlace | undefined): ChainPlace | null =>
  row === undefined ? null : { position: Number(row.position), hash: row.hash };

export async function findHead(connection: LogConnection, orgId: OrgId): Promise<ChainPlace | null> {
  const [row] = await rowsOf<StoredPlace>(connection, 'select position, hash from log_heads where org_id = $1', [
    orgId,
  ]);
  return placeOf(row);
}

/** The end of what has left the ledger; null when nothing has. */
export async function findLastAnchor(connection: LogConnection, orgId: OrgId): Promise<ChainPlace | null> {
  const [row] = await rowsOf<StoredPlace>(
    connection,
    'select position, hash from log_anchors where org_id = $1 order by position desc limit 1',
    [orgId],
  );
  return placeOf(row);
}

/** Rows behind a position, in order. Two rows of one position both come: such a ledger was tampered with. */
export async function findLedgerRows(
  connection: LogConnection,
  orgId: OrgId,
  range: { after: number; upTo: number; limit: number },
): Promise<LedgerRow[]> {
  const rows = await rowsOf<{
    position: string | number;
    uuid: string;
    published: Date;
    event_type: string;
    actor_id: string;
    salt: Buffer | null;
    digest: Buffer;
    hash: Buffer;
    erased_at: Date | null;
    body: string;
  }>(
    connection,
    `select position, uuid, published, event_type, actor_id, salt, digest, hash, erased_at, body from log_events
     where org_id = $1 and position > $2::bigint and position <= $3::bigint order by position limit $4::integer`,
    [orgId, range.after, range.upTo, range.limit],
  );
  return rows.map((row) => ({
    position: Number(row.position),
    uuid: row.uuid,
    published: row.published,
    eventType: row.event_type,
    actorId: row.actor_id,
    salt: row.salt,
    digest: row.digest,
    hash: row.hash,
    erasedAt: row.erased_at,
    body: row.body,
  }));
}

/** Lowest position beyond the head, if any row stands there: nothing honest writes one. */
export async function findBeyondHead(connection: LogConnection, orgId: OrgId, head: number): Promise<number | null> {
  const [row] = await rowsOf<{ position: string | number }>(
    connection,
    `select position from log_events where org_id = $1 and position > $2::bigint
       and position > coalesce((select position from log_heads where org_id = $1), 0)
     order by position limit 1`,
    [orgId, head],
  );
  return row === undefined ? null : Number(row.position);
}
