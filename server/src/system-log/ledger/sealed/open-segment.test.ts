import { expect, test } from 'vitest';
import { encodedSegment, storedSegment } from '../../../../test/support/stored-segments.ts';
import { DamagedSegmentError } from '../segments/bytes.ts';
import { OpenSegment } from './open-segment.ts';
import type { StoredSegment } from './segment-store.ts';

const ENCODED = encodedSegment([{}, {}, {}], 7);
const GAPS = encodedSegment([{ position: 7 }, { position: 9 }, { position: 10 }]);

test('a segment knows the positions of its events', () => {
  const segment = new OpenSegment(storedSegment(ENCODED));
  expect([0, 1, 2].map((ordinal) => segment.positionAt(ordinal))).toEqual([7, 8, 9]);
});

test.each<[string, StoredSegment, string]>([
  ['with a gap', storedSegment(GAPS), 'the positions have gaps'],
  ['whose head has a gap', storedSegment(GAPS, { lastPosition: 9 }), 'the positions have gaps'],
  ['of too few events', storedSegment(ENCODED, { events: 2 }), 'the positions have gaps'],
  ['of one more event', storedSegment(ENCODED, { lastPosition: 10, events: 4 }), 'the number of events is not'],
  ['at an infinite position', storedSegment(ENCODED, { lastPosition: Infinity }), 'the positions have gaps'],
  ['published at no time', storedSegment(ENCODED, { firstPublished: Number.NaN }), 'a time is out of range'],
  ['persisted at no time', storedSegment(ENCODED, { lastPersistedAt: Number.NaN }), 'a time is out of range'],
  ['without buckets', storedSegment(ENCODED, { buckets: 0 }), 'the number of buckets'],
  ['of too many buckets', storedSegment(ENCODED, { buckets: 2 ** 16 }), 'the number of buckets'],
  ['with a large head', storedSegment(ENCODED, { head: Buffer.alloc(0) }), 'the bytes end too early'],
])('a segment %s is refused', (_, stored, message) => {
  expect(() => new OpenSegment(stored)).toThrow(DamagedSegmentError);
  expect(() => new OpenSegment(stored)).toThrow(message);
});

test('a part that claims to be long is refused', () => {
  const segment = new OpenSegment(storedSegment(ENCODED));
  const end = Buffer.alloc(4);
  end.writeUInt32BE(65_000_001);
  segment.keep('part_ends', 0, end);
  expect(() => segment.partRange(0)).toThrow(new DamagedSegmentError('a part of the bodies is too long'));
});
