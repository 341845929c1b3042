import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { DamagedSegmentError, END_BYTES, pieceRange } from '../segments/bytes.ts';
import { OrdinalSet } from '../segments/postings/ordinal-set.ts';
import { bucketOf, lookUpTerm } from '../segments/postings/postings.ts';
import type { OpenSegment } from './open-segment.ts';
import { readSlices, type Slice } from './segment-store.ts';

/** Looks up a search term in a segment. */
export type LookUp = (term: number) => OrdinalSet;

/** The most look-ups of a term in a segment that a caller may ask for at once, unless it asks for a single segment. */
export const LOOK_UPS_AT_ONCE = 2_000;

/** The size of the buckets that are held at once. Each bucket is dropped when its terms have been looked up. */
const BUCKETS_AT_ONCE_BYTES = 4_000_000;
/** The largest bucket that a reader fetches. A usual one has 512 terms, none of which takes more than 4,096 bytes. */
const MAXIMUM_BUCKET_BYTES = 16_000_000;

/** A bucket that contains some of the wanted terms. */
interface WantedBucket {
  readonly segment: OpenSegment;
  readonly bucket: number;
  readonly terms: number[];
}

interface PlacedBucket extends WantedBucket {
  readonly slice: Slice;
}

function bucketsWanted(segment: OpenSegment, terms: ReadonlySet<number>): WantedBucket[] {
  const wanted = new Map<number, WantedBucket>();
  for (const term of terms) {
    const bucket = bucketOf(term, segment.stored.buckets);
    const place = wanted.get(bucket) ?? { segment, bucket, terms: [] };
    place.terms.push(term);
    wanted.set(bucket, place);
  }
  return [...wanted.values()];
}

/** Returns the slices of the tables that say where the buckets begin and end. */
function endsSlice({ bucket, segment }: WantedBucket): Slice {
  const first = Math.max(0, bucket - 1);
  const { lastPosition } = segment.stored;
  return { lastPosition, field: 'bucket_ends', start: first * END_BYTES, length: (bucket + 1 - first) * END_BYTES };
}

function placed(wanted: WantedBucket, ends: Buffer | undefined): PlacedBucket {
  const { end, start } = pieceRange(ends ?? Buffer.alloc(0), Math.min(wanted.bucket, 1));
  if (end - start > MAXIMUM_BUCKET_BYTES) throw new DamagedSegmentError('a bucket of postings is too long');
  const { lastPosition } = wanted.segment.stored;
  return { ...wanted, slice: { lastPosition, field: 'postings', start, length: end - start } };
}

/** Divides buckets into portions of a limited size. A portion has at least one bucket. */
export function portionsOf<Bucket extends { readonly slice: Pick<Slice, 'length'> }>(
  buckets: readonly Bucket[],
  maximumBytes: number = BUCKETS_AT_ONCE_BYTES,
): Bucket[][] {
  const portions: Bucket[][] = [];
  let bytes = 0;
  for (const bucket of buckets) {
    const portion = portions.at(-1);
    bytes += bucket.slice.length;
    if (portion !== undefined && bytes <= maximumBytes) portion.push(bucket);
    else {
      portions.push([bucket]);
      bytes = bucket.slice.length;
    }
  }
  return portions;
}

/**
 * Reads the postings of some terms in some segments, with two statements unless the buckets are large. The caller
 * limits the number of look-ups (`LOOK_UPS_AT_ONCE`).
 */
export async function readPostings(
  connection: LogConnection,
  orgId: OrgId,
  segments: readonly OpenSegment[],
  terms: readonly number[],
): Promise<(segment: OpenSegment) => LookUp> {
  const distinct = new Set(terms);
  const wanted = segments.flatMap((segment) => bucketsWanted(segment, distinct));
  const ends = await readSlices(connection, orgId, wanted.map(endsSlice));
  const found = new Map(segments.map((segment) => [segment, new Map<number, OrdinalSet>()]));
  for (const portion of portionsOf(wanted.map((one, index) => placed(one, ends[index])))) {
    const buckets = await readSlices(
      connection,
      orgId,
      portion.map(({ slice }) => slice),
    );
    for (const [index, { segment, terms: sought }] of portion.entries()) {
      const bytes = buckets[index] ?? Buffer.alloc(0);
      for (const term of sought) {
        const set = lookUpTerm(bytes, term, segment.stored.buckets, segment.head.count);
        found.get(segment)?.set(term, set);
      }
    }
  }
  return (segment) => (term) => found.get(segment)?.get(term) ?? new OrdinalSet(segment.head.count);
}
