import type { OrgId } from '../../../kernel/words/ids.ts';
import { integerArray } from '../../../platform/postgres/index.ts';
import { type LogConnection, rowsOf } from '../../relay/connections.ts';
import { DamagedSegmentError } from '../segments/bytes.ts';
import type { SegmentLengths } from '../segments/read-segment.ts';
import { asDamage, MissingSegmentError } from './damage.ts';

/**
 * A segment without its long byte strings. All times are in microseconds, and NaN if they are beyond those of all
 * segments. A position beyond the largest exact number is infinite. Only a damaged segment has such a value.
 */
export interface StoredSegment {
  readonly lastPosition: number;
  readonly firstPosition: number;
  readonly events: number;
  readonly firstPublished: number;
  readonly lastPublished: number;
  readonly firstPersistedAt: number;
  readonly lastPersistedAt: number;
  /** This is empty if the stored head is larger than any valid one. */
  readonly head: Buffer;
  /** The number of buckets into which the postings are divided. */
  readonly buckets: number;
}

type Row = { readonly [Column in Exclude<keyof StoredSegment, 'head'>]: string | number | null } & {
  readonly head: Buffer;
};

/** The head of a segment of erased events only has some 2 MB. */
const MAXIMUM_HEAD_BYTES = 4_000_000;
/** The heads of a list of segments take at most this many bytes, not counting the last one. A usual head has 0.3 kB. */
const HEADS_AT_ONCE_BYTES = 8_000_000;

/** Times beyond these, in seconds, are beyond those of all segments. */
const LARGEST_SECONDS = '4503599627.370496';

// A time beyond those of all segments, such as infinity, has no number. It is null instead.
const microseconds = (column: string): string =>
  `case when abs(extract(epoch from ${column})) < ${LARGEST_SECONDS}
     then (extract(epoch from ${column}) * 1000000)::bigint end`;

const COLUMNS = `last_position as "lastPosition", first_position as "firstPosition", events, head,
  octet_length(bucket_ends) / 4 as buckets, ${microseconds('first_published')} as "firstPublished",
  ${microseconds('last_published')} as "lastPublished", ${microseconds('first_persisted_at')} as "firstPersistedAt",
  ${microseconds('last_persisted_at')} as "lastPersistedAt"`;

/** Makes the statement that lists segments. Heads that are too large are not fetched, and large ones end the list. */
const listOf = (conditions: string, order: string, limit: string): string => `select ${COLUMNS} from (
    select *, sum(octet_length(head)) over (order by ${order}) - octet_length(head) as head_bytes_before
    from (
      select last_position, first_position, events, bucket_ends, first_published, last_published, first_persisted_at,
        last_persisted_at, case when octet_length(head) <= ${MAXIMUM_HEAD_BYTES} then head else '' end as head
      from log_segments where ${conditions} order by ${order} limit ${limit}::integer
    ) found
  ) listed where head_bytes_before < ${HEADS_AT_ONCE_BYTES} order by ${order}`;

/** Tests whether more segments may follow a list that was read with a limit. */
export const mayGoOn = (found: readonly StoredSegment[], limit: number): boolean =>
  found.length >= limit || found.reduce((sum, { head }) => sum + head.length, 0) >= HEADS_AT_ONCE_BYTES;

const exact = (value: string | number | null): number => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : Number.POSITIVE_INFINITY;
};

const timeOf = (value: string | number | null): number => (value === null ? Number.NaN : Number(value));

const storedOf = (row: Row): StoredSegment => ({
  lastPosition: exact(row.lastPosition),
  firstPosition: exact(row.firstPosition),
  events: Number(row.events),
  firstPublished: timeOf(row.firstPublished),
  lastPublished: timeOf(row.lastPublished),
  firstPersistedAt: timeOf(row.firstPersistedAt),
  lastPersistedAt: timeOf(row.lastPersistedAt),
  head: row.head,
  buckets: Number(row.buckets),
});

/**
 * Returns the condition that no segment belongs to a page. The first three parameters of its statement are the org and
 * the range of the page. The given parameter tells whether the page is read beside its segments, so that the condition
 * does not count. PostgreSQL decides it once, before it reads a row.
 */
export const withoutSegments = (isBeside: string): string => `(${isBeside}::boolean or not exists (
    select from log_segments where org_id = $1 and last_position > $2::bigint and first_position <= $3::bigint
  ))`;

interface SealedBehind {
  /** The first position of the first segment that has events behind the position. */
  readonly firstSealed: number | null;
  /** Whether events behind the position have left the ledger. */
  readonly hasLeft: boolean;
}

export async function lookBehind(connection: LogConnection, orgId: OrgId, position: number): Promise<SealedBehind> {
  const [row] = await rowsOf<{ first: string | number | null; hasLeft: boolean }>(
    connection,
    `select (
         select first_position from log_segments where org_id = $1 and last_position > $2::bigint
         order by last_position limit 1
       ) as first,
       exists (select from log_anchors where org_id = $1 and position > $2::bigint) as "hasLeft"`,
    [orgId, position],
    'log_sealed_behind',
  );
  const first = row?.first ?? null;
  return { firstSealed: first === null ? null : Number(first), hasLeft: row?.hasLeft === true };
}

/** Finds the next segments with events behind a position, in order. */
export async function findSegmentsBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  limit: number,
): Promise<StoredSegment[]> {
  const text = listOf('org_id = $1 and last_position > $2::bigint', 'last_position', '$3');
  const rows = await asDamage(() => rowsOf<Row>(connection, text, [orgId, position, limit], 'log_segments_behind'));
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
const ORDERS: Readonly<Record<SegmentOrder, { readonly name: string; readonly by: string; readonly behind: string }>> =
  {
    position: {
      name: 'log_segments_by_position',
      by: 'last_position',
      behind: 'last_position > $8::bigint',
    },
    published: {
      name: 'log_segments_rising',
      by: 'first_published, last_position',
      behind: `(${microseconds('first_published')}, last_position) > ($7::bigint, $8::bigint)`,
    },
    'published descending': {
      name: 'log_segments_falling',
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
  const { behind, by, name } = ORDERS[order];
  const key = order === 'published descending' ? last?.lastPublished : last?.firstPublished;
  const conditions = `org_id = $1 and last_position > $2::bigint and first_position <= $3::bigint
       and last_published >= ${instant('$4')} and first_published <= ${instant('$5')}
       and last_persisted_at >= ${instant('$6')} and ($8::bigint is null or $7::bigint is null or ${behind})`;
  const values = [
    orgId,
    bounds.after,
    bounds.upTo,
    bounds.publishedFrom,
    bounds.publishedTo,
    bounds.persistedFrom,
    key ?? null,
    last?.lastPosition ?? null,
    limit,
  ];
  const rows = await asDamage(() => rowsOf<Row>(connection, listOf(conditions, by, '$9'), values, name));
  return rows.map(storedOf);
}

/** Reads the lengths of a segment's byte strings. PostgreSQL knows them without reading the strings. */
export async function readLengths(
  connection: LogConnection,
  orgId: OrgId,
  lastPosition: number,
): Promise<SegmentLengths & { readonly bucketEnds: number }> {
  const [row] = await asDamage(() =>
    rowsOf<SegmentLengths & { readonly bucketEnds: number }>(
      connection,
      `select octet_length(published) as published, octet_length(persisted) as persisted, octet_length(kinds) as kinds,
         octet_length(salts) as salts, octet_length(hashes) as hashes, octet_length(bodies) as bodies,
         octet_length(part_ends) as "partEnds", octet_length(postings) as postings,
         octet_length(bucket_ends) as "bucketEnds"
       from log_segments where org_id = $1 and last_position = $2::bigint`,
      [orgId, lastPosition],
    ),
  );
  if (row === undefined) throw new MissingSegmentError('a segment has left the ledger');
  return row;
}

/** The byte strings of which readers need only slices. A statement names them by their places in this list. */
export const SLICED = [
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

export type SegmentField = (typeof SLICED)[number];

export interface Slice {
  /** The last position of the segment. */
  readonly lastPosition: number;
  readonly field: SegmentField;
  readonly start: number;
  readonly length: number;
}

const cutOut = (field: SegmentField, index: number): string =>
  `when ${index} then substring(segment.${field} from slice.start + 1 for slice.length)`;

// Each segment is looked up once for its slices, which are items of the last three parameters. The lateral subselect
// has `offset 0`, so that the planner reads each segment by its key and never joins whole tables.
const SLICES = `select case slice.field
    ${SLICED.map(cutOut).join('\n    ')}
    end as bytes
  from unnest($2::bigint[], $3::integer[], $4::integer[])
    with ordinality as of_segment (last_position, first, last, number)
  left join lateral (
    select * from log_segments where org_id = $1 and last_position = of_segment.last_position offset 0
  ) segment on true
  cross join lateral unnest(
    ($5::integer[])[of_segment.first:of_segment.last], ($6::integer[])[of_segment.first:of_segment.last],
    ($7::integer[])[of_segment.first:of_segment.last]
  ) with ordinality as slice (field, start, length, number)
  order by of_segment.number, slice.number`;

const FIELD_NUMBERS: ReadonlyMap<SegmentField, number> = new Map(SLICED.map((field, index) => [field, index]));

/** PostgreSQL stores no longer value. */
const LONGEST_VALUE = 2 ** 30;
/** A slice travels as text of twice its length, and a longer text than 512 MB would end the process. */
const LONGEST_SLICE = 100_000_000;

/** Reads slices of segments, in the given order. Slices of a segment that follow one another cost least. */
export async function readSlices(
  connection: LogConnection,
  orgId: OrgId,
  slices: readonly Slice[],
): Promise<readonly Buffer[]> {
  if (slices.length === 0) return [];
  if (slices.some(({ length, start }) => length > LONGEST_SLICE || start + length > LONGEST_VALUE)) {
    throw new DamagedSegmentError('a slice of a segment ends beyond it');
  }
  const firsts = slices.flatMap(({ lastPosition }, index) =>
    lastPosition === slices[index - 1]?.lastPosition ? [] : [index],
  );
  const numbers = (valueOf: (slice: Slice) => number): Buffer => integerArray(Int32Array.from(slices, valueOf));
  const values = [
    orgId,
    firsts.map((first) => slices[first]?.lastPosition),
    integerArray(Int32Array.from(firsts, (first) => first + 1)),
    integerArray(Int32Array.from(firsts, (_, index) => firsts[index + 1] ?? slices.length)),
    numbers(({ field }) => FIELD_NUMBERS.get(field) ?? -1),
    numbers(({ start }) => start),
    numbers(({ length }) => length),
  ];
  const rows = await asDamage(() => rowsOf<{ bytes: Buffer | null }>(connection, SLICES, values, 'log_slices'));
  return rows.map(({ bytes }, index) => {
    // No string of a segment is null, so the segment itself is gone.
    if (bytes === null) throw new MissingSegmentError('a segment has left the ledger');
    if (bytes.length !== slices[index]?.length) throw new DamagedSegmentError('a slice of a segment is missing');
    return bytes;
  });
}
