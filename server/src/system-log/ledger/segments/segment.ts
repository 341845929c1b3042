import { deflatePart, MAXIMUM_BODY_BYTES, PART_EVENTS } from './bodies/bodies.ts';
import { ByteWriter } from './bytes.ts';
import { packNumbers, widthFor } from './fixed-width.ts';
import { type EventKind, encodeHead, HASH_BYTES, type KeptFacts, MAXIMUM_EVENTS, runsOf } from './head.ts';
import { type EncodedPostings, encodePostings } from './postings/postings.ts';
import { dayOf, frameOf, packTimes } from './times.ts';

export interface SegmentEvent extends EventKind {
  readonly position: number;
  /** The time at which the relay appended the event, in microseconds (`microsecondsOf`). */
  readonly persistedAt: number;
  readonly published: number;
  readonly body: Uint8Array;
  readonly salt: Buffer | null;
  readonly hash: Buffer;
  /** The distinct search terms of the event in ascending order. */
  readonly terms: Int32Array;
  /**
   * The facts about an erased event, whose digest does not follow from its salt and body. This is null for any other
   * event.
   */
  readonly kept: KeptFacts | null;
}

export interface EncodedSegment extends EncodedPostings {
  readonly head: Buffer;
  readonly published: Buffer;
  readonly persisted: Buffer;
  /** The kind of each event, as an index into the head's list of kinds. */
  readonly kinds: Buffer;
  readonly salts: Buffer;
  readonly hashes: Buffer;
  readonly bodies: Buffer;
  /** The place at which each part of the bodies ends. */
  readonly partEnds: Buffer;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Tells whether a time is in range. The difference of two times in range is exact. */
const isKnownTime = (microseconds: number): boolean =>
  Number.isSafeInteger(microseconds) && Math.abs(microseconds) < 2 ** 52;

/** A segment ends early if its bodies take this many bytes, before or after compression. */
const MAXIMUM_BYTES = { plain: 64_000_000, compressed: 8_000_000 } as const;

function refuse(reason: string): never {
  throw new RangeError(`the event cannot be in the segment: ${reason}`);
}

function areAscending(terms: Int32Array): boolean {
  for (let index = 1; index < terms.length; index += 1) {
    if ((terms[index] ?? 0) <= (terms[index - 1] ?? 0)) return false;
  }
  return true;
}

export function checkContent({
  body,
  kept,
  salt,
  terms,
}: Pick<SegmentEvent, 'body' | 'kept' | 'salt' | 'terms'>): void {
  if (!areAscending(terms)) refuse('its search terms are not in ascending order');
  if (salt === null ? kept === null : salt.length !== HASH_BYTES) refuse('its salt or its digest is missing');
  if (kept !== null && (kept.digest.length !== HASH_BYTES || !UUID.test(kept.uuid))) refuse('its facts are not valid');
  if (kept !== null && kept.erasedAt !== null && !isKnownTime(kept.erasedAt)) refuse('its erasure is out of range');
  if (body.length > MAXIMUM_BODY_BYTES) refuse('its body is too large');
}

export class KindTable {
  readonly kinds: EventKind[] = [];
  readonly #numbersByType = new Map<string, number[]>();

  numberOf({ eventType, outcomeResult, severity }: EventKind): number {
    const numbers = this.#numbersByType.get(eventType) ?? [];
    for (const number of numbers) {
      const kind = this.kinds[number];
      if (kind?.severity === severity && kind.outcomeResult === outcomeResult) return number;
    }
    this.#numbersByType.set(eventType, [...numbers, this.kinds.length]);
    return this.kinds.push({ eventType, severity, outcomeResult }) - 1;
  }

  pack(numbers: readonly number[]): Buffer {
    return packNumbers(numbers, widthFor(this.kinds.length - 1));
  }
}

export const NO_SALT = Buffer.alloc(HASH_BYTES);

/**
 * A writer packs the events of one org into a segment. The events are added in ascending order of position, and come
 * from one UTC day. Bodies are compressed part by part, so that the writer does not keep the texts of a whole segment
 * in memory.
 */
export class SegmentWriter {
  readonly #previousHash: Buffer;
  readonly #positions: number[] = [];
  readonly #published: number[] = [];
  readonly #persisted: number[] = [];
  readonly #kindTable = new KindTable();
  readonly #kinds: number[] = [];
  readonly #salts = new ByteWriter();
  readonly #hashes = new ByteWriter();
  readonly #kept = new Map<number, KeptFacts>();
  readonly #saltless = new Set<number>();
  readonly #terms: Int32Array[] = [];
  readonly #bodies = new ByteWriter();
  readonly #partEnds = new ByteWriter();
  #plainBytes = 0;
  #open: Uint8Array[] = [];

  /** `previousHash` is the hash that the first event is chained to. */
  constructor(previousHash: Buffer) {
    if (previousHash.length !== HASH_BYTES) throw new RangeError('a hash has 32 bytes');
    this.#previousHash = previousHash;
  }

  get count(): number {
    return this.#positions.length;
  }

  get isFull(): boolean {
    const { compressed, plain } = MAXIMUM_BYTES;
    return this.count === MAXIMUM_EVENTS || this.#plainBytes >= plain || this.#bodies.length >= compressed;
  }

  /** Throws RangeError, and adds nothing, if the event cannot be in the segment. */
  add(event: SegmentEvent): void {
    this.#check(event);
    checkContent(event);
    const ordinal = this.count;
    this.#positions.push(event.position);
    this.#published.push(event.published);
    this.#persisted.push(event.persistedAt);
    this.#kinds.push(this.#kindTable.numberOf(event));
    this.#salts.raw(event.salt ?? NO_SALT);
    this.#hashes.raw(event.hash);
    if (event.salt === null) this.#saltless.add(ordinal);
    if (event.kept !== null) this.#kept.set(ordinal, event.kept);
    this.#terms.push(event.terms);
    this.#open.push(event.body);
    this.#plainBytes += event.body.length;
    if (this.#open.length === PART_EVENTS) this.#closePart();
  }

  #check({ hash, persistedAt, position, published }: SegmentEvent): void {
    const previous = this.#positions.at(-1) ?? 0;
    if (this.isFull) refuse('the segment is full');
    // The end of a run of positions must be exact too.
    if (!Number.isSafeInteger(position + 1) || position <= previous) refuse('its position is not after the last one');
    if (!isKnownTime(persistedAt) || !isKnownTime(published)) refuse('one of its times is out of range');
    if (dayOf(persistedAt) !== dayOf(this.#persisted[0] ?? persistedAt)) refuse('it belongs to another day');
    if (hash.length !== HASH_BYTES) refuse('its hash does not have 32 bytes');
  }

  #closePart(): void {
    this.#bodies.raw(deflatePart(this.#open));
    this.#partEnds.uint32(this.#bodies.length);
    this.#open = [];
  }

  /** The caller must add no event afterwards. */
  finish(): EncodedSegment {
    if (this.count === 0) throw new RangeError('a segment has at least one event');
    if (this.#open.length > 0) this.#closePart();
    const published = frameOf(this.#published);
    const persisted = frameOf(this.#persisted);
    return {
      head: encodeHead({
        count: this.count,
        positions: runsOf(this.#positions),
        published,
        persisted,
        previousHash: this.#previousHash,
        kinds: this.#kindTable.kinds,
        kept: this.#kept,
        saltless: this.#saltless,
      }),
      published: packTimes(this.#published, published),
      persisted: packTimes(this.#persisted, persisted),
      kinds: this.#kindTable.pack(this.#kinds),
      salts: this.#salts.finish(),
      hashes: this.#hashes.finish(),
      bodies: this.#bodies.finish(),
      partEnds: this.#partEnds.finish(),
      ...encodePostings(this.#terms),
    };
  }
}
