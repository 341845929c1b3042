import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { DamagedSegmentError, END_BYTES, pieceRange } from '../segments/bytes.ts';
import { allTerms } from '../segments/read-segment.ts';
import type { OpenSegment } from './open-segment.ts';
import { readSlices } from './segment-store.ts';

/** The largest size of a segment's postings that a verifier reads. Usual ones take about a tenth of it. */
const MAXIMUM_BYTES = 256_000_000;

async function readTerms(connection: LogConnection, orgId: OrgId, { head, stored }: OpenSegment) {
  const { buckets, lastPosition } = stored;
  const length = buckets * END_BYTES;
  const [bucketEnds] = await readSlices(connection, orgId, [{ lastPosition, field: 'bucket_ends', start: 0, length }]);
  const { end } = pieceRange(bucketEnds ?? Buffer.alloc(0), buckets - 1);
  if (end > MAXIMUM_BYTES) throw new DamagedSegmentError('the postings are too long');
  const [postings] = await readSlices(connection, orgId, [{ lastPosition, field: 'postings', start: 0, length: end }]);
  return allTerms({ bucketEnds: bucketEnds ?? Buffer.alloc(0), postings: postings ?? Buffer.alloc(0) }, head.count);
}

/** Reads the search terms of all events of a segment. Keeps those of the last segment, which several pages need. */
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
