import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { type EventKind, type KeptFacts, ordinalFrom } from '../segments/head.ts';
import { tellingPlace } from './damage.ts';
import { loadItems, OpenSegment, partEndsOf, type WantedItems } from './open-segment.ts';
import { readBodies, type SealedPlace } from './sealed-bodies.ts';
import { findSegmentsBehind, mayGoOn } from './segment-store.ts';

/** An event of a segment. Times are in microseconds. */
export interface SealedEvent extends EventKind {
  readonly position: number;
  readonly published: number;
  readonly persistedAt: number;
  readonly body: Buffer;
  readonly salt: Buffer | null;
  readonly hash: Buffer;
  readonly kept: KeptFacts | null;
  readonly place: SealedPlace;
}

export interface SealedRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /** The page ends with the event whose body makes the total reach this number of bytes. */
  readonly maximumBytes: number;
}

const COLUMNS = ['published', 'persisted', 'kinds', 'salts', 'hashes'] as const;

/** A page of small segments is read with few statements, and a page of a large one does not fetch many heads. */
const SEGMENTS_AT_ONCE = 32;

/** Returns the ordinals of up to `limit` events of a segment in a range of positions. */
function ordinalsWithin({ head }: OpenSegment, { after, upTo }: SealedRange, limit: number): number[] {
  const first = ordinalFrom(head, after + 1);
  const end = Math.min(ordinalFrom(head, upTo + 1), first + limit);
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}

const wantedOf = (segment: OpenSegment, ordinals: readonly number[]): WantedItems[] => [
  ...COLUMNS.map((column) => ({ segment, column, items: ordinals })),
  { segment, column: 'part_ends', items: partEndsOf(ordinals) },
];

export const sealedEvent = (place: SealedPlace, body: Buffer): SealedEvent => {
  const { ordinal, segment } = place;
  return {
    position: segment.positionAt(ordinal),
    published: segment.publishedAt(ordinal),
    persistedAt: segment.persistedAt(ordinal),
    ...segment.kindAt(ordinal),
    body,
    salt: segment.saltAt(ordinal),
    hash: segment.hashAt(ordinal),
    kept: segment.head.kept.get(ordinal) ?? null,
    place,
  };
};

interface Portion {
  readonly places: readonly SealedPlace[];
  /** Whether later segments may have further events of the range. */
  readonly hasMore: boolean;
}

async function findPortion(connection: LogConnection, orgId: OrgId, range: SealedRange): Promise<Portion> {
  const stored = await findSegmentsBehind(connection, orgId, range.after, SEGMENTS_AT_ONCE);
  const places: SealedPlace[] = [];
  const wanted: WantedItems[] = [];
  for (const segment of stored.filter(({ firstPosition }) => firstPosition <= range.upTo)) {
    if (places.length >= range.limit) break;
    const open = new OpenSegment(segment);
    const ordinals = ordinalsWithin(open, range, range.limit - places.length);
    places.push(...ordinals.map((ordinal) => ({ segment: open, ordinal })));
    wanted.push(...wantedOf(open, ordinals));
  }
  await loadItems(connection, orgId, wanted);
  const last = stored.at(-1);
  return { places, hasMore: mayGoOn(stored, SEGMENTS_AT_ONCE) && (last?.lastPosition ?? range.upTo) < range.upTo };
}

interface SealedPage {
  readonly events: readonly SealedEvent[];
  /** Whether the page ended by its limits, so that the range may have more sealed events. */
  readonly isFull: boolean;
}

async function readPage(connection: LogConnection, orgId: OrgId, range: SealedRange): Promise<SealedPage> {
  const events: SealedEvent[] = [];
  let { after } = range;
  let bytes = 0;
  while (events.length < range.limit && bytes < range.maximumBytes && after < range.upTo) {
    const limit = range.limit - events.length;
    const { hasMore, places } = await findPortion(connection, orgId, { ...range, after, limit });
    for (let at = 0; at < places.length && bytes < range.maximumBytes; ) {
      const bodies = await readBodies(connection, orgId, places.slice(at), range.maximumBytes - bytes);
      for (const [index, body] of bodies.entries()) {
        const place = places[at + index];
        if (place === undefined || bytes >= range.maximumBytes) break;
        bytes += body.length;
        events.push(sealedEvent(place, body));
      }
      at += bodies.length;
    }
    if (!hasMore || places.length === 0) break;
    after = events.at(-1)?.position ?? range.upTo;
  }
  return { events, isFull: events.length >= range.limit || bytes >= range.maximumBytes };
}

/** Reads the sealed events of a range of positions, in order. All statements must see the same snapshot. */
export const readSealedRange = (connection: LogConnection, orgId: OrgId, range: SealedRange): Promise<SealedPage> =>
  tellingPlace(
    () => `org ${orgId}, a segment behind position ${range.after}`,
    () => readPage(connection, orgId, range),
  );
