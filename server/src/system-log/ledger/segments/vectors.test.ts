import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SEGMENT_FORMAT } from './head.ts';
import { allBodies, readSegment } from './read-segment.ts';
import { type EncodedSegment, type SegmentEvent, SegmentWriter } from './segment.ts';

// The vectors were recorded when their format was introduced, and must never be recorded again: a later release must
// read the segments that this one wrote. The compressor may choose other bytes for the same bodies.

interface RecordedEvent extends Omit<SegmentEvent, 'body' | 'salt' | 'hash' | 'terms' | 'kept'> {
  readonly body: string;
  readonly salt: string | null;
  readonly hash: string;
  readonly terms: readonly number[];
  readonly kept: { readonly uuid: string; readonly digest: string; readonly erasedAt: number | null } | null;
}

interface Vector {
  readonly format: number;
  readonly name: string;
  readonly previousHash: string;
  readonly events: readonly RecordedEvent[];
  readonly segment: Readonly<Record<keyof EncodedSegment, string>>;
}

const vectors: readonly Vector[] = JSON.parse(readFileSync(join(import.meta.dirname, 'segment-vectors.json'), 'utf8'));

const ofHex = (hex: string): Buffer => Buffer.from(hex, 'hex');

const eventOf = ({ body, hash, kept, salt, terms, ...columns }: RecordedEvent): SegmentEvent => ({
  ...columns,
  body: Buffer.from(body),
  salt: salt === null ? null : ofHex(salt),
  hash: ofHex(hash),
  terms: Int32Array.from(terms),
  kept: kept === null ? null : { ...kept, digest: ofHex(kept.digest) },
});

function segmentOf({ segment }: Vector): EncodedSegment {
  const pieces = Object.entries(segment).map(([piece, text]) => [piece, Buffer.from(text, 'base64')] as const);
  return Object.fromEntries(pieces) as Record<keyof EncodedSegment, Buffer>;
}

test('the format that this release writes has vectors', () => {
  expect(vectors.map(({ format }) => format)).toContain(SEGMENT_FORMAT);
});

test.each(vectors)('a segment of format $format is read: $name', (vector) => {
  expect(readSegment(segmentOf(vector))).toEqual(vector.events.map(eventOf));
});

test.each(vectors.filter(({ format }) => format === SEGMENT_FORMAT))('a segment is written again: $name', (vector) => {
  const writer = new SegmentWriter(ofHex(vector.previousHash));
  for (const event of vector.events) writer.add(eventOf(event));
  const { bodies: _, partEnds: __, ...written } = writer.finish();
  const { bodies: ___, partEnds: ____, ...recorded } = segmentOf(vector);
  expect(written).toEqual(recorded);
  const { count } = writer;
  expect(allBodies(writer.finish(), count)).toEqual(allBodies(segmentOf(vector), count));
});
