import type { OrgId } from '../../kernel/words/ids.ts';
import { SEALING_FACT, type SealingState } from '../../platform/operations/sealing-state.ts';
import { type LogConnection, rowsOf } from '../relay/connections.ts';
import type { FoundOrg } from './due.ts';
import type { Walk } from './walk.ts';

export interface OrgPage {
  /** The active orgs of the page. */
  readonly orgs: readonly FoundOrg[];
  /** The last org of the page, or null if the page is the last one. */
  readonly lastOrgId: OrgId | null;
  /** The time of the database. */
  readonly now: Date | null;
}

const PAGE = `select heads.org_id as "orgId", orgs.id is not null as "isActive", clock_timestamp() as now
  from (select org_id from log_heads where org_id > $1 order by org_id limit $2::integer) heads
  left join orgs on orgs.id = heads.org_id and orgs.status = 'ACTIVE'
  order by heads.org_id`;

interface PageRow {
  readonly orgId: OrgId;
  readonly isActive: boolean;
  readonly now: Date;
}

const UNSEALED = `select heads.position as head, place.position as sealed, oldest.persisted_at as "oldestAt",
    segment.last_persisted_at as "sealedAt"
  from log_heads heads
  left join lateral (
    select last_position, last_persisted_at from log_segments where org_id = $1 order by last_position desc limit 1
  ) segment on true
  cross join lateral (
    select greatest(coalesce(segment.last_position, 0), coalesce((
      select anchor.position from log_anchors anchor where anchor.org_id = $1 order by anchor.position desc limit 1
    ), 0)) as position
  ) place
  left join lateral (
    select unsealed.persisted_at from log_unsealed unsealed
    where unsealed.org_id = $1 and heads.position > place.position
      and unsealed.position > place.position and unsealed.position <= heads.position
      and unsealed.persisted_at >= coalesce(segment.last_persisted_at, '-infinity')
    order by unsealed.position limit 1
  ) oldest on true
  where heads.org_id = $1`;

interface HeadRow {
  readonly head: string | number;
  readonly sealed: string | number;
  readonly oldestAt: Date | number | null;
  readonly sealedAt: Date | null;
}

/**
 * Cross-org: finds what is not sealed in the logs of up to `count` orgs, in order of org id, starting after
 * `afterOrgId`. The oldest event is searched behind the last sealed one, past the rows that sealing has deleted, and
 * not in the partitions of earlier weeks. The orgs are looked at one by one, in statements that are sent together,
 * because each is on a shard of its own in a Citus cluster.
 */
export async function findUnsealed(connection: LogConnection, afterOrgId: string, count: number): Promise<OrgPage> {
  const rows = await rowsOf<PageRow>(connection, PAGE, [afterOrgId, count], 'sealer_org_page');
  const active = rows.filter(({ isActive }) => isActive);
  const found = await Promise.all(active.map(({ orgId }) => findUnsealedOfOrg(connection, orgId)));
  return {
    orgs: found.flat(),
    lastOrgId: rows.length < count ? null : (rows.at(-1)?.orgId ?? null),
    now: rows[0]?.now ?? null,
  };
}

async function findUnsealedOfOrg(connection: LogConnection, orgId: OrgId): Promise<readonly FoundOrg[]> {
  const rows = await rowsOf<HeadRow>(connection, UNSEALED, [orgId], 'sealer_unsealed');
  return rows.map(({ head, oldestAt, sealed, sealedAt }) => ({
    orgId,
    head: Number(head),
    sealed: Number(sealed),
    // The driver gives `infinity` as a number. The sealer reads the row, and reports the fault.
    oldestAt: oldestAt instanceof Date ? oldestAt : null,
    sealedAt,
  }));
}

/** Cross-org: finds the first org after another one. It is read alone where a page of orgs cannot be read. */
export async function findNextOrg(connection: LogConnection, afterOrgId: string): Promise<OrgId | null> {
  const [row] = await rowsOf<{ orgId: OrgId }>(
    connection,
    'select org_id as "orgId" from log_heads where org_id > $1 order by org_id limit 1',
    [afterOrgId],
  );
  return row?.orgId ?? null;
}

/** The row that is stored about sealing. A walk has a time if it is not at its beginning. */
interface StoredState extends SealingState {
  readonly walk?: Walk & { readonly restsSince?: string };
}

interface StoredWalk {
  readonly walk: Walk;
  /** For how long no process has gone on with the walk, by the database's clock. */
  readonly restedSeconds: number;
}

/** The time after which an installation in which no walk was ever whole counts as late. */
const FIRST_WALK = '1 hour';

/**
 * Reads the walk that the last run has left. Before the first one, stores a first state, so that sealing which never
 * gets through all orgs is noticed.
 */
export async function beginRun(connection: LogConnection): Promise<StoredWalk | null> {
  const [row] = await rowsOf<{ value: string; now: Date }>(
    connection,
    `with first as (
       insert into installation (name, value)
       values ($1, jsonb_build_object('unsealed', 0, 'blockedOrgs', 0,
         'dueAt', clock_timestamp() + $2::interval)::text)
       on conflict (name) do nothing returning value
     )
     select value, clock_timestamp() as now
     from (select value from first union all select value from installation where name = $1) stored limit 1`,
    [SEALING_FACT, FIRST_WALK],
  );
  const { walk } = row === undefined ? {} : (JSON.parse(row.value) as Partial<StoredState>);
  if (row === undefined || walk === undefined) return null;
  const { restsSince, ...rest } = walk;
  const restedSeconds = restsSince === undefined ? 0 : (row.now.getTime() - Date.parse(restsSince)) / 1_000;
  return { walk: rest, restedSeconds };
}

/** Stores the place of a walk that is not over. */
export async function noteWalk(connection: LogConnection, walk: Walk): Promise<void> {
  await connection.query(
    `update installation set value = (value::jsonb || jsonb_build_object('walk',
       $2::jsonb || jsonb_build_object('restsSince', clock_timestamp())))::text
     where name = $1`,
    [SEALING_FACT, JSON.stringify(walk)],
  );
}

/** Stores the state for the metrics and `gatehouse doctor`, and the walk that comes next. */
export async function noteSealingState(connection: LogConnection, state: SealingState, walk: Walk): Promise<void> {
  await connection.query(
    `insert into installation (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [SEALING_FACT, JSON.stringify({ ...state, walk } satisfies StoredState)],
  );
}
