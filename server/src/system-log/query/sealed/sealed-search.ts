import type { OrgId } from '../../../kernel/words/ids.ts';
import { tellingPlace } from '../../ledger/sealed/damage.ts';
import { loadItems, OpenSegment, partEndsOf } from '../../ledger/sealed/open-segment.ts';
import { readBodies } from '../../ledger/sealed/sealed-bodies.ts';
import { LOOK_UPS_AT_ONCE, readPostings } from '../../ledger/sealed/sealed-postings.ts';
import { dateOf } from '../../ledger/sealed/sealed-rows.ts';
import {
  findSegmentsWithin,
  mayGoOn,
  type SegmentBounds,
  type SegmentOrder,
  type StoredSegment,
} from '../../ledger/sealed/segment-store.ts';
import { ordinalFrom } from '../../ledger/segments/head.ts';
import type { OrdinalSet } from '../../ledger/segments/postings/ordinal-set.ts';
import type { LogConnection } from '../../relay/connections.ts';
import type { LogRow } from '../query-axis-store.ts';
import { ordinalsOf, type SealedSieve, termsOf } from './sealed-sieve.ts';

/** The place of an event in order of `published`, in microseconds. */
interface PublishedPlace {
  readonly published: number;
  readonly position: number;
}

export interface SealedWanted {
  readonly orgId: OrgId;
  readonly order: SegmentOrder;
  /** All bounds are inclusive, except for `after`. */
  readonly bounds: SegmentBounds;
  /** The event after which the page begins, in order of `published`. */
  readonly behind: PublishedPlace | null;
  readonly sieve: SealedSieve;
  readonly count: number;
}

/** An event that may match. */
interface Candidate extends PublishedPlace {
  readonly segment: OpenSegment;
  readonly ordinal: number;
  readonly persistedAt: number;
}

/** A segment with its events that have the search terms. Null stands for all events. */
interface NarrowedSegment {
  readonly segment: OpenSegment;
  readonly found: OrdinalSet | null;
  /** The first ordinal that is not a candidate yet. */
  readonly from: number;
}

/** The number of events in the segments that are opened together. */
const OPENED = { eventsByTerm: 1_000_000, events: 1_000 } as const;
/** The segments that are listed together. Most pages need only the first ones. */
const LISTED = { first: 16, later: 128 } as const;
/** The bodies that are read at once. Other requests of the process wait while they are examined. */
const EXAMINED = { events: 500, bytes: 2_000_000 } as const;

const comparePlaces = (one: PublishedPlace, other: PublishedPlace): number =>
  one.published - other.published || one.position - other.position;

const COMPARE: Readonly<Record<SegmentOrder, (one: PublishedPlace, other: PublishedPlace) => number>> = {
  position: (one, other) => one.position - other.position,
  published: comparePlaces,
  'published descending': (one, other) => comparePlaces(other, one),
};

const ordinalsFrom = (first: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);

/** A search goes through the segments in order, and examines a candidate once no later segment can precede it. */
class SealedSearch {
  readonly rows: LogRow[] = [];
  readonly #connection: LogConnection;
  readonly #wanted: SealedWanted;
  #unopened: StoredSegment[] = [];
  #lastFound: StoredSegment | null = null;
  #hasMore = true;
  readonly #narrowed: NarrowedSegment[] = [];
  #candidates: Candidate[] = [];

  constructor(connection: LogConnection, wanted: SealedWanted) {
    this.#connection = connection;
    this.#wanted = wanted;
  }

  async run(): Promise<LogRow[]> {
    while (this.rows.length < this.#wanted.count) {
      await this.#findMore();
      const certain = this.#certain();
      if (certain > 0) await this.#examine(certain);
      else if (this.#narrowed.length > 0) await this.#loadCandidates();
      else if (this.#unopened.length > 0) await this.#open();
      else return this.rows;
    }
    return this.rows;
  }

  async #findMore(): Promise<void> {
    if (this.#unopened.length > 0 || !this.#hasMore) return;
    const { bounds, order, orgId } = this.#wanted;
    const limit = this.#lastFound === null ? LISTED.first : LISTED.later;
    const read = { order, last: this.#lastFound, limit };
    this.#unopened = await findSegmentsWithin(this.#connection, orgId, bounds, read);
    this.#hasMore = mayGoOn(this.#unopened, limit);
    this.#lastFound = this.#unopened.at(-1) ?? null;
  }

  /** Returns how many of the first candidates precede all events of the segments that have not been looked into. */
  #certain(): number {
    const next = this.#narrowed[0]?.segment.stored ?? this.#unopened[0];
    const { order } = this.#wanted;
    if (next === undefined || order === 'position') return this.#candidates.length;
    const index = this.#candidates.findIndex(({ published }) =>
      order === 'published' ? published >= next.firstPublished : published <= next.lastPublished,
    );
    return index === -1 ? this.#candidates.length : index;
  }

  /** Opens the next segments, and finds their events that have the search terms. */
  async #open(): Promise<void> {
    const { orgId, sieve } = this.#wanted;
    const { condition } = sieve;
    const terms = condition === null ? [] : [...new Set(termsOf(condition))];
    const most = condition === null ? OPENED.events : OPENED.eventsByTerm;
    // A filter of many terms needs most buckets of each segment, so fewer segments are opened together.
    const mostSegments = Math.max(1, Math.floor(LOOK_UPS_AT_ONCE / Math.max(1, terms.length)));
    const opened: OpenSegment[] = [];
    for (let events = 0; events < most && opened.length < mostSegments; ) {
      const stored = this.#unopened.shift();
      if (stored === undefined) break;
      events += stored.events;
      opened.push(new OpenSegment(stored));
    }
    const lookUpIn = condition === null ? null : await readPostings(this.#connection, orgId, opened, terms);
    for (const segment of opened) {
      const lookUp = lookUpIn?.(segment) ?? null;
      const found = condition === null || lookUp === null ? null : ordinalsOf(condition, lookUp);
      if (found === null || !found.isEmpty) this.#narrowed.push({ segment, found, from: 0 });
    }
  }

  /** Loads the times of the events of the next segments, and makes candidates of those within the bounds. */
  async #loadCandidates(): Promise<void> {
    const { order, orgId } = this.#wanted;
    const loaded: { readonly segment: OpenSegment; readonly items: number[] }[] = [];
    for (let events = 0; events < OPENED.events; ) {
      const next = this.#narrowed.shift();
      if (next === undefined) break;
      const items = this.#take(next, OPENED.events - events);
      events += items.length;
      loaded.push({ segment: next.segment, items });
    }
    await loadItems(
      this.#connection,
      orgId,
      loaded.flatMap((one) => [
        { ...one, column: 'published' as const },
        { ...one, column: 'persisted' as const },
      ]),
    );
    const candidates = loaded.flatMap(({ items, segment }) => this.#within(segment, items));
    this.#candidates = [...this.#candidates, ...candidates].sort(COMPARE[order]);
  }

  /**
   * Returns the next ordinals of a segment. In order of position, no later event can precede an earlier one, so the
   * segment waits with those that are beyond `most`.
   */
  #take({ found, from, segment }: NarrowedSegment, most: number): number[] {
    const { bounds, order } = this.#wanted;
    const first = Math.max(from, ordinalFrom(segment.head, bounds.after + 1));
    const end = ordinalFrom(segment.head, bounds.upTo + 1);
    if (order !== 'position') return found?.ordinals(first, end) ?? ordinalsFrom(first, end);
    const items = (found?.ordinals(first, end) ?? ordinalsFrom(first, Math.min(end, first + most + 1))).slice(
      0,
      most + 1,
    );
    const next = items[most];
    if (next === undefined) return items;
    this.#narrowed.unshift({ segment, found, from: next });
    return items.slice(0, most);
  }

  #within(segment: OpenSegment, ordinals: readonly number[]): Candidate[] {
    const { behind, bounds, order } = this.#wanted;
    const compare = COMPARE[order];
    return ordinals
      .map((ordinal) => ({
        segment,
        ordinal,
        position: segment.positionAt(ordinal),
        published: segment.publishedAt(ordinal),
        persistedAt: segment.persistedAt(ordinal),
      }))
      .filter(
        (candidate) =>
          candidate.published >= bounds.publishedFrom &&
          candidate.published <= bounds.publishedTo &&
          candidate.persistedAt >= bounds.persistedFrom &&
          (behind === null || compare(candidate, behind) > 0),
      );
  }

  async #examine(certain: number): Promise<void> {
    const { count, orgId, sieve } = this.#wanted;
    const missing = count - this.rows.length;
    // Without a filter, each candidate matches. Otherwise, more candidates are read than are missing.
    const most = sieve.accepts === null ? missing : Math.min(EXAMINED.events, 2 * missing + 50);
    const chosen = this.#candidates.slice(0, Math.min(certain, most));
    const ordinals = new Map<OpenSegment, number[]>();
    for (const { ordinal, segment } of chosen) {
      const list = ordinals.get(segment) ?? [];
      list.push(ordinal);
      ordinals.set(segment, list);
    }
    await loadItems(
      this.#connection,
      orgId,
      [...ordinals].flatMap(([segment, list]) => {
        const items = list.sort((one, other) => one - other);
        return [
          { segment, column: 'kinds' as const, items },
          { segment, column: 'part_ends' as const, items: partEndsOf(items) },
        ];
      }),
    );
    const bodies = await readBodies(this.#connection, orgId, chosen, EXAMINED.bytes);
    for (const [index, body] of bodies.entries()) {
      const candidate = chosen[index];
      if (candidate !== undefined && this.rows.length < count) this.#examined(candidate, body.toString());
    }
    this.#candidates = this.#candidates.slice(bodies.length);
  }

  #examined({ ordinal, persistedAt, position, published, segment }: Candidate, body: string): void {
    const { accepts } = this.#wanted.sieve;
    const kept = segment.head.kept.get(ordinal) ?? null;
    if (accepts !== null && !accepts({ body, kept, kind: segment.kindAt(ordinal) })) return;
    this.rows.push({ position, published: dateOf(published), persistedAt: dateOf(persistedAt), body });
  }
}

/** Reads up to `count` sealed events that match, in order. All statements must see the same snapshot. */
export const searchSealed = (connection: LogConnection, wanted: SealedWanted): Promise<LogRow[]> =>
  tellingPlace(
    () => `org ${wanted.orgId}, a segment behind position ${wanted.bounds.after}`,
    () => new SealedSearch(connection, wanted).run(),
  );
