import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { ordinalFrom } from '../segments/head.ts';
import { despiteRetention, tellingPlace } from './damage.ts';
import { type Column, loadItems, OpenSegment } from './open-segment.ts';
import {
  findSegmentsBehind,
  findSegmentsWithin,
  mayGoOn,
  type SegmentBounds,
  type StoredSegment,
} from './segment-store.ts';

// Look-ups of single events in segments. Segments never become rows again, and their events keep their places, so these
// look-ups need no snapshot. If retention deletes a segment between two statements, the look-up starts over.

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
  /** No sealed event at this position or behind it was persisted earlier. */
  readonly persistedAt: number;
}

const SEGMENTS_AT_ONCE = 32;

const placeOf = (orgId: OrgId, position: number): string => `org ${orgId}, a segment behind position ${position}`;

const lookUp = <Result>(orgId: OrgId, position: number, read: () => Promise<Result>): Promise<Result> =>
  tellingPlace(
    () => placeOf(orgId, position),
    () => despiteRetention(read),
  );

async function load(connection: LogConnection, orgId: OrgId, segment: OpenSegment, columns: readonly Column[]) {
  const items = Array.from({ length: segment.head.count }, (_, ordinal) => ordinal);
  await loadItems(
    connection,
    orgId,
    columns.map((column) => ({ segment, column, items })),
  );
}

async function hashAt(connection: LogConnection, orgId: OrgId, position: number): Promise<Buffer | null> {
  const [stored] = await findSegmentsBehind(connection, orgId, position - 1, 1);
  if (stored === undefined || stored.firstPosition > position) return null;
  const segment = new OpenSegment(stored);
  const ordinal = ordinalFrom(segment.head, position);
  if (ordinal === segment.head.count || segment.positionAt(ordinal) !== position) return null;
  await loadItems(connection, orgId, [{ segment, column: 'hashes', items: [ordinal] }]);
  return segment.hashAt(ordinal);
}

/**
 * Finds the hash of the sealed event at a position. Does not start over if the segment has left, because then an anchor
 * is at the position, which the caller looks for.
 */
export const findSealedHash = (connection: LogConnection, orgId: OrgId, position: number): Promise<Buffer | null> =>
  tellingPlace(
    () => placeOf(orgId, position - 1),
    () => hashAt(connection, orgId, position),
  );

async function firstSealed(
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
    // Most look-ups end here. Without a second statement, retention cannot come between.
    if (stored.firstPersistedAt >= persistedFrom && stored.firstPosition > after) {
      return { position: stored.firstPosition, persistedAt: stored.firstPersistedAt };
    }
    await load(connection, orgId, segment, ['persisted']);
    for (let ordinal = ordinalFrom(segment.head, after + 1); ordinal < segment.head.count; ordinal += 1) {
      const persistedAt = segment.persistedAt(ordinal);
      if (persistedAt >= persistedFrom) return { position: segment.positionAt(ordinal), persistedAt };
    }
    last = stored;
  }
}

/** Finds the first sealed event behind a position that was persisted at a time or later. */
export const findFirstSealed = (
  connection: LogConnection,
  orgId: OrgId,
  after: number,
  persistedFrom: number,
): Promise<SealedSpot | null> => lookUp(orgId, after, () => firstSealed(connection, orgId, after, persistedFrom));

async function isSealedBehind(
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
    if (last === undefined || !mayGoOn(found, SEGMENTS_AT_ONCE)) return false;
    after = last.lastPosition;
  }
}

/** Tests whether a sealed event behind a position has a type that the caller looks for. */
export const hasSealedBehind = (
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  isWanted: (eventType: string) => boolean,
): Promise<boolean> => lookUp(orgId, position, () => isSealedBehind(connection, orgId, position, isWanted));

/** This is false for a column that is out of range, so that such a segment is opened, which refuses it. */
const isWhollyInside = (stored: StoredSegment, bounds: SegmentBounds): boolean =>
  Number.isFinite(stored.lastPosition) &&
  stored.firstPublished >= bounds.publishedFrom &&
  stored.lastPublished <= bounds.publishedTo &&
  stored.firstPersistedAt >= bounds.persistedFrom;

interface SealedEnds {
  readonly first: number;
  readonly last: number;
}

async function sealedEnds(connection: LogConnection, orgId: OrgId, bounds: SegmentBounds): Promise<SealedEnds | null> {
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
    if (mayGoOn(found, SEGMENTS_AT_ONCE)) continue;
    return ends.first === null ? null : { first: ends.first, last: ends.last };
  }
}

/** Finds the first and the last position of the sealed events that were published within some bounds. */
export const findSealedEnds = (
  connection: LogConnection,
  orgId: OrgId,
  bounds: SegmentBounds,
): Promise<SealedEnds | null> => lookUp(orgId, bounds.after, () => sealedEnds(connection, orgId, bounds));
