import { describe, expect, test } from 'vitest';
import { ByteReader, DamagedSegmentError } from './bytes.ts';
import { decodeHead, encodeHead, type SegmentHead } from './head.ts';

/** The pieces of the head of a segment of one event, in hexadecimal form and in the order of the format. */
const PIECES = {
  format: '01',
  count: '01',
  positions: '0701',
  published: '01000000',
  persisted: '01000000',
  previousHash: '09'.repeat(32),
  kinds: '010261026200',
  saltless: '00',
  kept: '00',
  end: '',
};
type Pieces = typeof PIECES;

const LARGEST = 'ffffffffffffff0f';
const HEAD: SegmentHead = {
  count: 1,
  positions: [{ first: 7, count: 1 }],
  published: { first: 0, last: 0, unit: 1 },
  persisted: { first: 0, last: 0, unit: 1 },
  previousHash: Buffer.alloc(32, 9),
  kinds: [{ eventType: 'a', severity: 'b', outcomeResult: null }],
  kept: new Map(),
  saltless: new Set(),
};

const bytesOf = (changes: Partial<Pieces>): Buffer =>
  Buffer.from(Object.values({ ...PIECES, ...changes }).join(''), 'hex');

test('the pieces are a head', () => {
  expect(decodeHead(bytesOf({}))).toEqual(HEAD);
  expect(encodeHead(HEAD)).toEqual(bytesOf({}));
});

test.each<[string, string, number, number]>([
  ['before 1970', '01010500', -5, -5],
  ['from before 1970 until later', '01010506', -5, 1],
  ['of a negative zero', '01010000', 0, 0],
  ['up to the largest exact number', `0100${LARGEST}00`, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])('times %s are read', (_, published, first, last) => {
  expect(decodeHead(bytesOf({ published })).published).toEqual({ first, last, unit: 1 });
});

test('times before 1970 are written', () => {
  const erased = { uuid: '00000000-0000-4000-8000-000000000001', digest: Buffer.alloc(32, 8), erasedAt: -3 };
  const early: SegmentHead = {
    ...HEAD,
    published: { first: -5_000, last: 1_000, unit: 1_000 },
    kept: new Map([[0, erased]]),
  };
  expect(decodeHead(encodeHead(early))).toEqual(early);
});

describe('a head is refused', () => {
  test.each<[string, Partial<Pieces>, string]>([
    ['without events', { count: '00' }, 'a segment has no events'],
    ['with an empty run of positions', { positions: '0700' }, 'the positions are not valid'],
    ['with a position that is not exact', { positions: `${LARGEST}01` }, 'the positions are not valid'],
    ['with more positions than events', { positions: '0702' }, 'a number is too large'],
    ['with an unknown unit of times', { published: '02000000' }, 'the unit of times is unknown'],
    ['with a time that is not exact', { persisted: `0100${LARGEST}01` }, 'a time is too late'],
    ['without kinds', { kinds: '00' }, 'a segment has no kinds of events'],
    ['with a kind without event type', { kinds: '0100026200' }, 'a text is missing'],
    ['with a kind without severity', { kinds: '0102610000' }, 'a text is missing'],
    ['with a salt missing beyond its events', { saltless: '0101' }, 'the head names an event beyond the segment'],
    ['with facts beyond its events', { kept: '0101' }, 'the head names an event beyond the segment'],
    ['with bytes after its end', { end: '00' }, 'the head goes on after its end'],
    ['that ends within the hash', { previousHash: '09', kinds: '', saltless: '', kept: '' }, 'the bytes end too early'],
  ])('%s', (_, changes, message) => {
    expect(() => decodeHead(bytesOf(changes))).toThrow(new DamagedSegmentError(message));
  });
});

test('a reader skips up to the end, and not beyond it', () => {
  const reader = new ByteReader(Buffer.alloc(3));
  expect(() => reader.skip(4)).toThrow(new DamagedSegmentError('the bytes end too early'));
  reader.skip(3);
  expect([reader.at, reader.isAtEnd]).toEqual([3, true]);
});
