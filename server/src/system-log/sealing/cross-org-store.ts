import type { OrgId } from '../../kernel/words/ids.ts';
import { SEALING_FACT, type SealingState } from '../../platform/operations/sealing-state.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import type { UnsealedOrg } from './due.ts';

export interface OrgPage {
  /** The active orgs of the page. */
  readonly orgs: readonly UnsealedOrg[];
  /** The last org of the page, or null if the page is the last one. */
  readonly lastOrgId: OrgId | null;
  /** The time of the database. */
  readonly now: Date | null;
}

interface HeadRow {
  readonly orgId: OrgId;
  readonly head: string | number;
  readonly sealed: string | number;
  readonly oldestAt: Date | null;
  readonly isActive: boolean;
  readonly now: Date;
}

/**
 * Cross-org: finds what is not sealed in the logs of up to `count` orgs, in order of org id, starting after
 * `afterOrgId`. The oldest event is searched behind the last sealed one, past the rows that sealing has deleted, and
 * not in the partitions of earlier weeks.
 */
export async function findUnsealed(connection: LogConnection, afterOrgId: string, count: number): Promise<OrgPage> {
  const rows = await rowsOf<HeadRow>(
    connection,
    `select heads.org_id as "orgId", heads.position as head, place.position as sealed,
       orgs.id is not null as "isActive", oldest.persisted_at as "oldestAt", clock_timestamp() as now
     from (select org_id, position from log_heads where org_id > $1 order by org_id limit $2::integer) heads
     left join orgs on orgs.id = heads.org_id and orgs.status = 'ACTIVE'
     left join lateral (
       select last_position, last_persisted_at from log_segments where org_id = heads.org_id
       order by last_position desc limit 1
     ) segment on true
     cross join lateral (
       select greatest(coalesce(segment.last_position, 0), coalesce((
         select anchor.position from log_anchors anchor where anchor.org_id = heads.org_id
         order by anchor.position desc limit 1
       ), 0)) as position
     ) place
     left join lateral (
       select unsealed.persisted_at from log_unsealed unsealed
       where unsealed.org_id = heads.org_id and heads.position > place.position
         and unsealed.position > place.position and unsealed.position <= heads.position
         and unsealed.persisted_at >= coalesce(segment.last_persisted_at, '-infinity')
       order by unsealed.position limit 1
     ) oldest on true
     order by heads.org_id`,
    [afterOrgId, count],
  );
  return {
    orgs: rows
      .filter(({ isActive }) => isActive)
      .map(({ head, oldestAt, orgId, sealed }) => ({ orgId, head: Number(head), sealed: Number(sealed), oldestAt })),
    lastOrgId: rows.length < count ? null : (rows.at(-1)?.orgId ?? null),
    now: rows[0]?.now ?? null,
  };
}

/** Stores the state for the metrics and `gatehouse doctor`. */
export async function noteSealingState(connection: LogConnection, state: SealingState): Promise<void> {
  await connection.query(
    `insert into installation (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [SEALING_FACT, JSON.stringify(state)],
  );
}
