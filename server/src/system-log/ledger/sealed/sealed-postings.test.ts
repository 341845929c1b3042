import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection, LogResult } from '../../relay/connections.ts';
import { DamagedSegmentError, END_BYTES } from '../segments/bytes.ts';
import { SegmentWriter } from '../segments/segment.ts';
import { OpenSegment } from './open-segment.ts';
import { portionsOf, readPostings } from './sealed-postings.ts';

const orgId = toOrgId('00oaaaaaaaaaaaaaaaaa');
const HASH = Buffer.alloc(32, 9);
const BUCKETS = 16;
const EVENTS = 9;

const spread = (number: number): number => (number * 0x9e3779b1) | 0;

/** A segment whose terms are spread over `BUCKETS` buckets. */
function encodedSegment() {
  const writer = new SegmentWriter(HASH);
  for (let ordinal = 0; ordinal < EVENTS; ordinal += 1) {
    const numbers = Array.from({ length: Math.ceil((500 * BUCKETS) / EVENTS) }, (_, index) => spread(index * EVENTS + ordinal));
    writer.add({
      position: ordinal + 1,
      persistedAt: 0,
      published: 0,
      eventType: 'user.session.start',
      severity: 'INFO',
      outcomeResult: null,
      body: Buffer.from('{}'),
      salt: HASH,
      hash: HASH,
      terms: Int32Array.from(new Set(numbers)).sort(),
      kept: null,
    });
  }
  return writer.finish();
}

const ENCODED = encodedSegment();

const segmentOf = (lastPosition: number): OpenSegment =>
  new OpenSegment({
    lastPosition,
    firstPosition: lastPosition - EVENTS + 1,
    events: EVENTS,
    firstPublished: 0,
    lastPublished: 0,
    firstPersistedAt: 0,
    lastPersistedAt: 0,
    head: ENCODED.head,
    buckets: ENCODED.bucketEnds.length / END_BYTES,
  });

/** A connection that answers with slices of the segment, and notes the bytes of each answer. */
class SliceConnection implements LogConnection {
  readonly bytes: number[] = [];
  readonly #strings: Readonly<Record<string, Buffer>>;

  constructor(bucketEnds = ENCODED.bucketEnds) {
    this.#strings = { bucket_ends: bucketEnds, postings: ENCODED.postings };
  }

  async query(_: string, values: readonly unknown[] = []): Promise<LogResult> {
    const [, , fields, starts, lengths] = values as [string, number[], string[], number[], number[]];
    const rows = fields.map((field, index) => {
      const start = starts[index] ?? 0;
      return { bytes: this.#strings[field]?.subarray(start, start + (lengths[index] ?? 0)) };
    });
    this.bytes.push(rows.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0));
    return { rows, command: '' };
  }
}

test('terms of several segments are found with two statements', async () => {
  const connection = new SliceConnection();
  const segments = [segmentOf(EVENTS), segmentOf(2 * EVENTS)];
  const terms = [spread(0), spread(EVENTS + 4), spread(EVENTS + 4), spread(9_999_999)];
  const lookUpIn = await readPostings(connection, orgId, segments, terms);
  for (const segment of segments) {
    const found = terms.map((term) => lookUpIn(segment)(term).ordinals());
    expect(found).toEqual([[0], [4], [4], []]);
  }
  expect(connection.bytes).toHaveLength(2);
});

test('a segment with fewer buckets than terms is read once', async () => {
  const connection = new SliceConnection();
  const terms = Array.from({ length: 500 }, (_, index) => spread(index));
  const segment = segmentOf(EVENTS);
  const lookUpIn = await readPostings(connection, orgId, [segment], terms);
  expect(segment.stored.buckets).toBe(BUCKETS);
  expect(terms.map((term) => lookUpIn(segment)(term).ordinals())).toEqual(terms.map((_, index) => [index % EVENTS]));
  expect(connection.bytes.at(-1)).toBe(ENCODED.postings.length);
});

describe('buckets', () => {
  const buckets = [3, 3, 9, 1, 1, 1].map((length) => ({ slice: { length } }));

  test('are read in portions of a limited size', () => {
    const sizes = portionsOf(buckets, 6).map((portion) => portion.map(({ slice }) => slice.length));
    expect(sizes).toEqual([[3, 3], [9], [1, 1, 1]]);
  });

  test('that claim to be long are refused before they are read', async () => {
    const ends = Buffer.from(ENCODED.bucketEnds);
    for (let at = 0; at < ends.length; at += END_BYTES) ends.writeUInt32BE(16_000_001 * (at / END_BYTES + 1), at);
    const connection = new SliceConnection(ends);
    await expect(readPostings(connection, orgId, [segmentOf(EVENTS)], [spread(0)])).rejects.toThrow(
      new DamagedSegmentError('a bucket of postings is too long'),
    );
    expect(connection.bytes).toHaveLength(1);
  });
});
