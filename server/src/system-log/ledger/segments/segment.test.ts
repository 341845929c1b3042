import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyAt, inflateBodies } from './bodies/bodies.ts';
import { DamagedSegmentError, pieceCount, pieceOf } from './bytes.ts';
import { decodeHead, ordinalFrom } from './head.ts';
import { bucketOf, lookUpTerm } from './postings/postings.ts';
import { kindAt, partsFor, readSegment } from './read-segment.ts';
import { rewriteSegment } from './rewrite.ts';
import { type EncodedSegment, type SegmentEvent, SegmentWriter } from './segment.ts';
import { dayOf, microsecondsOf, unpackTime } from './times.ts';

const PREVIOUS = Buffer.alloc(32, 9);
const MONDAY = microsecondsOf('2026-11-16 00:00:00+00');
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));

const kept = fc.record({
  uuid: fc.uuid(),
  digest: bytes(32),
  erasedAt: fc.option(fc.integer({ min: 0, max: 2 ** 51 })),
});
const terms = fc
  .uniqueArray(fc.oneof(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })))
  .map((array) => Int32Array.from(array).sort());
const content = fc
  .record({
    eventType: fc.constantFrom('user.session.start', 'user.session.end', 'ü', ''),
    severity: fc.constantFrom('INFO', 'WARN'),
    outcomeResult: fc.constantFrom('SUCCESS', 'FAILURE', '', null),
    body: fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`{"uuid":"","actor":${JSON.stringify(text)}}`)),
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    ),
    salt: fc.option(bytes(32), { freq: 4 }),
    kept,
    isKept: fc.boolean(),
    terms,
  })
  .map(({ isKept, ...one }) => ({ ...one, kept: isKept || one.salt === null ? one.kept : null }));
const milliseconds = fc.integer({ min: 0, max: 86_000_000 }).map((number) => number * 1_000);
const event = fc
  .tuple(content, bytes(32), fc.constantFrom(1, 1, 1, 2, 1_000_000), milliseconds, milliseconds, fc.nat(1))
  .map(([one, hash, step, published, persisted, microsecond]) => ({
    ...one,
    hash,
    step,
    published,
    persisted,
    microsecond,
  }));

const events: fc.Arbitrary<SegmentEvent[]> = fc
  .tuple(fc.boolean(), fc.integer({ min: 1, max: 2 ** 40 }), fc.array(event, { minLength: 1, maxLength: 23 }))
  .map(([areExact, from, list]) => {
    let position = from;
    return list.map(({ microsecond, persisted, published, step, ...one }) => {
      position += step;
      const more = areExact ? microsecond : 0;
      return { ...one, position, persistedAt: MONDAY + persisted + more, published: MONDAY - published + more };
    });
  });

function encoded(list: readonly SegmentEvent[]): EncodedSegment {
  const writer = new SegmentWriter(PREVIOUS);
  for (const one of list) writer.add(one);
  return writer.finish();
}

const withTerm = (segment: EncodedSegment, term: number): number[] => {
  const buckets = pieceCount(segment.bucketEnds);
  const bucket = pieceOf(segment.postings, segment.bucketEnds, bucketOf(term, buckets));
  return lookUpTerm(bucket, term, buckets, decodeHead(segment.head).count).ordinals();
};

const [ONE] = fc.sample(events, { numRuns: 1, seed: 1 })[0] ?? [];
if (ONE === undefined) throw new Error('no event was drawn');
const PLAIN: SegmentEvent = { ...ONE, position: 7, persistedAt: MONDAY, published: MONDAY, body: Buffer.from('{}') };

test('a segment contains its events again', () => {
  fc.assert(
    fc.property(events, (list) => {
      const segment = encoded(list);
      expect(readSegment(segment)).toEqual(list);
      const { previousHash, published } = decodeHead(segment.head);
      expect(previousHash).toEqual(PREVIOUS);
      const times = list.map((one) => one.published);
      expect([published.first, published.last]).toEqual([Math.min(...times), Math.max(...times)]);
    }),
  );
});

test('slices contain some events', () => {
  fc.assert(
    fc.property(events, fc.infiniteStream(fc.boolean()), (list, chosen) => {
      const segment = encoded(list);
      const ordinals = list.map((_, ordinal) => ordinal).filter(() => chosen.next().value);
      const parts = partsFor(ordinals, list.length);
      const bodies = inflateBodies(
        parts.map((part) => ({ ...part, part: pieceOf(segment.bodies, segment.partEnds, part.number) })),
      );
      expect(ordinals.map((_, index) => bodyAt(bodies, index))).toEqual(ordinals.map((at) => list[at]?.body));
      const head = decodeHead(segment.head);
      for (const at of ordinals) {
        const width = segment.published.length / list.length;
        const slice = segment.published.subarray(at * width, (at + 1) * width);
        expect(unpackTime(slice, 0, head.published)).toBe(list[at]?.published);
        expect(list[at]).toMatchObject(kindAt(segment.kinds, at, head));
      }
    }),
  );
});

test('positions lead to ordinals', () => {
  fc.assert(
    fc.property(events, fc.integer({ min: -2, max: 2 }), (list, distance) => {
      const head = decodeHead(encoded(list).head);
      for (const { position } of list) {
        const found = list.findIndex((one) => one.position >= position + distance);
        expect(ordinalFrom(head, position + distance)).toBe(found === -1 ? list.length : found);
      }
    }),
  );
});

test('a segment of many events has many buckets and parts', () => {
  const many = Array.from({ length: 3_001 }, (_, index) => ({
    ...PLAIN,
    position: 10 + index,
    body: Buffer.from(`{"number":${index}}`),
    terms: Int32Array.of(index % 2, ((index + 1) * 0x9e3779b1) | 0, index % 300 === 0 ? -7 : -8).sort(),
  }));
  const segment = encoded(many);
  expect(pieceCount(segment.bucketEnds)).toBe(8);
  const read = readSegment(segment);
  expect(read.map(({ body }) => body.toString())).toEqual(many.map(({ body }) => body.toString()));
  expect(read.map((one) => one.terms.join())).toEqual(many.map((one) => one.terms.join()));
  expect(withTerm(segment, -7)).toEqual([0, 300, 600, 900, 1_200, 1_500, 1_800, 2_100, 2_400, 2_700, 3_000]);
  expect(withTerm(segment, 1)).toHaveLength(1_500);
  expect(withTerm(segment, 123_456)).toEqual([]);
});

describe('the writer refuses', () => {
  const DAY = 86_400_000_000;
  test.each<[string, Partial<SegmentEvent>]>([
    ['a position before the last one', { position: 7 }],
    ['an event of the next day', { position: 8, persistedAt: MONDAY + DAY }],
    ['a time beyond exact numbers', { position: 8, published: 2 ** 53 }],
    ['a short hash', { position: 8, hash: Buffer.alloc(31) }],
    ['a short salt', { position: 8, salt: Buffer.alloc(31) }],
    ['an event without salt and digest', { position: 8, salt: null, kept: null }],
    ['a search term that occurs twice', { position: 8, terms: Int32Array.of(1, 1) }],
    ['a kept UUID of another form', { position: 8, kept: { uuid: 'none', digest: PREVIOUS, erasedAt: null } }],
  ])('%s', (_, change) => {
    const writer = new SegmentWriter(PREVIOUS);
    writer.add(PLAIN);
    expect(() => writer.add({ ...PLAIN, ...change })).toThrow(RangeError);
    writer.add({ ...PLAIN, position: 8 });
    expect(readSegment(writer.finish())).toHaveLength(2);
  });

  test('a segment without events', () => {
    expect(() => new SegmentWriter(PREVIOUS).finish()).toThrow(RangeError);
  });

  test('more events than a segment holds', () => {
    const writer = new SegmentWriter(PREVIOUS);
    for (let position = 7; !writer.isFull; position += 1) writer.add({ ...PLAIN, position, terms: new Int32Array() });
    expect(writer.count).toBe(32_768);
    expect(() => writer.add({ ...PLAIN, position: 1_000_000 })).toThrow(RangeError);
  });
});

test('times are read as PostgreSQL writes them', () => {
  expect(microsecondsOf('1970-01-01 00:00:01.5+00')).toBe(1_500_000);
  expect(microsecondsOf('2026-11-16 10:20:30.123456+00')).toBe(Date.UTC(2026, 10, 16, 10, 20, 30) * 1_000 + 123_456);
  expect(dayOf(MONDAY) - dayOf(MONDAY - 1)).toBe(1);
  for (const text of ['infinity', '2026-11-16 10:20:30+01', '2026-13-16 10:20:30+00']) {
    expect(() => microsecondsOf(text)).toThrow(RangeError);
  }
});

describe('damaged bytes', () => {
  const PIECES = Object.keys(encoded([PLAIN])) as (keyof EncodedSegment)[];
  const damage = fc.record({
    piece: fc.constantFrom(...PIECES),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    flip: fc.option(fc.integer({ min: 1, max: 255 })),
  });

  function damaged(
    segment: EncodedSegment,
    { at, flip, piece }: typeof damage extends fc.Arbitrary<infer D> ? D : never,
  ) {
    const copy = Buffer.from(segment[piece]);
    const index = Math.floor(at * copy.length);
    if (flip !== null && copy.length > 0) copy[index] = (copy[index] ?? 0) ^ flip;
    return { ...segment, [piece]: flip === null ? copy.subarray(0, index) : copy };
  }

  const attempt = (action: () => unknown) => {
    try {
      action();
      return null;
    } catch (error) {
      return error;
    }
  };

  test('end in the named error, or in other values', () => {
    fc.assert(
      fc.property(events, fc.array(damage, { minLength: 1, maxLength: 3 }), terms, (list, damages, wanted) => {
        const segment = damages.reduce(damaged, encoded(list));
        const actions = [
          () => readSegment(segment),
          () => rewriteSegment(segment, new Map([[0, PLAIN]])),
          ...[...wanted].map((term) => () => withTerm(segment, term)),
        ];
        for (const error of actions.map(attempt)) {
          if (error !== null) expect(error).toBeInstanceOf(DamagedSegmentError);
        }
      }),
      { numRuns: 250 },
    );
  });

  test('that are random everywhere end in the named error', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { minLength: 10, maxLength: 10 }), (pieces) => {
        const random = PIECES.map((piece, index) => [piece, Buffer.from(pieces[index] ?? [])]);
        const segment = Object.fromEntries(random) as EncodedSegment;
        expect(() => readSegment(segment)).toThrow(DamagedSegmentError);
      }),
    );
  });

  test.each<[string, (segment: EncodedSegment) => EncodedSegment]>([
    ['an unknown format', (segment) => ({ ...segment, head: Buffer.concat([Buffer.of(2), segment.head.subarray(1)]) })],
    [
      'a number without end',
      (segment) => ({ ...segment, head: Buffer.concat([Buffer.of(1), Buffer.alloc(99, 0x80)]) }),
    ],
    ['a cut column', (segment) => ({ ...segment, salts: segment.salts.subarray(1) })],
    [
      'a body that claims to be long',
      (segment) => ({ ...segment, bodies: Buffer.from(segment.bodies).fill(0xff, 0, 1) }),
    ],
  ])('of %s are refused', (_, change) => {
    expect(() => readSegment(change(encoded([PLAIN])))).toThrow(DamagedSegmentError);
  });
});

describe('a rewritten segment', () => {
  test('is as if the new content had been there from the start', () => {
    fc.assert(
      fc.property(events, fc.array(fc.tuple(fc.nat(22), content), { minLength: 1, maxLength: 6 }), (list, changes) => {
        const replacements = new Map(changes.map(([at, one]) => [at % list.length, one]));
        const segment = encoded(list);
        const rewritten = { ...segment, ...rewriteSegment(segment, replacements) };
        const expected = list.map((one, at) => ({ ...one, ...replacements.get(at) }));
        expect(rewritten).toEqual(encoded(expected));
        expect(readSegment(rewritten)).toEqual(expected);
      }),
    );
  });

  test('has no event beyond its end, and no invalid content', () => {
    const segment = encoded([PLAIN]);
    expect(() => rewriteSegment(segment, new Map([[1, PLAIN]]))).toThrow(RangeError);
    expect(() => rewriteSegment(segment, new Map([[0, { ...PLAIN, salt: null, kept: null }]]))).toThrow(RangeError);
  });
});
