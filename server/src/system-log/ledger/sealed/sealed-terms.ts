import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { PART_EVENTS } from '../segments/bodies/bodies.ts';
import { DamagedSegmentError, END_BYTES, pieceRange } from '../segments/bytes.ts';
import { allTerms, checkLengths } from '../segments/read-segment.ts';
import type { OpenSegment } from './open-segment.ts';
import { readLengths, readSlices, type Slice } from './segment-store.ts';

/** The largest size of a segment's postings that a verifier reads. Usual ones take about a tenth of it. */
const MAXIMUM_BYTES = 256_000_000;
/** The postings are read in slices of this length, because a slice takes several times its length on the way. */
const SLICE_BYTES = 8_000_000;

/** Reads a whole byte string of a segment, whose length is known. */
async function readWhole(connection: LogConnection, orgId: OrgId, whole: Omit<Slice, 'start'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < whole.length; start += SLICE_BYTES) {
    const length = Math.min(SLICE_BYTES, whole.length - start);
    pieces.push(...(await readSlices(connection, orgId, [{ ...whole, start, length }])));
  }
  return Buffer.concat(pieces);
}

async function readTerms(connection: LogConnection, orgId: OrgId, { head, stored }: OpenSegment) {
  const { buckets, lastPosition } = stored;
  const parts = Math.ceil(head.count / PART_EVENTS);
  const lengths = await readLengths(connection, orgId, lastPosition);
  if (lengths.bucketEnds !== buckets * END_BYTES) throw new DamagedSegmentError('a table ends within an item');
  if (lengths.postings > MAXIMUM_BYTES) throw new DamagedSegmentError('the postings are too long');
  const [bucketEnds = Buffer.alloc(0), lastPart = Buffer.alloc(0)] = await readSlices(connection, orgId, [
    { lastPosition, field: 'bucket_ends', start: 0, length: lengths.bucketEnds },
    { lastPosition, field: 'part_ends', start: (parts - 1) * END_BYTES, length: END_BYTES },
  ]);
  const ends = { bodies: pieceRange(lastPart, 0).end, postings: pieceRange(bucketEnds, buckets - 1).end };
  checkLengths(head, lengths, ends);
  const length = lengths.postings;
  const postings = await readWhole(connection, orgId, { lastPosition, field: 'postings', length });
  return allTerms({ bucketEnds, postings }, head.count);
}

/**
 * Reads the search terms of all events of a segment for its verification, which includes the lengths of its strings.
 * Keeps those of the last segment, which several pages need.
 */
export class SealedTerms {
  #last: { readonly lastPosition: number; readonly head: Buffer; readonly terms: readonly Int32Array[] } | null = null;

  async of(connection: LogConnection, orgId: OrgId, segment: OpenSegment): Promise<readonly Int32Array[]> {
    const { head, lastPosition } = segment.stored;
    // An erasure changes the head, because it names each erased event.
    if (this.#last?.lastPosition === lastPosition && this.#last.head.equals(head)) return this.#last.terms;
    const terms = await readTerms(connection, orgId, segment);
    this.#last = { lastPosition, head, terms };
    return terms;
  }
}
