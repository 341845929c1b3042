import { SLICED, type StoredSegment } from '../../src/system-log/ledger/sealed/segment-store.ts';
import { END_BYTES } from '../../src/system-log/ledger/segments/bytes.ts';
import { decodeHead } from '../../src/system-log/ledger/segments/head.ts';
import { type EncodedSegment, type SegmentEvent, SegmentWriter } from '../../src/system-log/ledger/segments/segment.ts';
import type { LogConnection, LogResult } from '../../src/system-log/relay/connections.ts';

// Segments for unit tests, without a database.

const HASH = Buffer.alloc(32, 9);

/** Encodes a segment. Events are at consecutive positions unless they say otherwise. */
export function encodedSegment(events: readonly Partial<SegmentEvent>[], first = 1): EncodedSegment {
  const writer = new SegmentWriter(HASH);
  for (const [index, event] of events.entries()) {
    writer.add({
      position: first + index,
      persistedAt: 1_000_000,
      published: 1_000_000,
      eventType: 'user.session.start',
      severity: 'INFO',
      outcomeResult: null,
      body: Buffer.from(`{"number":${index}}`),
      salt: HASH,
      hash: HASH,
      terms: new Int32Array(),
      kept: null,
      ...event,
    });
  }
  return writer.finish();
}

/** Returns the columns that a sealer stores beside the strings of a segment. */
export function storedSegment(encoded: EncodedSegment, more: Partial<StoredSegment> = {}): StoredSegment {
  const { count, persisted, positions, published } = decodeHead(encoded.head);
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a segment has events');
  return {
    firstPosition: first.first,
    lastPosition: last.first + last.count - 1,
    events: count,
    firstPublished: published.first,
    lastPublished: published.last,
    firstPersistedAt: persisted.first,
    lastPersistedAt: persisted.last,
    head: encoded.head,
    buckets: encoded.bucketEnds.length / END_BYTES,
    ...more,
  };
}

/** Reads the items of an array in PostgreSQL's binary form: a header of 20 bytes, and each item after its length. */
const integersOf = (array: Buffer): number[] =>
  Array.from({ length: (array.length - 20) / 8 }, (_, index) => array.readInt32BE(24 + 8 * index));

interface AskedSlice {
  readonly lastPosition: number;
  readonly field: string;
  readonly length: number;
}

/** A connection that finds segments by position, and answers with slices of their strings. */
export class SegmentConnection implements LogConnection {
  /** The slices that each statement asked for. */
  readonly asked: (readonly AskedSlice[])[] = [];
  readonly #segments: Map<number, { readonly stored: StoredSegment; readonly encoded: EncodedSegment }>;

  constructor(...segments: readonly EncodedSegment[]) {
    const pairs = segments.map((encoded) => ({ stored: storedSegment(encoded), encoded }));
    this.#segments = new Map(pairs.map((pair) => [pair.stored.lastPosition, pair]));
  }

  delete(lastPosition: number): void {
    this.#segments.delete(lastPosition);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<LogResult> {
    return { rows: text.includes('unnest(') ? this.#slices(values) : this.#list(values), command: '' };
  }

  /** The second parameter of each list is a position, the last is the limit, and one before it may be a position. */
  #list(values: readonly unknown[]): readonly unknown[] {
    const last = values.length > 3 ? Number(values.at(-2) ?? 0) : 0;
    const after = Math.max(Number(values[1]), last);
    const found = [...this.#segments.values()].map(({ stored }) => stored);
    return found.filter(({ lastPosition }) => lastPosition > after).slice(0, Number(values.at(-1)));
  }

  #slices(values: readonly unknown[]): readonly unknown[] {
    const positions = values[1] as number[];
    const [firsts, lasts, fields, starts, lengths] = values.slice(2).map((value) => integersOf(value as Buffer));
    const asked = positions.flatMap((lastPosition, index) =>
      (fields ?? []).slice((firsts?.[index] ?? 1) - 1, lasts?.[index]).map((field, within) => ({
        lastPosition,
        field: SLICED[field] ?? '',
        start: starts?.[(firsts?.[index] ?? 1) - 1 + within] ?? 0,
        length: lengths?.[(firsts?.[index] ?? 1) - 1 + within] ?? 0,
      })),
    );
    this.asked.push(asked);
    return asked.map(({ field, lastPosition, length, start }) => {
      const encoded = this.#segments.get(lastPosition)?.encoded;
      const name = field.replace(/_ends$/, 'Ends') as keyof EncodedSegment;
      return { bytes: encoded === undefined ? null : encoded[name].subarray(start, start + length) };
    });
  }
}
