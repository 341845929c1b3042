import { ALL_OF_PART, bodyAt, deflatePart, inflateBodies, PART_EVENTS } from './bodies/bodies.ts';
import { ByteWriter, pieceCount, pieceOf } from './bytes.ts';
import { encodeHead, HASH_BYTES } from './head.ts';
import { encodePostings } from './postings/postings.ts';
import { allTerms, checkedHead, kindAt, partsFor } from './read-segment.ts';
import { checkContent, type EncodedSegment, KindTable, NO_SALT, type SegmentEvent } from './segment.ts';

/** The content that replaces an event's content. The position, times and hash of the event stay as they are. */
export type NewContent = Omit<SegmentEvent, 'position' | 'persistedAt' | 'published' | 'hash'>;

export type RewrittenSegment = Omit<EncodedSegment, 'published' | 'persisted' | 'hashes'>;

type Replacements = ReadonlyMap<number, NewContent>;

function newBodies({ bodies, partEnds }: EncodedSegment, replacements: Replacements, count: number) {
  const ordinals = [...replacements.keys()].sort((left, right) => left - right);
  const changed = new Map<number, Buffer>();
  for (const { events, number } of partsFor(ordinals, count)) {
    const old = inflateBodies([{ part: pieceOf(bodies, partEnds, number), events, wanted: ALL_OF_PART }]);
    const texts = Array.from(
      { length: events },
      (_, index) => replacements.get(number * PART_EVENTS + index)?.body ?? bodyAt(old, index),
    );
    changed.set(number, deflatePart(texts));
  }
  const joined = new ByteWriter(bodies.length);
  const ends = new ByteWriter(partEnds.length);
  for (let number = 0; number < pieceCount(partEnds); number += 1) {
    joined.raw(changed.get(number) ?? pieceOf(bodies, partEnds, number));
    ends.uint32(joined.length);
  }
  return { bodies: joined.finish(), partEnds: ends.finish() };
}

function newSalts({ salts }: EncodedSegment, replacements: Replacements): Buffer {
  const copy = Buffer.from(salts);
  for (const [ordinal, { salt }] of replacements) copy.set(salt ?? NO_SALT, ordinal * HASH_BYTES);
  return copy;
}

function newPostings(segment: EncodedSegment, replacements: Replacements, count: number) {
  const terms = allTerms(segment, count);
  for (const [ordinal, content] of replacements) terms[ordinal] = content.terms;
  return encodePostings(terms);
}

/**
 * Replaces the content of some events, which are given by their ordinals, and returns what changes. The result contains
 * no trace of the old content. The parts of these events are compressed anew, and search terms and kinds that no event
 * has any more are dropped.
 */
export function rewriteSegment(segment: EncodedSegment, replacements: Replacements): RewrittenSegment {
  const head = checkedHead(segment);
  const { count } = head;
  const kept = new Map(head.kept);
  const saltless = new Set(head.saltless);
  for (const [ordinal, content] of replacements) {
    if (!Number.isInteger(ordinal) || ordinal < 0 || ordinal >= count) throw new RangeError('there is no such event');
    checkContent(content);
    if (content.kept === null) kept.delete(ordinal);
    else kept.set(ordinal, content.kept);
    if (content.salt === null) saltless.add(ordinal);
    else saltless.delete(ordinal);
  }
  const table = new KindTable();
  const kinds = Array.from({ length: count }, (_, ordinal) =>
    table.numberOf(replacements.get(ordinal) ?? kindAt(segment.kinds, ordinal, head)),
  );
  return {
    head: encodeHead({ ...head, kinds: table.kinds, kept, saltless }),
    kinds: table.pack(kinds),
    salts: newSalts(segment, replacements),
    ...newBodies(segment, replacements, count),
    ...newPostings(segment, replacements, count),
  };
}
