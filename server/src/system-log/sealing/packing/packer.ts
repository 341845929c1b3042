import { createHash } from 'node:crypto';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type EncodedSegment, SegmentWriter } from '../../ledger/segments/segment.ts';
import { dayOf, microsecondsOf } from '../../ledger/segments/times.ts';
import { type ChainEnd, type RowFault, rowFault, segmentEvent, type UnsealedRow } from './unsealed-row.ts';

export interface PackStart {
  readonly orgId: OrgId;
  /** The event that the first row must follow. */
  readonly from: ChainEnd;
  readonly maximumEvents: number;
}

/**
 * The reason why a segment takes no further rows: it is full, the next row is of another day, or the next row has a
 * fault.
 */
export type SegmentEnd = 'full' | 'day' | 'fault';

export interface PackedPage {
  /** The number of rows of the page that are in the segment. */
  readonly taken: number;
  readonly end: SegmentEnd | null;
  readonly fault: RowFault | null;
}

export interface PackedSegment {
  readonly segment: EncodedSegment;
  readonly count: number;
  readonly last: ChainEnd;
  /** The SHA-256 of what identifies the rows. `write-segment-store.ts` computes it from the rows that it deletes. */
  readonly fingerprint: Buffer;
}

/**
 * A segment ends early when it has this many search terms, twice as many as usual events have. Sorting them takes 12
 * bytes for each.
 */
const MOST_TERMS = 4_000_000;

/** The part of the fingerprint that stands for one row. */
function printOf({ digest, hash, persistedAt, position, salt }: UnsealedRow): Buffer {
  const numbers = Buffer.alloc(16);
  numbers.writeBigInt64BE(BigInt(position), 0);
  numbers.writeBigInt64BE(BigInt(microsecondsOf(persistedAt)), 8);
  return Buffer.concat([numbers, hash, digest, salt ?? Buffer.alloc(0)]);
}

/** A packer checks rows and packs them into one segment. */
export class Packer {
  readonly #start: PackStart;
  readonly #writer: SegmentWriter;
  readonly #fingerprint = createHash('sha256');
  #last: ChainEnd;
  #day: number | null = null;
  #terms = 0;

  constructor(start: PackStart) {
    this.#start = start;
    this.#last = start.from;
    this.#writer = new SegmentWriter(start.from.hash);
  }

  get #isFull(): boolean {
    return this.#writer.isFull || this.#writer.count >= this.#start.maximumEvents || this.#terms >= MOST_TERMS;
  }

  /** Packs the next rows, up to the end of the segment. */
  add(rows: readonly UnsealedRow[]): PackedPage {
    for (const [taken, row] of rows.entries()) {
      const fault = rowFault(this.#start.orgId, this.#last, row);
      if (fault !== null) return { taken, end: 'fault', fault };
      const day = dayOf(microsecondsOf(row.persistedAt));
      if (this.#day !== null && day !== this.#day) return { taken, end: 'day', fault: null };
      const refusal = this.#pack(row);
      if (refusal !== null) return { taken, end: 'fault', fault: { position: row.position, detail: refusal } };
      this.#day = day;
      if (this.#isFull) return { taken: taken + 1, end: 'full', fault: null };
    }
    return { taken: rows.length, end: null, fault: null };
  }

  /** Returns the reason if the format has no place for the row. */
  #pack(row: UnsealedRow): string | null {
    const event = segmentEvent(this.#start.orgId, row);
    try {
      this.#writer.add(event);
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
    this.#terms += event.terms.length;
    this.#fingerprint.update(printOf(row));
    this.#last = { position: row.position, hash: row.hash, persistedAt: row.persistedAt };
    return null;
  }

  /** Adding rows afterwards is not possible. */
  finish(): PackedSegment {
    return {
      segment: this.#writer.finish(),
      count: this.#writer.count,
      last: this.#last,
      fingerprint: this.#fingerprint.digest(),
    };
  }
}
