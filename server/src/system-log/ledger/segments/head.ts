import { ByteReader, ByteWriter, DamagedSegmentError } from './bytes.ts';
import type { TimeFrame } from './times.ts';

// The head of a segment is small. It contains the facts that a reader needs before it can use a slice of a column.

/** The number of the segment format that this release writes. The head begins with this number. */
export const SEGMENT_FORMAT = 1;

export const MAXIMUM_EVENTS = 32_768;
export const HASH_BYTES = 32;
const UUID_BYTES = 16;

export interface PositionRun {
  readonly first: number;
  readonly count: number;
}

/** The facts that many events of a segment share. */
export interface EventKind {
  readonly eventType: string;
  readonly severity: string;
  readonly outcomeResult: string | null;
}

/** The facts about an event that do not follow from its body, usually because the event was erased. */
export interface KeptFacts {
  readonly uuid: string;
  readonly digest: Buffer;
  /** The time of the erasure, in microseconds. It is null if the row does not say that the event was erased. */
  readonly erasedAt: number | null;
}

export interface SegmentHead {
  readonly count: number;
  readonly positions: readonly PositionRun[];
  readonly published: TimeFrame;
  readonly persisted: TimeFrame;
  /** The hash that the first event is chained to. */
  readonly previousHash: Buffer;
  readonly kinds: readonly EventKind[];
  /** The facts of erased events, by ordinal. */
  readonly kept: ReadonlyMap<number, KeptFacts>;
  /** The ordinals of the events without a salt. Their place in the column of salts contains zeros. */
  readonly saltless: ReadonlySet<number>;
}

function writeFrame(writer: ByteWriter, { first, last, unit }: TimeFrame): void {
  writer.varint(unit);
  writer.signed(first);
  writer.varint((last - first) / unit);
}

function readFrame(reader: ByteReader): TimeFrame {
  const unit = reader.varint(1_000);
  if (unit !== 1 && unit !== 1_000) throw new DamagedSegmentError('the unit of times is unknown');
  const first = reader.signed();
  const last = first + reader.varint(Number.MAX_SAFE_INTEGER) * unit;
  if (!Number.isSafeInteger(last)) throw new DamagedSegmentError('a time is too late');
  return { first, last, unit };
}

function writePositions(writer: ByteWriter, runs: readonly PositionRun[]): void {
  let next = 0;
  for (const { count, first } of runs) {
    writer.varint(first - next);
    writer.varint(count);
    next = first + count;
  }
}

function readPositions(reader: ByteReader, count: number): PositionRun[] {
  const runs: PositionRun[] = [];
  let next = 0;
  for (let left = count; left > 0; ) {
    const first = next + reader.varint(Number.MAX_SAFE_INTEGER);
    const length = reader.varint(left);
    next = first + length;
    if (length === 0 || !Number.isSafeInteger(next)) throw new DamagedSegmentError('the positions are not valid');
    runs.push({ first, count: length });
    left -= length;
  }
  return runs;
}

function readText(reader: ByteReader): string {
  const text = reader.text();
  if (text === null) throw new DamagedSegmentError('a text is missing');
  return text;
}

function readKinds(reader: ByteReader, count: number): EventKind[] {
  const kinds: EventKind[] = [];
  for (let left = reader.varint(count); left > 0; left -= 1) {
    kinds.push({ eventType: readText(reader), severity: readText(reader), outcomeResult: reader.text() });
  }
  if (kinds.length === 0) throw new DamagedSegmentError('a segment has no kinds of events');
  return kinds;
}

function writeKept(writer: ByteWriter, { digest, erasedAt, uuid }: KeptFacts): void {
  writer.raw(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
  writer.raw(digest);
  writer.varint(erasedAt === null ? 0 : 1);
  if (erasedAt !== null) writer.signed(erasedAt);
}

function readKept(reader: ByteReader): KeptFacts {
  const hex = Buffer.from(reader.raw(UUID_BYTES)).toString('hex');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const digest = Buffer.from(reader.raw(HASH_BYTES));
  return { uuid, digest, erasedAt: reader.varint(1) === 1 ? reader.signed() : null };
}

/** Writes ordinals in ascending order, each as the number of ordinals skipped since the previous one. */
function writeOrdinals(writer: ByteWriter, ordinals: Iterable<number>, write: (ordinal: number) => void): void {
  const sorted = [...ordinals].sort((left, right) => left - right);
  writer.varint(sorted.length);
  let next = 0;
  for (const ordinal of sorted) {
    writer.varint(ordinal - next);
    write(ordinal);
    next = ordinal + 1;
  }
}

function readOrdinals(reader: ByteReader, count: number, read: (ordinal: number) => void): void {
  let next = 0;
  for (let left = reader.varint(count); left > 0; left -= 1) {
    next += reader.varint(count);
    if (next >= count) throw new DamagedSegmentError('the head names an event beyond the segment');
    read(next);
    next += 1;
  }
}

export function encodeHead(head: SegmentHead): Buffer {
  const writer = new ByteWriter();
  writer.varint(SEGMENT_FORMAT);
  writer.varint(head.count);
  writePositions(writer, head.positions);
  writeFrame(writer, head.published);
  writeFrame(writer, head.persisted);
  writer.raw(head.previousHash);
  writer.varint(head.kinds.length);
  for (const { eventType, outcomeResult, severity } of head.kinds) {
    for (const text of [eventType, severity, outcomeResult]) writer.text(text);
  }
  writeOrdinals(writer, head.saltless, () => undefined);
  writeOrdinals(writer, head.kept.keys(), (ordinal) => {
    const facts = head.kept.get(ordinal);
    if (facts !== undefined) writeKept(writer, facts);
  });
  return writer.finish();
}

export function decodeHead(bytes: Uint8Array): SegmentHead {
  const reader = new ByteReader(bytes);
  const format = reader.byte();
  if (format !== SEGMENT_FORMAT) throw new DamagedSegmentError(`the segment has the unknown format ${format}`);
  const count = reader.varint(MAXIMUM_EVENTS);
  if (count === 0) throw new DamagedSegmentError('a segment has no events');
  const positions = readPositions(reader, count);
  const published = readFrame(reader);
  const persisted = readFrame(reader);
  const previousHash = Buffer.from(reader.raw(HASH_BYTES));
  const kinds = readKinds(reader, count);
  const saltless = new Set<number>();
  readOrdinals(reader, count, (ordinal) => saltless.add(ordinal));
  const kept = new Map<number, KeptFacts>();
  readOrdinals(reader, count, (ordinal) => kept.set(ordinal, readKept(reader)));
  if (!reader.isAtEnd) throw new DamagedSegmentError('the head goes on after its end');
  return { count, positions, published, persisted, previousHash, kinds, kept, saltless };
}

export function runsOf(positions: readonly number[]): PositionRun[] {
  const runs: { first: number; count: number }[] = [];
  for (const position of positions) {
    const run = runs.at(-1);
    if (run !== undefined && position === run.first + run.count) run.count += 1;
    else runs.push({ first: position, count: 1 });
  }
  return runs;
}

export function positionsOf({ positions }: SegmentHead): number[] {
  return positions.flatMap(({ count, first }) => Array.from({ length: count }, (_, index) => first + index));
}

/** Returns the position of the event with an ordinal. */
export function positionAt({ positions }: SegmentHead, ordinal: number): number {
  let before = 0;
  for (const { count, first } of positions) {
    if (ordinal < before + count) return first + ordinal - before;
    before += count;
  }
  throw new RangeError('there is no such event');
}

/** Returns the ordinal of the first event at or after a position, or the number of events if there is none. */
export function ordinalFrom({ positions }: SegmentHead, position: number): number {
  let before = 0;
  for (const { count, first } of positions) {
    if (position < first + count) return before + Math.max(0, position - first);
    before += count;
  }
  return before;
}
