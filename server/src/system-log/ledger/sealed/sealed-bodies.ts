import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { bodyAt, inflateBodies, PART_EVENTS, plainBytesOf } from '../segments/bodies/bodies.ts';
import type { OpenSegment } from './open-segment.ts';
import { readSlices, type Slice } from './segment-store.ts';

/** The place of an event in a segment. */
export interface SealedPlace {
  readonly segment: OpenSegment;
  readonly ordinal: number;
}

interface Part {
  readonly segment: OpenSegment;
  readonly events: number;
  readonly start: number;
  readonly length: number;
  wanted: number;
}

/** One statement reads at most this many bytes of parts, unless a single part is longer. */
const PARTS_AT_ONCE_BYTES = 8_000_000;

/** Parts that are at most this many bytes apart are read as one slice, which costs less than two. */
const NEAR_BYTES = 4_000;

const numberOf = (ordinal: number): number => Math.floor(ordinal / PART_EVENTS);

/** Tells the parts of a segment apart from those of others. */
const keyOf = ({ ordinal, segment }: SealedPlace): string => `${segment.stored.lastPosition} ${numberOf(ordinal)}`;

function partOf({ ordinal, segment }: SealedPlace): Part {
  const number = numberOf(ordinal);
  const { end, start } = segment.partRange(number);
  const events = Math.min(PART_EVENTS, segment.head.count - number * PART_EVENTS);
  return { segment, events, start, length: end - start, wanted: 0 };
}

/** Returns the parts of some events, in the order in which the events need them. The total size is limited. */
function partsOf(places: readonly SealedPlace[], maximumBytes: number): Map<string, Part> {
  const parts = new Map<string, Part>();
  let bytes = 0;
  for (const place of places) {
    const key = keyOf(place);
    const part = parts.get(key) ?? partOf(place);
    if (!parts.has(key)) {
      bytes += part.length;
      if (parts.size > 0 && bytes > maximumBytes) break;
      parts.set(key, part);
    }
    part.wanted |= 1 << (place.ordinal % PART_EVENTS);
  }
  return parts;
}

const inStoredOrder = (one: Part, other: Part): number =>
  one.segment.stored.lastPosition - other.segment.stored.lastPosition || one.start - other.start;

/** Reads the parts with one statement. Parts that are near one another are read as one slice. */
async function readParts(
  connection: LogConnection,
  orgId: OrgId,
  parts: readonly Part[],
): Promise<ReadonlyMap<Part, Uint8Array>> {
  const slices: (Slice & { length: number })[] = [];
  const places = parts.toSorted(inStoredOrder).map((part) => {
    const { length, segment, start } = part;
    const { lastPosition } = segment.stored;
    const last = slices.at(-1);
    if (last?.lastPosition === lastPosition && start - (last.start + last.length) <= NEAR_BYTES) {
      last.length = start + length - last.start;
    } else slices.push({ lastPosition, field: 'bodies', start, length });
    return { part, slice: slices.length - 1 };
  });
  const found = await readSlices(connection, orgId, slices);
  return new Map(
    places.map(({ part, slice }) => {
      const from = part.start - (slices[slice]?.start ?? 0);
      return [part, found[slice]?.subarray(from, from + part.length) ?? Buffer.alloc(0)];
    }),
  );
}

/**
 * Reads the bodies of events, whose ends of parts must be loaded. Returns the bodies of the first events whose parts
 * have about `pageBytes` and that one statement reads, and at least one body.
 */
export async function readBodies(
  connection: LogConnection,
  orgId: OrgId,
  places: readonly SealedPlace[],
  pageBytes: number,
): Promise<Buffer[]> {
  const maximumBytes = Math.min(pageBytes, PARTS_AT_ONCE_BYTES);
  const parts = partsOf(places, maximumBytes);
  const stored = await readParts(connection, orgId, [...parts.values()]);
  const opened: { part: Uint8Array; events: number; wanted: number }[] = [];
  const firstBody = new Map<string, number>();
  let bytes = 0;
  let bodies = 0;
  for (const [key, placed] of parts) {
    const { events, wanted } = placed;
    const part = stored.get(placed) ?? Buffer.alloc(0);
    bytes += plainBytesOf(part, events);
    if (opened.length > 0 && bytes > maximumBytes) break;
    opened.push({ part, events, wanted });
    firstBody.set(key, bodies);
    for (let rest = wanted; rest !== 0; rest &= rest - 1) bodies += 1;
  }
  const inflated = inflateBodies(opened);
  const found: Buffer[] = [];
  for (const place of places) {
    const [first, part] = [firstBody.get(keyOf(place)), parts.get(keyOf(place))];
    if (first === undefined || part === undefined) break;
    let before = 0;
    const lower = part.wanted & ((1 << (place.ordinal % PART_EVENTS)) - 1);
    for (let rest = lower; rest !== 0; rest &= rest - 1) before += 1;
    found.push(bodyAt(inflated, first + before));
  }
  return found;
}
