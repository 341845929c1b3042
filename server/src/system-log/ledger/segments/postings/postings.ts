import { ByteReader, ByteWriter, DamagedSegmentError } from '../bytes.ts';
import { OrdinalSet } from './ordinal-set.ts';
import { type TermPairs, termPairsOf } from './term-pairs.ts';

// The postings of a segment say which events have a search term. They are divided into buckets by the highest bits of
// the terms, so that a reader fetches only the buckets of its terms. A bucket is a list of entries in ascending order
// of terms, compared without sign. An entry consists of the distance from the previous term, the size of its postings,
// and the postings. The postings are a list of ordinals or a bitmap, whichever is shorter. Equal search terms give
// equal bytes, so a verifier can encode the search terms again and compare the bytes.

/** The maximum average number of terms in a bucket. */
const TERMS_IN_A_BUCKET = 512;
const MOST_BUCKET_BITS = 15;

/** The sizes 0 and 1 have a meaning of their own. Any other size is the length in bytes of a list of distances. */
const BITMAP = 0;
const SINGLE = 1;
const SINGLE_BYTES = 2;

const bitmapBytes = (count: number): number => (count + 7) >>> 3;

function bucketBitsFor(terms: number): number {
  let bits = 0;
  while (bits < MOST_BUCKET_BITS && terms > TERMS_IN_A_BUCKET * 2 ** bits) bits += 1;
  return bits;
}

/** Returns the bucket of a term. The number of buckets is a power of two. */
export function bucketOf(term: number, buckets: number): number {
  const bits = Math.log2(buckets);
  if (!Number.isInteger(bits) || bits < 0 || bits > MOST_BUCKET_BITS) {
    throw new DamagedSegmentError('the number of buckets is not a power of two');
  }
  return Math.floor((term >>> 0) / 2 ** (32 - bits));
}

export interface EncodedPostings {
  readonly postings: Buffer;
  readonly bucketEnds: Buffer;
}

function writeList(writer: ByteWriter, ordinals: Uint16Array): void {
  let next = 0;
  for (const ordinal of ordinals) {
    writer.varint(ordinal - next);
    next = ordinal + 1;
  }
}

/** Returns the size of a list of at least two ordinals, in bytes. */
function listBytes(ordinals: Uint16Array): number {
  let bytes = 0;
  let next = 0;
  for (const ordinal of ordinals) {
    const distance = ordinal - next;
    bytes += distance < 0x80 ? 1 : distance < 0x4000 ? 2 : 3;
    next = ordinal + 1;
  }
  return bytes;
}

function writeBitmap(writer: ByteWriter, ordinals: Uint16Array, count: number): void {
  const bitmap = new Uint8Array(bitmapBytes(count));
  for (const ordinal of ordinals) bitmap[ordinal >>> 3] = (bitmap[ordinal >>> 3] ?? 0) | (1 << (ordinal & 7));
  writer.raw(bitmap);
}

function writeOrdinals(writer: ByteWriter, ordinals: Uint16Array, count: number): void {
  const bytes = ordinals.length === 1 ? SINGLE_BYTES : listBytes(ordinals);
  if (bytes >= bitmapBytes(count)) {
    writer.varint(BITMAP);
    writeBitmap(writer, ordinals, count);
  } else if (ordinals.length === 1) {
    writer.varint(SINGLE);
    writer.uint16(ordinals[0] ?? 0);
  } else {
    writer.varint(bytes);
    writeList(writer, ordinals);
  }
}

function distinctTerms({ terms }: TermPairs): number {
  let distinct = 0;
  for (let at = 0; at < terms.length; at += 1) if (at === 0 || terms[at] !== terms[at - 1]) distinct += 1;
  return distinct;
}

/** The search terms of each event must be distinct. */
export function encodePostings(termsOfEvents: readonly Int32Array[]): EncodedPostings {
  const pairs = termPairsOf(termsOfEvents);
  const { ordinals, terms } = pairs;
  const buckets = 2 ** bucketBitsFor(distinctTerms(pairs));
  const termsOfBucket = 2 ** 32 / buckets;
  const postings = new ByteWriter(terms.length * 2 + 16);
  const ends = new ByteWriter();
  let at = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    let next = bucket * termsOfBucket;
    while (at < terms.length && (terms[at] ?? 0) < (bucket + 1) * termsOfBucket) {
      const term = terms[at] ?? 0;
      const start = at;
      while (at < terms.length && terms[at] === term) at += 1;
      postings.varint(term - next);
      writeOrdinals(postings, ordinals.subarray(start, at), termsOfEvents.length);
      next = term + 1;
    }
    ends.uint32(postings.length);
  }
  return { postings: postings.finish(), bucketEnds: ends.finish() };
}

type Visit = (ordinal: number) => void;

function checkedBitmap(bitmap: Uint8Array, count: number): Uint8Array {
  if ((bitmap.at(-1) ?? 0) >>> (((count - 1) & 7) + 1) !== 0) {
    throw new DamagedSegmentError('a bitmap names an event beyond the segment');
  }
  return bitmap;
}

function visitBitmap(bitmap: Uint8Array, count: number, visit: Visit): void {
  checkedBitmap(bitmap, count);
  for (let index = 0; index < bitmap.length; index += 1) {
    for (let rest = bitmap[index] ?? 0; rest !== 0; rest &= rest - 1) visit(index * 8 + 31 - Math.clz32(rest & -rest));
  }
}

function visitList(list: Uint8Array, count: number, visit: Visit): void {
  const reader = new ByteReader(list);
  for (let next = 0; !reader.isAtEnd; next += 1) {
    next += reader.varint(count);
    if (next >= count) throw new DamagedSegmentError('a list names an event beyond the segment');
    visit(next);
  }
}

function visitSingle(bytes: Uint8Array, count: number, visit: Visit): void {
  const ordinal = new ByteReader(bytes).uint16();
  if (ordinal >= count) throw new DamagedSegmentError('a posting names an event beyond the segment');
  visit(ordinal);
}

export interface BucketPlace {
  readonly bucket: number;
  readonly buckets: number;
  readonly count: number;
}

/** A walk through the entries of a bucket. It makes no objects, because most entries are passed over. */
export class BucketWalk {
  readonly #bytes: Uint8Array;
  readonly #reader: ByteReader;
  readonly #end: number;
  readonly #count: number;
  #next: number;
  #size = 0;
  #start = 0;
  /** The term of the entry that `advance` has reached, as an unsigned number. */
  term = -1;

  constructor(bytes: Uint8Array, { bucket, buckets, count }: BucketPlace) {
    this.#bytes = bytes;
    this.#reader = new ByteReader(bytes);
    this.#next = bucket * (2 ** 32 / buckets);
    this.#end = (bucket + 1) * (2 ** 32 / buckets);
    this.#count = count;
  }

  advance(): boolean {
    const reader = this.#reader;
    if (reader.isAtEnd) return false;
    this.term = this.#next + reader.varint(2 ** 32);
    if (this.term >= this.#end) throw new DamagedSegmentError('a bucket contains a term of another bucket');
    this.#next = this.term + 1;
    const size = reader.varint(this.#bytes.length);
    this.#size = size;
    this.#start = reader.at;
    reader.skip(size === BITMAP ? bitmapBytes(this.#count) : size === SINGLE ? SINGLE_BYTES : size);
    return true;
  }

  get #stored(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#reader.at);
  }

  ordinals(): OrdinalSet {
    if (this.#size === BITMAP) return OrdinalSet.ofBitmap(checkedBitmap(this.#stored, this.#count), this.#count);
    const found = new OrdinalSet(this.#count);
    this.visitOrdinals((ordinal) => found.add(ordinal));
    return found;
  }

  visitOrdinals(visit: Visit): void {
    const stored = this.#stored;
    const visitAll = this.#size === BITMAP ? visitBitmap : this.#size === SINGLE ? visitSingle : visitList;
    visitAll(stored, this.#count, visit);
  }
}

/** Finds the events that have a search term. `bytes` is the bucket of the term, and `count` is the number of events. */
export function lookUpTerm(bytes: Uint8Array, term: number, buckets: number, count: number): OrdinalSet {
  const walk = new BucketWalk(bytes, { bucket: bucketOf(term, buckets), buckets, count });
  const wanted = term >>> 0;
  while (walk.term < wanted && walk.advance()) {
    if (walk.term === wanted) return walk.ordinals();
  }
  return new OrdinalSet(count);
}
