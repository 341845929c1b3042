import { createHash, randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamagedSegmentError } from '../bytes.ts';
import { ALL_OF_PART, bodyAt, deflatePart, inflateBodies } from './bodies.ts';
import { DICTIONARY } from './dictionary.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.integer({ min: 0, max: DICTIONARY.length }).map((start) => DICTIONARY.toString('latin1', start, start + 900)),
);
const part = fc.array(
  text.map((one) => Buffer.from(one)),
  { minLength: 1, maxLength: 4 },
);

test('the dictionary is that of the format', () => {
  expect(createHash('sha256').update(DICTIONARY).digest('hex')).toBe(
    '50fda4a07354ba39287326d8de6d10a49d2314a3a77e2713653e44b312b99a79',
  );
});

test('the wanted bodies of many parts are inflated in order', () => {
  const parts = fc.array(fc.tuple(part, fc.integer({ min: 0, max: ALL_OF_PART })), { maxLength: 60 });
  fc.assert(
    fc.property(parts, (chosen) => {
      const wantedParts = chosen.map(([bodies, wanted]) => ({
        part: deflatePart(bodies),
        events: bodies.length,
        wanted,
      }));
      const inflated = inflateBodies(wantedParts);
      const expected = chosen.flatMap(([bodies, wanted]) =>
        bodies.filter((_, index) => ((wanted >>> index) & 1) === 1),
      );
      expect(expected.map((_, index) => bodyAt(inflated, index).toString())).toEqual(expected.map(String));
      expect(inflated.ends).toHaveLength(expected.length);
      expect(inflated.bytes.toString()).toBe(Buffer.concat(expected).toString());
    }),
    { numRuns: 30 },
  );
});

test('bodies that cannot be compressed end anywhere in a chunk of the compressor', () => {
  for (let length = 2_030; length < 2_060; length += 1) {
    const bodies = [randomBytes(length), Buffer.from('{}')];
    const inflated = inflateBodies([{ part: deflatePart(bodies), events: 2, wanted: ALL_OF_PART }]);
    expect(inflated.bytes.equals(Buffer.concat(bodies))).toBe(true);
  }
});

test('a part is a raw deflate stream after the dictionary, which other programs can inflate', () => {
  const body = Buffer.from('{"uuid":"1","published":"2026-11-16T08:00:00.000Z"}');
  const stream = Buffer.concat([deflatePart([body]).subarray(1), Buffer.from('0000ffff0300', 'hex')]);
  expect(inflateRawSync(stream, { dictionary: DICTIONARY })).toEqual(body);
});

test('a part that ends elsewhere does not shift the bodies of the others', () => {
  const [short, long] = [deflatePart([Buffer.from('ab')]), deflatePart([Buffer.from('abcd')])];
  const swapped = Buffer.concat([Buffer.of(4), short.subarray(1)]);
  const shortened = Buffer.concat([Buffer.of(2), long.subarray(1)]);
  const wantedParts = [swapped, shortened].map((one) => ({ part: one, events: 1, wanted: 1 }));
  expect(() => inflateBodies(wantedParts)).toThrow(DamagedSegmentError);
});

test('a part does not make the reader allocate more than a stream of its length can fill', () => {
  // Each of the four bodies claims 60,000 bytes, which a stream of 60 bytes could give only once.
  const claim = Buffer.concat([Buffer.from('e0d403'.repeat(4), 'hex'), Buffer.alloc(60)]);
  expect(() => inflateBodies([{ part: claim, events: 4, wanted: 1 }])).toThrow('too short for its bodies');
});
