import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairToken, sortedTokens } from '../../../rendering/terms/search-terms.ts';
import { DamagedSegmentError, pieceCount, pieceOf } from '../bytes.ts';
import { OrdinalSet } from './ordinal-set.ts';
import { BucketWalk, bucketOf, type EncodedPostings, encodePostings, lookUpTerm } from './postings.ts';
import { segmentTerms } from './segment-terms.ts';

// Few different terms make long lists and bitmaps; the whole range of terms makes postings of one event.
const term = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 2_000 }).map((number) => (number * 0x9e3779b1) | 0),
  fc.constantFrom(-(2 ** 31), 2 ** 31 - 1),
);
const termsOfEvents = fc.array(
  fc.uniqueArray(term, { maxLength: 30 }).map((terms) => Int32Array.from(terms).sort()),
  { minLength: 1, maxLength: 200 },
);

function found({ bucketEnds, postings }: EncodedPostings, wanted: number, count: number): OrdinalSet {
  const buckets = pieceCount(bucketEnds);
  return lookUpTerm(pieceOf(postings, bucketEnds, bucketOf(wanted, buckets)), wanted, buckets, count);
}

const chosen = (events: readonly Int32Array[], condition: (terms: Int32Array) => boolean): number[] =>
  events.flatMap((terms, ordinal) => (condition(terms) ? [ordinal] : []));

test('a term finds its events', () => {
  fc.assert(
    fc.property(termsOfEvents, fc.array(term), (events, others) => {
      const encoded = encodePostings(events);
      for (const wanted of new Set([...events.flatMap((terms) => [...terms]), ...others])) {
        const expected = chosen(events, (terms) => terms.includes(wanted));
        expect(found(encoded, wanted, events.length).ordinals()).toEqual(expected);
      }
    }),
  );
});

test('sets are joined and intersected', () => {
  fc.assert(
    fc.property(termsOfEvents, term, term, (events, one, other) => {
      const encoded = encodePostings(events);
      const [left, right] = [found(encoded, one, events.length), found(encoded, other, events.length)];
      const both = chosen(events, (terms) => terms.includes(one) && terms.includes(other));
      const either = chosen(events, (terms) => terms.includes(one) || terms.includes(other));
      expect([left.and(right).ordinals(), left.or(right).ordinals()]).toEqual([both, either]);
      expect(events.map((_, ordinal) => left.has(ordinal))).toEqual(events.map((terms) => terms.includes(one)));
    }),
  );
});

test('a list grows into a bitmap where that is shorter', () => {
  const sizeOf = (step: number) => {
    const events = Array.from({ length: 8_000 }, (_, ordinal) => Int32Array.from(ordinal % step === 0 ? [5] : []));
    const encoded = encodePostings(events);
    expect(found(encoded, 5, 8_000).ordinals()).toEqual(chosen(events, ({ length }) => length === 1));
    return encoded.postings.length;
  };
  const largest = sizeOf(1);
  expect(largest).toBeLessThan(1_010);
  expect([sizeOf(2), sizeOf(8)]).toEqual([largest, largest]);
  expect(sizeOf(9)).toBeLessThan(largest);
  expect(sizeOf(200)).toBeLessThan(90);
  expect(sizeOf(8_000)).toBe(4);
});

test.each([
  [1, '00', '00'],
  [0x80, '00', '7f'],
  [0x81, '00', '8001'],
  [0x4000, '00', 'ff7f'],
  [0x4001, '00', '808001'],
  [0x7fff, '00', 'feff01'],
])('a list of the events 0 and %i has distances of the shortest form', (last, ...list) => {
  const events = Array.from({ length: 0x8000 }, (_, at) => Int32Array.from(at === 0 || at === last ? [5] : []));
  const encoded = encodePostings(events);
  const bytes = Buffer.from(list.join(''), 'hex');
  expect(encoded.postings).toEqual(Buffer.concat([Buffer.of(5, bytes.length), bytes]));
  expect(found(encoded, 5, events.length).ordinals()).toEqual([0, last]);
});

test('no term finds an event in a segment without events', () => {
  const encoded = encodePostings([]);
  expect(encoded).toEqual({ postings: Buffer.alloc(0), bucketEnds: Buffer.alloc(4) });
  expect(found(encoded, 5, 0).ordinals()).toEqual([]);
  // The size 0 stands for a bitmap, which has no bytes here.
  expect(lookUpTerm(Buffer.of(5, 0), 5, 1, 0).ordinals()).toEqual([]);
  const walk = new BucketWalk(Buffer.of(5, 0), { bucket: 0, buckets: 1, count: 0 });
  const visited: number[] = [];
  expect(walk.advance()).toBe(true);
  walk.visitOrdinals((ordinal) => visited.push(ordinal));
  expect(visited).toEqual([]);
});

test('the number of buckets is checked', () => {
  expect([bucketOf(-1, 1), bucketOf(-1, 8), bucketOf(2 ** 30, 8)]).toEqual([0, 7, 2]);
  for (const buckets of [0, 0.5, 3, 2 ** 16]) expect(() => bucketOf(1, buckets)).toThrow(DamagedSegmentError);
});

test('a bucket with the terms of another one, or with events beyond the segment, is refused', () => {
  const at9 = encodePostings(Array.from({ length: 10 }, (_, at) => Int32Array.from(at === 9 ? [-1] : [])));
  expect(found(at9, -1, 10).ordinals()).toEqual([9]);
  expect(() => found(at9, -1, 9)).toThrow(DamagedSegmentError);
  const list = encodePostings(Array.from({ length: 40 }, (_, at) => Int32Array.from(at > 37 ? [-1] : [])));
  expect(found(list, -1, 40).ordinals()).toEqual([38, 39]);
  expect(() => found(list, -1, 39)).toThrow(DamagedSegmentError);
  const single = encodePostings(Array.from({ length: 40 }, (_, at) => Int32Array.from(at === 39 ? [-1] : [])));
  expect(() => found(single, -1, 39)).toThrow(DamagedSegmentError);
  expect(() => lookUpTerm(at9.postings, 1, 2, 10)).toThrow(DamagedSegmentError);
});

test('the columns with an index of their own have search terms', () => {
  const tokens = sortedTokens('00o1', { uuid: 'a-b' });
  const terms = segmentTerms('00o1', { actorId: '00u1', eventType: 'user.session.start', tokens });
  const own = [pairToken('00o1', 'eventType', 'user.session.start'), pairToken('00o1', 'actor.id', '00u1')];
  expect([...terms]).toEqual([...tokens, ...own].sort((left, right) => left - right));
});
