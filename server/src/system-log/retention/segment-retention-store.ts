import type { OrgId } from '../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';

/** The oldest events of an org, by their form. A time is null if the org has no events of the form. */
export interface OldestEvents {
  readonly orgId: OrgId;
  /** The org's window in days. */
  readonly days: number;
  /** The time of the last event of the oldest segment. */
  readonly segmentEndsAt: Date | null;
  readonly freshAt: Date | null;
}

/**
 * Cross-org: finds the oldest events of up to `count` orgs, in order of org id, starting after `afterOrgId`. Fresh rows
 * are searched behind the last sealed event, past the rows that sealing has deleted.
 */
export async function findOldestEvents(
  connection: LogConnection,
  afterOrgId: string,
  count: number,
): Promise<readonly OldestEvents[]> {
  return rowsOf<OldestEvents>(
    connection,
    `select heads.org_id as "orgId", log_retention_days(orgs.settings) as days,
       oldest.last_persisted_at as "segmentEndsAt", fresh.persisted_at as "freshAt"
     from (select org_id from log_heads where org_id > $1 order by org_id limit $2::integer) heads
     join orgs on orgs.id = heads.org_id
     left join lateral (
       select last_persisted_at from log_segments where org_id = heads.org_id order by last_position limit 1
     ) oldest on true
     left join lateral (
       select fresh_row.persisted_at from log_fresh fresh_row
       where fresh_row.org_id = heads.org_id and fresh_row.position > coalesce((
         select newest.last_position from log_segments newest where newest.org_id = heads.org_id
         order by newest.last_position desc limit 1
       ), 0)
       order by fresh_row.position limit 1
     ) fresh on true
     order by heads.org_id`,
    [afterOrgId, count],
  );
}

const LAST_HASH = 'substring(hashes from octet_length(hashes) - 31 for 32)';

/** Finds the last event of those of the first `count` segments whose events were all persisted before a time. */
export async function findSegmentPrefixEnd(
  connection: LogConnection,
  orgId: OrgId,
  before: Date,
  count: number,
): Promise<ChainPlace | null> {
  const [row] = await rowsOf<{ position: string | number; hash: Buffer }>(
    connection,
    `select last_position as position, ${LAST_HASH} as hash from (
       select last_position, hashes,
         bool_and(last_persisted_at < $2::timestamptz) over (order by last_position) as is_over
       from (
         select last_position, hashes, last_persisted_at from log_segments where org_id = $1
         order by last_position limit $3::integer
       ) first
     ) prefix where is_over order by last_position desc limit 1`,
    [orgId, before.toISOString(), count],
  );
  return row === undefined ? null : { position: Number(row.position), hash: row.hash };
}

export interface DeletedSegments {
  readonly segments: number;
  readonly events: number;
  /** The hash of the last deleted event. It is null if that event is not at the given position. */
  readonly hash: Buffer | null;
  /** Whether every segment up to the position was deleted. */
  readonly isPrefix: boolean;
}

/** Deletes the segments up to a position whose events were all persisted before a time. */
export async function deleteSegmentPrefix(
  connection: LogConnection,
  orgId: OrgId,
  upTo: number,
  before: Date,
): Promise<DeletedSegments> {
  const [row] = await rowsOf<DeletedSegments>(
    connection,
    `with gone as (
       delete from log_segments
       where org_id = $1 and last_position <= $2::bigint and last_persisted_at < $3::timestamptz
       returning last_position, events, ${LAST_HASH} as hash
     )
     select count(*)::integer as segments, coalesce(sum(events), 0)::integer as events,
       (select hash from gone where last_position = $2::bigint) as hash,
       count(*) = (select count(*) from log_segments where org_id = $1 and last_position <= $2::bigint) as "isPrefix"
     from gone`,
    [orgId, upTo, before.toISOString()],
  );
  return row ?? { segments: 0, events: 0, hash: null, isPrefix: false };
}

/**
 * Cross-org: tests whether segments are left whose events are before the places at which the orgs' logs would begin.
 * The sealer may have written them after the places were found.
 */
export async function areSegmentsLeft(
  connection: LogConnection,
  starts: readonly { readonly orgId: OrgId; readonly position: number }[],
): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(
    connection,
    `select exists (
       select from unnest($1::text[], $2::bigint[]) as start (org_id, position)
       join log_segments segment on segment.org_id = start.org_id and segment.last_position <= start.position
     ) as found`,
    [starts.map(({ orgId }) => orgId), starts.map(({ position }) => position)],
  );
  return row?.found === true;
}

/** Tests whether an org has rows that are older than its fresh ones. */
export async function hasOlderRows(connection: LogConnection, orgId: OrgId): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(
    connection,
    `select (select position from log_unsealed where org_id = $1 order by position limit 1)
       < (select position from log_fresh where org_id = $1 order by position limit 1) as found`,
    [orgId],
  );
  return row?.found === true;
}
