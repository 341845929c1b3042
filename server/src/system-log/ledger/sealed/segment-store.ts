import type { OrgId } from '../../../kernel/words/ids.ts';
import { type LogConnection, rowsOf } from '../../relay/connections.ts';
import { DamagedSegmentError } from '../segments/bytes.ts';

/** A segment without its long byte strings. All times are in microseconds. */
export interface StoredSegment {
  readonly lastPosition: number;
  readonly firstPosition: number;
  readonly events: number;
  readonly firstPublished: number;
  readonly lastPublished: number;
  readonly firstPersistedAt: number;
  readonly lastPersistedAt: number;
  readonly head: Buffer;
  /** The number of buckets into which the postings are divided. */
  readonly buckets: number;
}

type Row = { readonly [Column in Exclude<keyof StoredSegment, 'head'>]: string | number } & { readonly head: Buffer };

const microseconds = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint`;

const COLUMNS = `last_position as "lastPosition", first_position as "firstPosition", events, head,
  octet_length(bucket_ends) / 4 as buckets, ${microseconds('first_published')} as "firstPublished",
  ${microseconds('last_published')} as "lastPublished", ${microseconds('first_persisted_at')} as "firstPersistedAt",
  ${microseconds('last_persisted_at')} as "lastPersistedAt"`;

const storedOf = (row: Row): StoredSegment => ({
  lastPosition: Number(row.lastPosition),
  firstPosition: Number(row.firstPosition),
  events: Number(row.events),
  firstPublished: Number(row.firstPublished),
  lastPublished: Number(row.lastPublished),
  firstPersistedAt: Number(row.firstPersistedAt),
  lastPersistedAt: Number(row.lastPersistedAt),
  head: row.head,
  buckets: Number(row.buckets),
});

/** Returns the first position of the first segment that has events behind a position. */
export async function findSealedBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
): Promise<number | null> {
  const [row] = await rowsOf<{ position: string | number }>(
    connection,
    `select first_position as position from log_segments where org_id = $1 and last_position > $2::bigint
     order by last_position limit 1`,
    [orgId, position],
    'log_sealed_behind',
  );
  return row === undefined ? null : Number(row.position);
}

/** Finds the next segments with events behind a position, in order. */
export async function findSegmentsBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  limit: number,
): Promise<StoredSegment[]> {
  const rows = await rowsOf<Row>(
    connection,
    `select ${COLUMNS} from log_segments where org_id = $1 and last_position > $2::bigint
     order by last_position limit $3::integer`,
    [orgId, position, limit],
  );
  return rows.map(storedOf);
}

/** Bounds of segments that may have certain events. All bounds are inclusive, and times are in microseconds. */
export interface SegmentBounds {
  readonly after: number;
  readonly upTo: number;
  readonly publishedFrom: number;
  readonly publishedTo: number;
  readonly persistedFrom: number;
}

export type SegmentOrder = 'position' | 'published' | 'published descending';

/** The order in which the first event of a segment can come, and the place from which a later read goes on. */
const ORDERS: Readonly<Record<SegmentOrder, { readonly by: string; readonly behind: string }>> = {
  position: { by: 'last_position', behind: 'last_position > $8::bigint' },
  published: {
    by: 'first_published, last_position',
    behind: `(${microseconds('first_published')}, last_position) > ($7::bigint, $8::bigint)`,
  },
  'published descending': {
    by: 'last_published desc, last_position desc',
    behind: `(${microseconds('last_published')}, last_position) < ($7::bigint, $8::bigint)`,
  },
};

const instant = (parameter: string): string => `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;

/** Finds the next segments that may have events within the bounds, in the given order, after `last`. */
export async function findSegmentsWithin(
  connection: LogConnection,
  orgId: OrgId,
  bounds: SegmentBounds,
  { last, limit, order }: { readonly order: SegmentOrder; readonly last: StoredSegment | null; readonly limit: number },
): Promise<StoredSegment[]> {
  const { behind, by } = ORDERS[order];
  const key = order === 'published descending' ? last?.lastPublished : last?.firstPublished;
  const rows = await rowsOf<Row>(
    connection,
    `select ${COLUMNS} from log_segments
     where org_id = $1 and last_position > $2::bigint and first_position <= $3::bigint
       and last_published >= ${instant('$4')} and first_published <= ${instant('$5')}
       and last_persisted_at >= ${instant('$6')} and ($8::bigint is null or $7::bigint is null or ${behind})
     order by ${by} limit $9::integer`,
    [
      orgId,
      bounds.after,
      bounds.upTo,
      bounds.publishedFrom,
      bounds.publishedTo,
      bounds.persistedFrom,
      key ?? null,
      last?.lastPosition ?? null,
      limit,
    ],
  );
  return rows.map(storedOf);
}

const SLICED = [
  'published',
  'persisted',
  'kinds',
  'salts',
  'hashes',
  'bodies',
  'part_ends',
  'postings',
  'bucket_ends',
] as const;

/** A byte string of a segment of which readers need only slices. */
export type SegmentField = (typeof SLICED)[number];

export interface Slice {
  /** The last position of the segment. */
  readonly lastPosition: number;
  readonly field: SegmentField;
  readonly start: number;
  readonly length: number;
}

// The lateral subselect has `offset 0`, so that the planner reads each segment by its key and never joins whole tables.
const SLICES = `select case slice.field
    ${SLICED.map((field) => `when '${field}' then substring(segment.${field} from slice.start + 1 for slice.length)`).join('\n    ')}
    end as bytes
  from unnest($2::bigint[], $3::text[], $4::integer[], $5::integer[])
    with ordinality as slice (last_position, field, start, length, number)
  left join lateral (
    select * from log_segments where org_id = $1 and last_position = slice.last_position offset 0
  ) segment on true
  order by slice.number`;

/** PostgreSQL stores no longer value. */
const LONGEST_VALUE = 2 ** 30;

/** Reads slices of segments, in the given order. */
export async function readSlices(
  connection: LogConnection,
  orgId: OrgId,
  slices: readonly Slice[],
): Promise<readonly Buffer[]> {
  if (slices.length === 0) return [];
  if (slices.some(({ length, start }) => start + length > LONGEST_VALUE)) {
    throw new DamagedSegmentError('a slice of a segment ends beyond it');
  }
  const rows = await rowsOf<{ bytes: Buffer | null }>(connection, SLICES, [
    orgId,
    slices.map(({ lastPosition }) => lastPosition),
    slices.map(({ field }) => field),
    slices.map(({ start }) => start),
    slices.map(({ length }) => length),
  ]);
  return rows.map(({ bytes }, index) => {
    if (bytes === null || bytes.length !== slices[index]?.length)
      throw new DamagedSegmentError('a slice of a segment is missing');
    return bytes;
  });
}
