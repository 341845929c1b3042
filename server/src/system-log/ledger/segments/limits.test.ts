import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inflateBodies } from './bodies/bodies.ts';
import { ByteWriter, DamagedSegmentError } from './bytes.ts';
import { unpackNumber } from './fixed-width.ts';
import type { KeptFacts } from './head.ts';
import { allTerms, kindAt, readSegment } from './read-segment.ts';
import { rewriteSegment } from './rewrite.ts';
import { type SegmentEvent, SegmentWriter } from './segment.ts';
import { unpackTime } from './times.ts';

const HASH = Buffer.alloc(32, 9);
const FACTS: KeptFacts = { uuid: '00000000-0000-4000-8000-000000000001', digest: HASH, erasedAt: null };
const LARGEST_TIME = 2 ** 52 - 1;
const LARGEST_POSITION = Number.MAX_SAFE_INTEGER - 1;
const LARGEST_BODY = Buffer.alloc(16_000_000);
const PLAIN: SegmentEvent = {
  position: 7,
  persistedAt: 0,
  published: 0,
  eventType: 'user.session.start',
  severity: 'INFO',
  outcomeResult: null,
  body: Buffer.from('{}'),
  salt: HASH,
  hash: HASH,
  terms: Int32Array.of(-1, 1),
  kept: null,
};

function encoded(...events: readonly SegmentEvent[]) {
  const writer = new SegmentWriter(HASH);
  for (const event of events) writer.add(event);
  return writer.finish();
}

test.each<[string, Partial<SegmentEvent>]>([
  ['at the last position', { position: LARGEST_POSITION }],
  ['published before 1970', { published: -5 }],
  ['published at the earliest time', { published: -LARGEST_TIME }],
  ['published at the latest time', { published: LARGEST_TIME }],
  ['erased at the earliest time', { kept: { ...FACTS, erasedAt: -LARGEST_TIME } }],
  ['erased at the latest time', { kept: { ...FACTS, erasedAt: LARGEST_TIME } }],
  ['without search terms', { terms: new Int32Array() }],
  ['with an empty body', { body: Buffer.alloc(0) }],
])('an event %s is read again', (_, change) => {
  const event = { ...PLAIN, ...change };
  expect(readSegment(encoded(event))).toEqual([event]);
});

test('events whose times are as far apart as possible are read again', () => {
  const events = [-LARGEST_TIME, LARGEST_TIME].map((published, index) => ({
    ...PLAIN,
    position: 7 + index,
    published,
  }));
  expect(readSegment(encoded(...events))).toEqual(events);
});

test('an event beyond the last position is refused', () => {
  const error = new RangeError('the event cannot be in the segment: its position is not after the last one');
  expect(() => new SegmentWriter(HASH).add({ ...PLAIN, position: LARGEST_POSITION + 1 })).toThrow(error);
});

describe.each([1, 2, 3])('a table that goes on for %i more bytes', (more) => {
  test.each(['partEnds', 'bucketEnds'] as const)('%s is refused', (table) => {
    const segment = encoded(PLAIN);
    const damaged = { ...segment, [table]: Buffer.concat([segment[table], Buffer.alloc(more)]) };
    for (const read of [readSegment, (given: typeof segment) => rewriteSegment(given, new Map([[0, PLAIN]]))]) {
      expect(() => read(damaged)).toThrow(DamagedSegmentError);
    }
  });
});

test('the largest body is read again', () => {
  const [event] = readSegment(encoded({ ...PLAIN, body: LARGEST_BODY }));
  expect(LARGEST_BODY.equals(event?.body ?? HASH)).toBe(true);
});

test.each([
  ['texts', LARGEST_BODY, 4],
  ['compressed bodies', randomBytes(1_000_000), 8],
])('a segment is full if its %s take too many bytes', (_, body, count) => {
  const writer = new SegmentWriter(HASH);
  for (let position = 7; !writer.isFull; position += 1) writer.add({ ...PLAIN, position, body });
  expect(writer.count).toBe(count);
});

describe('an event is refused', () => {
  test.each<[string, Partial<SegmentEvent>, string]>([
    ['erased too early', { kept: { ...FACTS, erasedAt: -LARGEST_TIME - 1 } }, 'its erasure is out of range'],
    ['erased too late', { kept: { ...FACTS, erasedAt: LARGEST_TIME + 1 } }, 'its erasure is out of range'],
    ['erased at a fraction', { kept: { ...FACTS, erasedAt: 0.5 } }, 'its erasure is out of range'],
    ['with a short digest', { kept: { ...FACTS, digest: HASH.subarray(1) } }, 'its facts are not valid'],
    ['with a large body', { body: Buffer.alloc(LARGEST_BODY.length + 1) }, 'its body is too large'],
  ])('%s', (_, change, reason) => {
    const error = new RangeError(`the event cannot be in the segment: ${reason}`);
    const event = { ...PLAIN, ...change };
    expect(() => new SegmentWriter(HASH).add(event)).toThrow(error);
    expect(() => rewriteSegment(encoded(PLAIN), new Map([[0, event]]))).toThrow(error);
  });
});

test.each([0, 31, 33])('a writer refuses a previous hash of %i bytes', (length) => {
  expect(() => new SegmentWriter(Buffer.alloc(length))).toThrow(new RangeError('a hash has 32 bytes'));
});

describe('a column is refused', () => {
  const kinds = ['a', 'b', 'c'].map((eventType) => ({ eventType, severity: 'INFO', outcomeResult: null }));
  const head = { count: 3, positions: [], previousHash: HASH, kinds, kept: new Map(), saltless: new Set<number>() };
  const frame = { first: 0, last: 0x1_00, unit: 1 } as const;
  const whole = { ...head, published: frame, persisted: frame };
  test.each<[string, () => unknown, string]>([
    ['without numbers', () => unpackNumber(Buffer.alloc(0), 0, 1), 'a column ends too early'],
    ['that ends before a number', () => unpackNumber(Buffer.alloc(2), 2, 0xff), 'a column ends too early'],
    ['that ends within a time', () => unpackTime(Buffer.alloc(3), 1, frame), 'a column ends too early'],
    ['that ends before a kind', () => kindAt(Buffer.of(0, 1), 2, whole), 'a column ends too early'],
    ['with a large number', () => unpackNumber(Buffer.of(1, 1), 0, 0x1_00), 'a number in a column is too large'],
    ['with a late time', () => unpackTime(Buffer.of(1, 1), 0, frame), 'a number in a column is too large'],
    ['with an unknown kind', () => kindAt(Buffer.of(3), 0, whole), 'a number in a column is too large'],
    [
      'of a head without kinds',
      () => kindAt(Buffer.of(0), 0, { ...whole, kinds: [] }),
      'a number in a column is too large',
    ],
  ])('%s', (_, read, message) => {
    expect(read).toThrow(new DamagedSegmentError(message));
  });
});

test('a part may not claim a larger body than any event has', () => {
  const part = new ByteWriter();
  part.varint(LARGEST_BODY.length + 1);
  part.raw(Buffer.alloc(100_000));
  const wanted = { part: part.finish(), events: 1, wanted: 1 };
  expect(() => inflateBodies([wanted])).toThrow(new DamagedSegmentError('a number is too large'));
});

test('postings of more terms than texts can have are refused before they are kept', () => {
  const segment = encoded(PLAIN, { ...PLAIN, position: 8 });
  expect(allTerms(segment, 2, 4)).toEqual([PLAIN.terms, PLAIN.terms]);
  expect(() => allTerms(segment, 2, 3)).toThrow(new DamagedSegmentError('the postings have too many terms'));
});
