import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { LogQuery } from './query-parameters.ts';

export interface LogRow {
  readonly position: number;
  readonly published: Date;
  readonly persistedAt: Date;
  readonly body: string;
}

/** The place of an event, both in order of position and in order of `published`. */
export type Spot = Pick<LogRow, 'position' | 'published' | 'persistedAt'>;

export interface LogHead {
  readonly position: number;
  readonly persistedAt: Date;
}

/**
 * The beginning of a window: after an event, at a boundary, or at the start of the page (null). `seen` is the last
 * event that was found before the boundary.
 */
export type Beginning = { readonly behind: Spot } | { readonly at: number; readonly seen: Spot | null } | null;

/** The start and the end of an axis, as positions or as values of `published` in milliseconds. */
export interface RowEstimate {
  readonly start: number;
  readonly end: number;
}

export interface Axis {
  readonly order: RawBuilder<unknown>;
  readonly isByPublished: boolean;
  rowEstimate(head: LogHead): RowEstimate;
  /** Returns the conditions for a window. If `to` is null, the window ends with the axis. */
  between(beginning: Beginning, to: number | null): readonly RawBuilder<boolean>[];
}

const instant = (value: Date | number): RawBuilder<unknown> => sql`${new Date(value).toISOString()}::timestamptz`;

export interface BoundedPlace {
  readonly since: Date;
  /** The last event of the previous page. */
  readonly last: { readonly published: Date; readonly position: number } | null;
  /** The last position that a page may contain. Only the ascending order applies it. */
  readonly upTo?: number;
}

/** Both bounds hold, because no event is persisted before it is published. */
const notBefore = (from: Date | number): readonly RawBuilder<boolean>[] => [
  sql<boolean>`published >= ${instant(from)}`,
  sql<boolean>`persisted_at >= ${instant(from)}`,
];

/** `since` is inclusive, and `until` is exclusive. */
function risingAxis(orgId: OrgId, since: number, until: Date | null, { last, upTo }: BoundedPlace): Axis {
  const start = last?.published.getTime() ?? since;
  return {
    order: sql`published, position`,
    isByPublished: true,
    rowEstimate: ({ persistedAt }) => ({ start, end: Math.min(persistedAt.getTime(), until?.getTime() ?? Infinity) }),
    between: (beginning, to) => {
      const behind = beginning === null ? last : 'behind' in beginning ? beginning.behind : null;
      const from = beginning !== null && 'at' in beginning ? beginning.at : (behind?.published.getTime() ?? since);
      const before = to ?? until;
      return [
        sql<boolean>`org_id = ${orgId}`,
        ...notBefore(Math.max(from, since)),
        ...(before === null ? [] : [sql<boolean>`published < ${instant(before)}`]),
        ...(behind === null
          ? []
          : [sql<boolean>`(published, position) > (${instant(behind.published)}, ${behind.position}::bigint)`]),
        ...(upTo === undefined ? [] : [sql<boolean>`position <= ${upTo}::bigint`]),
      ];
    },
  };
}

/** `since` is inclusive, and `until` is exclusive. */
function fallingAxis(orgId: OrgId, since: number, until: Date | null, { last }: BoundedPlace): Axis {
  return {
    order: sql`published desc, position desc`,
    isByPublished: true,
    rowEstimate: ({ persistedAt }) => ({
      start: Math.min(persistedAt.getTime() + 1, until?.getTime() ?? Infinity, last?.published.getTime() ?? Infinity),
      end: since,
    }),
    between: (beginning, to) => {
      const behind = beginning === null ? last : 'behind' in beginning ? beginning.behind : null;
      const before = beginning !== null && 'at' in beginning ? beginning.at : until;
      return [
        sql<boolean>`org_id = ${orgId}`,
        ...notBefore(Math.max(to ?? since, since)),
        ...(before === null ? [] : [sql<boolean>`published < ${instant(before)}`]),
        // The comparison of the pair implies the bound on `published`, from which the planner can estimate the range.
        ...(behind === null
          ? []
          : [
              sql<boolean>`published <= ${instant(behind.published)}`,
              sql<boolean>`(published, position) < (${instant(behind.published)}, ${behind.position}::bigint)`,
            ]),
      ];
    },
  };
}

export function boundedAxis(orgId: OrgId, query: LogQuery, place: BoundedPlace): Axis {
  const since = Math.max(place.since.getTime(), query.windowStart.getTime());
  const axis = query.order === 'ascending' ? risingAxis : fallingAxis;
  return axis(orgId, since, query.until, place);
}

export interface PollingPlace {
  readonly position: number;
  /** Every event that the page may contain was persisted at this time or later. */
  readonly persistedAt: Date;
  /**
   * The `since` of a poll, for the first page of the poll. It is null for later pages, because the bound would exclude
   * events from a process whose clock is behind.
   */
  readonly publishedFrom: Date | null;
}

export const pollingAxis = (orgId: OrgId, query: LogQuery, place: PollingPlace): Axis => ({
  order: sql`position`,
  isByPublished: false,
  rowEstimate: (head) => ({ start: place.position, end: head.position }),
  between: (beginning, to) => {
    const spot = beginning === null ? place : 'behind' in beginning ? beginning.behind : (beginning.seen ?? place);
    const position = beginning !== null && 'at' in beginning ? beginning.at : spot.position;
    return [
      sql<boolean>`org_id = ${orgId}`,
      sql<boolean>`position > ${position}::bigint`,
      sql<boolean>`persisted_at >= ${instant(spot.persistedAt)}`,
      sql<boolean>`published >= ${instant(query.windowStart)}`,
      ...(place.publishedFrom === null ? [] : [sql<boolean>`published >= ${instant(place.publishedFrom)}`]),
      ...(to === null ? [] : [sql<boolean>`position <= ${to}::bigint`]),
    ];
  },
});
