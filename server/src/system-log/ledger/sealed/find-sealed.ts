import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { ordinalFrom } from '../segments/head.ts';
import { type Column, loadItems, OpenSegment } from './open-segment.ts';
import { findSegmentsBehind, findSegmentsWithin, type SegmentBounds, type StoredSegment } from './segment-store.ts';

// Look-ups of single events in segments. Segments never become rows again, and their events keep their places, so these
// look-ups need no snapshot.

/** Times beyond these, in microseconds, are beyond those of all segments. */
const LARGEST_TIME = 2 ** 52;

export const ALL_SEGMENTS: SegmentBounds = {
  after: 0,
  upTo: Number.MAX_SAFE_INTEGER,
  publishedFrom: -LARGEST_TIME,
  publishedTo: LARGEST_TIME,
  persistedFrom: -LARGEST_TIME,
};

/** Returns a time of a segment's bounds, in microseconds. */
export const boundOf = (time: Date | number): number =>
  Math.min(LARGEST_TIME, Math.max(-LARGEST_TIME, Number(time) * 1_000));

export interface SealedSpot {
  readonly position: number;
  readonly persistedAt: number;
  readonly segment: OpenSegment;
  readonly ordinal: number;
}

const SEGMENTS_AT_ONCE = 32;

const spotAt = (segment: OpenSegment, ordinal: number): SealedSpot => ({
  position: segment.positionAt(ordinal),
  persistedAt: segment.persistedAt(ordinal),
  segment,
  ordinal,
});

async function load(connection: LogConnection, orgId: OrgId, segment: OpenSegment, columns: readonly Column[]) {
  const items = Array.from({ length: segment.head.count }, (_, ordinal) => ordinal);
  await loadItems(
    connection,
    orgId,
    columns.map((column) => ({ segment, column, items })),
  );
}

/** Finds the sealed event at a position, with its hash. */
export async function findSealedHash(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
): Promise<Buffer | null> {
  const [stored] = await findSegmentsBehind(connection, orgId, position - 1, 1);
  if (stored === undefined || stored.firstPosition > position) return null;
  const segment = new OpenSegment(stored);
  const ordinal = ordinalFrom(segment.head, position);
  if (ordinal === segment.head.count || segment.positionAt(ordinal) !== position) return null;
  await loadItems(connection, orgId, [{ segment, column: 'hashes', items: [ordinal] }]);
  return segment.hashAt(ordinal);
}

/** Finds the first sealed event behind a position that was persisted at a time or later. */
export async function findFirstSealed(
  connection: LogConnection,
  orgId: OrgId,
  after: number,
  persistedFrom: number,
): Promise<SealedSpot | null> {
  const bounds = { ...ALL_SEGMENTS, after, persistedFrom };
  let last: StoredSegment | null = null;
  for (;;) {
    const found: StoredSegment[] = await findSegmentsWithin(connection, orgId, bounds, {
      order: 'position',
      last,
      limit: 1,
    });
    const [stored] = found;
    if (stored === undefined) return null;
    const segment = new OpenSegment(stored);
    await load(connection, orgId, segment, ['persisted']);
    for (let ordinal = ordinalFrom(segment.head, after + 1); ordinal < segment.head.count; ordinal += 1) {
      if (segment.persistedAt(ordinal) >= persistedFrom) return spotAt(segment, ordinal);
    }
    last = stored;
  }
}

/** Tests whether a sealed event behind a position has a type that the caller looks for. */
export async function hasSealedBehind(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  isWanted: (eventType: string) => boolean,
): Promise<boolean> {
  let after = position;
  for (;;) {
    const found = await findSegmentsBehind(connection, orgId, after, SEGMENTS_AT_ONCE);
    for (const stored of found) {
      const segment = new OpenSegment(stored);
      if (!segment.head.kinds.some(({ eventType }) => isWanted(eventType))) continue;
      // Each kind of the head has an event. Only in the first segment, the event may be before the position.
      if (stored.firstPosition > position) return true;
      await load(connection, orgId, segment, ['kinds']);
      for (let ordinal = ordinalFrom(segment.head, position + 1); ordinal < segment.head.count; ordinal += 1) {
        if (isWanted(segment.kindAt(ordinal).eventType)) return true;
      }
    }
    const last = found.at(-1);
    if (last === undefined || found.length < SEGMENTS_AT_ONCE) return false;
    after = last.lastPosition;
  }
}

const isWhollyInside = (stored: StoredSegment, bounds: SegmentBounds): boolean =>
  stored.firstPublished >= bounds.publishedFrom &&
  stored.lastPublished <= bounds.publishedTo &&
  stored.firstPersistedAt >= bounds.persistedFrom;

/** Finds the first and the last position of the sealed events that were published within some bounds. */
export async function findSealedEnds(
  connection: LogConnection,
  orgId: OrgId,
  bounds: SegmentBounds,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const ends: { first: number | null; last: number } = { first: null, last: 0 };
  let last: StoredSegment | null = null;
  const isInside = (segment: OpenSegment, ordinal: number): boolean =>
    segment.publishedAt(ordinal) >= bounds.publishedFrom &&
    segment.publishedAt(ordinal) <= bounds.publishedTo &&
    segment.persistedAt(ordinal) >= bounds.persistedFrom;
  for (;;) {
    const found: StoredSegment[] = await findSegmentsWithin(connection, orgId, bounds, {
      order: 'position',
      last,
      limit: SEGMENTS_AT_ONCE,
    });
    for (const stored of found) {
      if (isWhollyInside(stored, bounds)) {
        ends.first ??= stored.firstPosition;
        ends.last = stored.lastPosition;
        continue;
      }
      const segment = new OpenSegment(stored);
      await load(connection, orgId, segment, ['published', 'persisted']);
      const inside = Array.from({ length: segment.head.count }, (_, ordinal) => ordinal).filter((ordinal) =>
        isInside(segment, ordinal),
      );
      const [first, end] = [inside[0], inside.at(-1)];
      if (first === undefined || end === undefined) continue;
      ends.first ??= segment.positionAt(first);
      ends.last = segment.positionAt(end);
    }
    last = found.at(-1) ?? null;
    if (last !== null && found.length === SEGMENTS_AT_ONCE) continue;
    return ends.first === null ? null : { first: ends.first, last: ends.last };
  }
}
