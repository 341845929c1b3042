import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter, DamagedSegmentError } from '../bytes.ts';
import { DICTIONARY } from './dictionary.ts';

// The bodies of `PART_EVENTS` consecutive events are compressed together, as one part. A part contains the length of
// each body, and then a raw deflate stream that begins after the dictionary. The stream ends with an empty stored
// block, which aligns it to a byte. The constant bytes of that block are left out.

/** The number of events in a part. The last part of a segment may have fewer. */
export const PART_EVENTS = 4;

/** A body has at most 1,000,000 bytes when it is written. This higher limit allows for rows of another origin. */
export const MAXIMUM_BODY_BYTES = 16_000_000;
/** The largest size of a stored part. Bytes that cannot be compressed grow a little. */
export const MAXIMUM_PART_BYTES: number = PART_EVENTS * MAXIMUM_BODY_BYTES + 1_000_000;

/** The end of an empty stored block (RFC 1951 3.2.4): its length and the complement of its length. */
const EMPTY_BLOCK = Buffer.from('0000ffff', 'hex');
/** The last block of a stream, which is empty. */
const LAST_BLOCK = Buffer.from('0300', 'hex');
const STORED_BLOCK = Buffer.from([0]);

/** The dictionary as the length, the complement of the length and the content of a stored block. */
const DICTIONARY_BLOCK = Buffer.alloc(4 + DICTIONARY.length);
DICTIONARY_BLOCK.writeUInt16LE(DICTIONARY.length, 0);
DICTIONARY_BLOCK.writeUInt16LE(0xffff - DICTIONARY.length, 2);
DICTIONARY.copy(DICTIONARY_BLOCK, 4);

/** A deflate stream inflates to at most this many times its length, because two bits stand for at most 258 bytes. */
const MOST_GROWTH = 1_032;

/**
 * A group of parts that are inflated together ends when its output reaches this number of bytes. The output should fit
 * into the cache of a processor.
 */
const GROUP_BYTES = 750_000;

export function deflatePart(bodies: readonly Uint8Array[]): Buffer {
  const part = new ByteWriter();
  for (const { length } of bodies) part.varint(length);
  const joined = Buffer.concat(bodies);
  const stream = deflateRawSync(joined, {
    level: 6,
    dictionary: DICTIONARY,
    finishFlush: constants.Z_SYNC_FLUSH,
    // Most parts fit into one chunk of this size, which Node takes from its pool of buffers.
    chunkSize: 2_048,
  });
  if (!stream.subarray(-EMPTY_BLOCK.length).equals(EMPTY_BLOCK)) throw new Error('a part does not end with a block');
  part.raw(stream.subarray(0, -EMPTY_BLOCK.length));
  return part.finish();
}

export interface WantedPart {
  readonly part: Uint8Array;
  readonly events: number;
  /** The bodies that are wanted, as bits. The lowest bit is the first event of the part. */
  readonly wanted: number;
}

/** The wanted bodies, one after the other. */
export interface InflatedBodies {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
}

export const ALL_OF_PART: number = 2 ** PART_EVENTS - 1;

interface OpenPart {
  readonly stream: Uint8Array;
  readonly lengths: readonly number[];
  readonly wanted: number;
  readonly bytes: number;
}

function openPart({ events, part, wanted }: WantedPart): OpenPart {
  const reader = new ByteReader(part);
  const most = Math.min(part.length * MOST_GROWTH, MAXIMUM_BODY_BYTES);
  const lengths = Array.from({ length: events }, () => reader.varint(most));
  const stream = part.subarray(reader.at);
  const bytes = lengths.reduce((sum, length) => sum + length, 0);
  if (bytes > stream.length * MOST_GROWTH) throw new DamagedSegmentError('a part is too short for its bodies');
  return { stream, lengths, wanted, bytes };
}

/** Returns the number of bytes of all bodies of a part, without inflating it. */
export const plainBytesOf = (part: Uint8Array, events: number): number => openPart({ part, events, wanted: 0 }).bytes;

const outputBytes = ({ bytes }: OpenPart): number => DICTIONARY.length + bytes;

function groupsOf(parts: readonly OpenPart[]): OpenPart[][] {
  const groups: OpenPart[][] = [];
  let size = GROUP_BYTES;
  for (const part of parts) {
    if (size >= GROUP_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(part);
    size += outputBytes(part);
  }
  return groups;
}

/**
 * Inflates several parts as one stream, in which the dictionary precedes each part as a stored block. A call for each
 * part would cost much more.
 */
function inflateTogether(parts: readonly OpenPart[]): Buffer {
  const size = parts.reduce((sum, part) => sum + outputBytes(part), 0);
  const pieces = parts.flatMap(({ stream }) => [DICTIONARY_BLOCK, stream]);
  const stream = Buffer.concat([STORED_BLOCK, ...pieces, EMPTY_BLOCK, LAST_BLOCK]);
  let output: Buffer;
  try {
    // One chunk that is never quite full holds the output, so that nothing is copied.
    output = inflateRawSync(stream, { maxOutputLength: size, chunkSize: size + 64 });
  } catch (error) {
    throw new DamagedSegmentError('a part cannot be inflated', { cause: error });
  }
  if (output.length !== size) throw new DamagedSegmentError('a part does not have the length of its bodies');
  return output;
}

/**
 * Copies the wanted bodies to `to`, starting at `place.at`, which it advances. Returns the offset at which each one
 * ends.
 */
function copyWanted(parts: readonly OpenPart[], inflated: Buffer, to: Buffer, place: { at: number }): number[] {
  const ends: number[] = [];
  let from = 0;
  for (const { bytes, lengths, wanted } of parts) {
    // A damaged part before this one may inflate to more or fewer bytes than its lengths say.
    if (inflated.compare(DICTIONARY, 0, DICTIONARY.length, from, from + DICTIONARY.length) !== 0) {
      throw new DamagedSegmentError('a part does not end where its bodies end');
    }
    from += DICTIONARY.length;
    let start = from;
    for (const [index, length] of lengths.entries()) {
      if (((wanted >>> index) & 1) === 1) {
        inflated.copy(to, place.at, start, start + length);
        place.at += length;
        ends.push(place.at);
      }
      start += length;
    }
    from += bytes;
  }
  return ends;
}

const wantedBytes = ({ lengths, wanted }: OpenPart): number =>
  lengths.reduce((sum, length, index) => sum + ((wanted >>> index) & 1) * length, 0);

export function inflateBodies(wantedParts: readonly WantedPart[]): InflatedBodies {
  const parts = wantedParts.map(openPart);
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + wantedBytes(part), 0));
  const ends: number[] = [];
  const place = { at: 0 };
  for (const group of groupsOf(parts)) ends.push(...copyWanted(group, inflateTogether(group), bytes, place));
  return { bytes, ends };
}

/** Returns a view of one of the inflated bodies. */
export const bodyAt = ({ bytes, ends }: InflatedBodies, index: number): Buffer =>
  bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
