import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { MAXIMUM_PART_BYTES, PART_EVENTS } from '../segments/bodies/bodies.ts';
import { DamagedSegmentError, END_BYTES } from '../segments/bytes.ts';
import { widthFor } from '../segments/fixed-width.ts';
import { decodeHead, type EventKind, HASH_BYTES, positionAt, type SegmentHead } from '../segments/head.ts';
import { bucketOf } from '../segments/postings/postings.ts';
import { kindAt } from '../segments/read-segment.ts';
import { timeWidth, unpackTime } from '../segments/times.ts';
import { readSlices, type Slice, type StoredSegment } from './segment-store.ts';

/** A byte string whose items have a fixed width. All but `part_ends` have one item for each event. */
export type Column = 'published' | 'persisted' | 'kinds' | 'salts' | 'hashes' | 'part_ends';

/** Items that are at most this many bytes apart are read as one slice, which costs less than two. */
const NEAR_BYTES = 1_000;

interface LoadedColumn {
  readonly width: number;
  readonly bytes: Buffer;
  /** Whether an item has been loaded, by its index. */
  readonly isLoaded: Uint8Array;
}

/**
 * Refuses a segment whose columns or head no sealer writes, before anything else of it is read. The positions of a
 * chain have no gaps, so the head has one run of positions, and each look-up of a position is one step.
 */
function checkedHead(stored: StoredSegment): SegmentHead {
  const { buckets, events, firstPersistedAt, firstPosition, firstPublished, lastPersistedAt, lastPosition } = stored;
  if (events !== lastPosition - firstPosition + 1) throw new DamagedSegmentError('the positions have gaps');
  const times = [firstPublished, stored.lastPublished, firstPersistedAt, lastPersistedAt];
  if (times.some(Number.isNaN)) throw new DamagedSegmentError('a time is out of range');
  // This call refuses a number of buckets that is not a power of two.
  bucketOf(0, buckets);
  const head = decodeHead(stored.head);
  if (head.count !== events) throw new DamagedSegmentError('the number of events is not that of the head');
  if (head.positions.length > 1) throw new DamagedSegmentError('the positions have gaps');
  return head;
}

/** A segment of which some columns are loaded in part. */
export class OpenSegment {
  readonly stored: StoredSegment;
  readonly head: SegmentHead;
  readonly #columns = new Map<Column, LoadedColumn>();

  constructor(stored: StoredSegment) {
    this.stored = stored;
    this.head = checkedHead(stored);
  }

  #widthOf(column: Column): number {
    if (column === 'published' || column === 'persisted') return timeWidth(this.head[column]);
    if (column === 'kinds') return widthFor(this.head.kinds.length - 1);
    return column === 'part_ends' ? END_BYTES : HASH_BYTES;
  }

  #column(column: Column): LoadedColumn {
    const present = this.#columns.get(column);
    if (present !== undefined) return present;
    const items = column === 'part_ends' ? Math.ceil(this.head.count / PART_EVENTS) : this.head.count;
    const width = this.#widthOf(column);
    const made = { width, bytes: Buffer.alloc(items * width), isLoaded: new Uint8Array(items) };
    this.#columns.set(column, made);
    return made;
  }

  /** Returns the slices that contain those of the given items that are not loaded. The items must be ascending. */
  missing(column: Column, items: readonly number[]): Slice[] {
    const { isLoaded, width } = this.#column(column);
    const slices: { lastPosition: number; field: Column; start: number; length: number }[] = [];
    if (width === 0) return slices;
    for (const item of items) {
      if (isLoaded[item] === 1) continue;
      const start = item * width;
      const last = slices.at(-1);
      if (last !== undefined && start - (last.start + last.length) <= NEAR_BYTES) {
        last.length = Math.max(last.length, start + width - last.start);
      } else slices.push({ lastPosition: this.stored.lastPosition, field: column, start, length: width });
    }
    return slices;
  }

  keep(column: Column, start: number, slice: Buffer): void {
    const { bytes, isLoaded, width } = this.#column(column);
    slice.copy(bytes, start);
    isLoaded.fill(1, start / width, (start + slice.length) / width);
  }

  /** Returns the bytes of an item, which must be loaded. */
  #itemAt(column: Column, item: number): Buffer {
    const { bytes, isLoaded, width } = this.#column(column);
    if (width > 0 && isLoaded[item] !== 1) throw new RangeError(`the item ${item} of ${column} is not loaded`);
    return bytes.subarray(item * width, (item + 1) * width);
  }

  positionAt(ordinal: number): number {
    return positionAt(this.head, ordinal);
  }

  publishedAt(ordinal: number): number {
    return unpackTime(this.#itemAt('published', ordinal), 0, this.head.published);
  }

  persistedAt(ordinal: number): number {
    return unpackTime(this.#itemAt('persisted', ordinal), 0, this.head.persisted);
  }

  kindAt(ordinal: number): EventKind {
    return kindAt(this.#itemAt('kinds', ordinal), 0, this.head);
  }

  saltAt(ordinal: number): Buffer | null {
    return this.head.saltless.has(ordinal) ? null : this.#itemAt('salts', ordinal);
  }

  hashAt(ordinal: number): Buffer {
    return this.#itemAt('hashes', ordinal);
  }

  /** Returns the place of a part of the bodies. The ends of this part and of the part before it must be loaded. */
  partRange(number: number): { readonly start: number; readonly end: number } {
    const start = number === 0 ? 0 : this.#itemAt('part_ends', number - 1).readUInt32BE();
    const end = this.#itemAt('part_ends', number).readUInt32BE();
    if (end < start) throw new DamagedSegmentError('the ends of pieces do not rise');
    if (end - start > MAXIMUM_PART_BYTES) throw new DamagedSegmentError('a part of the bodies is too long');
    return { start, end };
  }
}

export interface WantedItems {
  readonly segment: OpenSegment;
  readonly column: Column;
  /** The indexes of the items, in ascending order. */
  readonly items: readonly number[];
}

/** Loads items of columns with one statement. */
export async function loadItems(
  connection: LogConnection,
  orgId: OrgId,
  wanted: readonly WantedItems[],
): Promise<void> {
  const missing = wanted.flatMap(({ column, items, segment }) =>
    segment.missing(column, items).map((slice) => ({ column, segment, slice })),
  );
  const found = await readSlices(
    connection,
    orgId,
    missing.map(({ slice }) => slice),
  );
  for (const [index, { column, segment, slice }] of missing.entries()) {
    const bytes = found[index];
    if (bytes !== undefined) segment.keep(column, slice.start, bytes);
  }
}

/** Returns the entries of the table of parts that lead to the parts of some events, whose ordinals are ascending. */
export function partEndsOf(ordinals: readonly number[]): number[] {
  const ends = new Set<number>();
  for (const ordinal of ordinals) {
    const number = Math.floor(ordinal / PART_EVENTS);
    if (number > 0) ends.add(number - 1);
    ends.add(number);
  }
  return [...ends];
}
