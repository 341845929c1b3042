import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { END_BYTES, pieceRange } from '../segments/bytes.ts';
import type { OrdinalSet } from '../segments/postings/ordinal-set.ts';
import { bucketOf, lookUpTerm } from '../segments/postings/postings.ts';
import type { OpenSegment } from './open-segment.ts';
import { readSlices, type Slice } from './segment-store.ts';

/** Looks up a search term in a segment. */
export type LookUp = (term: number) => OrdinalSet;

interface BucketPlace {
  readonly segment: OpenSegment;
  readonly bucket: number;
}

const keyOf = ({ bucket, segment }: BucketPlace): string => `${segment.stored.lastPosition} ${bucket}`;

/** Returns the slices of the tables that say where the buckets begin and end. */
function endsSlice({ bucket, segment }: BucketPlace): Slice {
  const first = Math.max(0, bucket - 1);
  const { lastPosition } = segment.stored;
  return { lastPosition, field: 'bucket_ends', start: first * END_BYTES, length: (bucket + 1 - first) * END_BYTES };
}

/** Reads the postings of some terms in some segments, with two statements. */
export async function readPostings(
  connection: LogConnection,
  orgId: OrgId,
  segments: readonly OpenSegment[],
  terms: readonly number[],
): Promise<(segment: OpenSegment) => LookUp> {
  const places = new Map<string, BucketPlace>();
  for (const segment of segments) {
    for (const term of terms) {
      const place = { segment, bucket: bucketOf(term, segment.stored.buckets) };
      places.set(keyOf(place), place);
    }
  }
  const wanted = [...places.values()];
  const ends = await readSlices(connection, orgId, wanted.map(endsSlice));
  const slices = wanted.map(({ bucket, segment }, index): Slice => {
    const { end, start } = pieceRange(ends[index] ?? Buffer.alloc(0), Math.min(bucket, 1));
    return { lastPosition: segment.stored.lastPosition, field: 'postings', start, length: end - start };
  });
  const buckets = await readSlices(connection, orgId, slices);
  const bytes = new Map(wanted.map((place, index) => [keyOf(place), buckets[index] ?? Buffer.alloc(0)]));
  return (segment) => (term) => {
    const count = segment.stored.buckets;
    const bucket = bytes.get(keyOf({ segment, bucket: bucketOf(term, count) })) ?? Buffer.alloc(0);
    return lookUpTerm(bucket, term, count, segment.head.count);
  };
}
