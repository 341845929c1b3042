import {
  ALL_OF_PART,
  bodyAt,
  type InflatedBodies,
  inflateBodies,
  PART_EVENTS,
  type WantedPart,
} from './bodies/bodies.ts';
import { DamagedSegmentError, END_BYTES, pieceCount, pieceOf, pieceRange } from './bytes.ts';
import { unpackNumber, widthFor } from './fixed-width.ts';
import { decodeHead, type EventKind, HASH_BYTES, positionsOf, type SegmentHead } from './head.ts';
import { BucketWalk, bucketOf, type EncodedPostings } from './postings/postings.ts';
import type { EncodedSegment, SegmentEvent } from './segment.ts';
import { timeWidth, unpackTime } from './times.ts';

/** A part that contains wanted events. `number` is its place in the table of parts. */
export interface PlannedPart extends Omit<WantedPart, 'part'> {
  readonly number: number;
}

/**
 * Returns the parts that contain the events with the given ordinals, which must be ascending. `count` is the number of
 * all events.
 */
export function partsFor(ordinals: readonly number[], count: number): PlannedPart[] {
  const parts: { number: number; events: number; wanted: number }[] = [];
  for (const ordinal of ordinals) {
    const number = Math.floor(ordinal / PART_EVENTS);
    if (parts.at(-1)?.number !== number) {
      parts.push({ number, events: Math.min(PART_EVENTS, count - number * PART_EVENTS), wanted: 0 });
    }
    const part = parts.at(-1);
    if (part !== undefined) part.wanted |= 1 << (ordinal % PART_EVENTS);
  }
  return parts;
}

/** Reads the kind at an index of a column, or of a slice of a column. */
export function kindAt(bytes: Uint8Array, index: number, { kinds }: SegmentHead): EventKind {
  const kind = kinds[unpackNumber(bytes, index, kinds.length - 1)];
  if (kind === undefined) throw new DamagedSegmentError('the kind of an event is missing');
  return kind;
}

const hashAt = (bytes: Buffer, index: number): Buffer => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);

const partsOf = (count: number): number => Math.ceil(count / PART_EVENTS);

/** Reads the head of a whole segment, and checks the lengths of the columns and tables. */
export function checkedHead(segment: EncodedSegment): SegmentHead {
  const head = decodeHead(segment.head);
  const { count } = head;
  const lengths = [
    [segment.published, count * timeWidth(head.published)],
    [segment.persisted, count * timeWidth(head.persisted)],
    [segment.kinds, count * widthFor(head.kinds.length - 1)],
    [segment.salts, count * HASH_BYTES],
    [segment.hashes, count * HASH_BYTES],
    [segment.bodies, pieceRange(segment.partEnds, partsOf(count) - 1).end],
    [segment.partEnds, partsOf(count) * END_BYTES],
    [segment.postings, pieceRange(segment.bucketEnds, pieceCount(segment.bucketEnds) - 1).end],
  ] as const;
  if (lengths.some(([{ length }, expected]) => length !== expected)) {
    throw new DamagedSegmentError('a column or a table has the wrong length');
  }
  return head;
}

export function allBodies({ bodies, partEnds }: EncodedSegment, count: number): InflatedBodies {
  return inflateBodies(
    Array.from({ length: partsOf(count) }, (_, number) => ({
      part: pieceOf(bodies, partEnds, number),
      events: Math.min(PART_EVENTS, count - number * PART_EVENTS),
      wanted: ALL_OF_PART,
    })),
  );
}

export function allTerms({ bucketEnds, postings }: EncodedPostings, count: number): Int32Array[] {
  const lists = Array.from({ length: count }, (): number[] => []);
  const buckets = pieceCount(bucketEnds);
  bucketOf(0, buckets);
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const walk = new BucketWalk(pieceOf(postings, bucketEnds, bucket), { bucket, buckets, count });
    while (walk.advance()) walk.visitOrdinals((ordinal) => lists[ordinal]?.push(walk.term));
  }
  return lists.map((terms) => Int32Array.from(terms).sort());
}

export function readSegment(segment: EncodedSegment): SegmentEvent[] {
  const head = checkedHead(segment);
  const { count, kept, saltless } = head;
  const bodies = allBodies(segment, count);
  const terms = allTerms(segment, count);
  return positionsOf(head).map((position, ordinal) => ({
    position,
    persistedAt: unpackTime(segment.persisted, ordinal, head.persisted),
    published: unpackTime(segment.published, ordinal, head.published),
    ...kindAt(segment.kinds, ordinal, head),
    body: bodyAt(bodies, ordinal),
    salt: saltless.has(ordinal) ? null : hashAt(segment.salts, ordinal),
    hash: hashAt(segment.hashes, ordinal),
    terms: terms[ordinal] ?? new Int32Array(),
    kept: kept.get(ordinal) ?? null,
  }));
}
