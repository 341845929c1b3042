import type { OrgId } from '../../kernel/words/ids.ts';
import type { ExportWindow } from '../ledger/ledger-pages-store.ts';
import { despiteRetention } from '../ledger/sealed/damage.ts';
import {
  ALL_SEGMENTS,
  boundOf,
  findSealedEnds,
  findSealedHash,
  hasSealedBehind,
} from '../ledger/sealed/find-sealed.ts';
import { inTransaction, type LogConnection, rowsOf } from './connections.ts';

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

/** Finds the signed anchor of the events that have left the ledger. */
export async function findLastAnchor(
  connection: LogConnection,
  orgId: OrgId,
): Promise<(ChainPlace & { readonly signed: string }) | null> {
  const [row] = await rowsOf<StoredPlace & { signed: string }>(
    connection,
    'select position, hash, signed from log_anchors where org_id = $1 order by position desc limit 1',
    [orgId],
  );
  const place = placeOf(row);
  return row === undefined || place === null ? null : { ...place, signed: row.signed };
}

async function findPlaceOnce(connection: LogConnection, orgId: OrgId, position: number): Promise<ChainPlace | null> {
  const [row] = await rowsOf<StoredPlace>(
    connection,
    `(select position, hash from log_unsealed where org_id = $1 and position = $2::bigint limit 1)
     union all (select position, hash from log_anchors where org_id = $1 and position = $2::bigint) limit 1`,
    [orgId, position],
  );
  if (row !== undefined) return placeOf(row);
  // The anchors are looked into again after the segments, because retention replaces a segment by an anchor.
  const [hash, anchors] = await Promise.all([
    findSealedHash(connection, orgId, position),
    rowsOf<StoredPlace>(
      connection,
      'select position, hash from log_anchors where org_id = $1 and position = $2::bigint',
      [orgId, position],
    ),
  ]);
  return hash === null ? placeOf(anchors[0]) : { position, hash };
}

/** Finds the place in the chain at a position, from its event or from the anchor that replaced the event. */
export const findPlace = (connection: LogConnection, orgId: OrgId, position: number): Promise<ChainPlace | null> =>
  despiteRetention(() => findPlaceOnce(connection, orgId, position));

/** Finds the lowest event position beyond both `head` and the org's current head. */
export async function findBeyondHead(connection: LogConnection, orgId: OrgId, head: number): Promise<number | null> {
  const [row] = await rowsOf<{ position: string | number }>(
    connection,
    `with head as materialized (
       select greatest($2::bigint, (select position from log_heads where org_id = $1)) as position
     )
     (select position from log_unsealed where org_id = $1 and position > (select position from head)
      order by position limit 1)
     union all
     (select greatest(first_position, (select position + 1 from head)) from log_segments
      where org_id = $1 and last_position > (select position from head) order by last_position limit 1)
     order by position limit 1`,
    [orgId, head],
  );
  return row === undefined ? null : Number(row.position);
}

/** Tests whether an event of a type follows a position or waits for the relay. */
export async function isEventBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  eventType: string,
): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(
    connection,
    `select exists (
       select from log_unsealed where org_id = $1 and position > $2::bigint and event_type = $3
     ) or exists (select from log_inputs where org_id = $1 and event_type = $3)
       or exists (select from log_outbox where org_id = $1 and event_type = $3) as found`,
    [orgId, position, eventType],
  );
  return row?.found === true || hasSealedBehind(connection, orgId, position, (found) => found === eventType);
}

async function withoutTimeout(connection: LogConnection): Promise<boolean> {
  await connection.query('set local statement_timeout = 0');
  return true;
}

interface Ends {
  readonly first: number;
  readonly last: number;
}

function sealedEnds(connection: LogConnection, orgId: OrgId, { since, until }: ExportWindow): Promise<Ends | null> {
  const from = since === null ? {} : { publishedFrom: boundOf(since), persistedFrom: boundOf(since) };
  const to = until === null ? {} : { publishedTo: boundOf(until) - 1 };
  return findSealedEnds(connection, orgId, { ...ALL_SEGMENTS, ...from, ...to });
}

/** The statement has no timeout, because the window may contain the whole ledger. */
export async function findWindowEnds(
  connection: LogConnection,
  orgId: OrgId,
  exportWindow: ExportWindow,
): Promise<Ends | null> {
  const { since, until } = exportWindow;
  const found = await inTransaction(connection, withoutTimeout, () =>
    rowsOf<{ first: string | number | null; last: string | number | null }>(
      connection,
      `select min(position) as first, max(position) as last from (
         select position from log_unsealed where org_id = $1 and published >= coalesce($2::timestamptz, '-infinity')
           and published < coalesce($3::timestamptz, 'infinity')
           and persisted_at >= coalesce($2::timestamptz, '-infinity') offset 0
       ) found`,
      [orgId, since?.toISOString() ?? null, until?.toISOString() ?? null],
    ),
  );
  const sealed = await sealedEnds(connection, orgId, exportWindow);
  const [row] = found ?? [];
  if (row === undefined || row.first === null || row.last === null) return sealed;
  const rows = { first: Number(row.first), last: Number(row.last) };
  if (sealed === null) return rows;
  return { first: Math.min(rows.first, sealed.first), last: Math.max(rows.last, sealed.last) };
}
