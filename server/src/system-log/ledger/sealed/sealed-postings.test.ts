import { describe, expect, test } from 'vitest';
import { encodedSegment, SegmentConnection, storedSegment } from '../../../../test/support/stored-segments.ts';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { DamagedSegmentError, END_BYTES } from '../segments/bytes.ts';
import { OpenSegment } from './open-segment.ts';
import { portionsOf, readPostings } from './sealed-postings.ts';

const orgId = toOrgId('00oaaaaaaaaaaaaaaaaa');
const BUCKETS = 16;
const EVENTS = 9;

const spread = (number: number): number => (number * 0x9e3779b1) | 0;

/** The terms are spread over `BUCKETS` buckets. */
const EVENTS_WITH_TERMS = Array.from({ length: EVENTS }, (_, ordinal) => {
  const numbers = Array.from({ length: Math.ceil((500 * BUCKETS) / EVENTS) }, (__, index) => index * EVENTS + ordinal);
  return { terms: Int32Array.from(numbers, spread).sort() };
});
const SEGMENTS = [encodedSegment(EVENTS_WITH_TERMS), encodedSegment(EVENTS_WITH_TERMS, EVENTS + 1)] as const;
const open = (): OpenSegment[] => SEGMENTS.map((encoded) => new OpenSegment(storedSegment(encoded)));

test('terms of several segments are found with two statements', async () => {
  const connection = new SegmentConnection(...SEGMENTS);
  const segments = open();
  const terms = [spread(0), spread(EVENTS + 4), spread(EVENTS + 4), spread(9_999_999)];
  const lookUpIn = await readPostings(connection, orgId, segments, terms);
  for (const segment of segments) {
    const found = terms.map((term) => lookUpIn(segment)(term).ordinals());
    expect(found).toEqual([[0], [4], [4], []]);
  }
  expect(connection.asked).toHaveLength(2);
});

test('a segment with fewer buckets than terms is read once', async () => {
  const connection = new SegmentConnection(...SEGMENTS);
  const terms = Array.from({ length: 500 }, (_, index) => spread(index));
  const segments = open().slice(0, 1);
  const lookUpIn = await readPostings(connection, orgId, segments, terms);
  for (const segment of segments) {
    expect(terms.map((term) => lookUpIn(segment)(term).ordinals())).toEqual(terms.map((_, index) => [index % EVENTS]));
  }
  expect(connection.asked.at(-1)).toHaveLength(BUCKETS);
});

describe('buckets', () => {
  const buckets = [3, 3, 9, 1, 1, 1].map((length) => ({ slice: { length } }));

  test('are read in portions of a limited size', () => {
    const sizes = portionsOf(buckets, 6).map((portion) => portion.map(({ slice }) => slice.length));
    expect(sizes).toEqual([[3, 3], [9], [1, 1, 1]]);
  });

  test('that claim to be long are refused before they are read', async () => {
    const bucketEnds = Buffer.from(SEGMENTS[0].bucketEnds);
    for (let at = 0; at < BUCKETS; at += 1) bucketEnds.writeUInt32BE(16_000_001 * (at + 1), at * END_BYTES);
    const connection = new SegmentConnection({ ...SEGMENTS[0], bucketEnds });
    await expect(readPostings(connection, orgId, open().slice(0, 1), [spread(0)])).rejects.toThrow(
      new DamagedSegmentError('a bucket of postings is too long'),
    );
    expect(connection.asked).toHaveLength(1);
  });
});
