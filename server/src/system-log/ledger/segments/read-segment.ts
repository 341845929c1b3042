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

/** The byte strings of a segment whose lengths follow from its head and from the last ends of its tables. */
export type SegmentLengths = Readonly<Record<Exclude<keyof EncodedSegment, 'head' | 'bucketEnds'>, number>>;

/** Refuses lengths that no writer leaves. Text that an erasure was to remove could hide behind the end of a string. */
export function checkLengths(head: SegmentHead, lengths: SegmentLengths, ends: { bodies: number; postings: number }) {
  const { count } = head;
  const expected: SegmentLengths = {
    published: count * timeWidth(head.published),
    persisted: count * timeWidth(head.persisted),
    kinds: count * widthFor(head.kinds.length - 1),
    salts: count * HASH_BYTES,
    hashes: count * HASH_BYTES,
    bodies: ends.bodies,
    partEnds: partsOf(count) * END_BYTES,
    postings: ends.postings,
  };
  const names = Object.keys(expected) as (keyof SegmentLengths)[];
  if (names.some((name) => lengths[name] !== expected[name])) {
    throw new DamagedSegmentError('a column or a table has the wrong length');
  }
}

/** Reads the head of a whole segment, and checks the lengths of the columns and tables. */
export function checkedHead(segment: EncodedSegment): SegmentHead {
  const head = decodeHead(segment.head);
  const lengths: SegmentLengths = {
    published: segment.published.length,
    persisted: segment.persisted.length,
    kinds: segment.kinds.length,
    salts: segment.salts.length,
    hashes: segment.hashes.length,
    bodies: segment.bodies.length,
    partEnds: segment.partEnds.length,
    postings: segment.postings.length,
  };
  checkLengths(head, lengths, {
    bodies: pieceRange(segment.partEnds, partsOf(head.count) - 1).end,
    postings: pieceRange(segment.bucketEnds, pieceCount(segment.bucketEnds) - 1).end,
  });
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

/** A search term of an event comes from at least one byte of its text, and a segment has some 64 MB of texts. */
const MAXIMUM_TERMS = 80_000_000;

type VisitTerm = (ordinal: number, term: number) => void;

function visitTerms({ bucketEnds, postings }: EncodedPostings, count: number, visit: VisitTerm): void {
  const buckets = pieceCount(bucketEnds);
  bucketOf(0, buckets);
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const walk = new BucketWalk(pieceOf(postings, bucketEnds, bucket), { bucket, buckets, count });
    while (walk.advance()) walk.visitOrdinals((ordinal) => visit(ordinal, walk.term));
  }
}

/**
 * Returns the search terms of all events. A bitmap names up to 64 times as many events as a list of its length, so the
 * terms are counted before anything is allocated for them.
 */
export function allTerms(encoded: EncodedPostings, count: number, maximumTerms: number = MAXIMUM_TERMS): Int32Array[] {
  const counts = new Uint32Array(count);
  let left = maximumTerms;
  visitTerms(encoded, count, (ordinal) => {
    left -= 1;
    if (left < 0) throw new DamagedSegmentError('the postings have too many terms');
    counts[ordinal] = (counts[ordinal] ?? 0) + 1;
  });
  const lists = Array.from(counts, (length) => new Int32Array(length));
  const places = new Uint32Array(count);
  visitTerms(encoded, count, (ordinal, term) => {
    const place = places[ordinal] ?? 0;
    const list = lists[ordinal];
    if (list !== undefined) list[place] = term;
    places[ordinal] = place + 1;
  });
  for (const list of lists) list.sort();
  return lists;
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
