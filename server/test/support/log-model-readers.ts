import { expect } from 'vitest';
import { type Connections, readLogPage } from '../../src/system-log/index.ts';
import type { LedgerEvent, OrgModel } from './log-model.ts';
import { cursors, type LogBench, nextOf, parsed, requestContext } from './system-log.ts';

export interface ReaderKind {
  readonly query: Readonly<Record<string, string>>;
  readonly wants: (event: LedgerEvent) => boolean;
}

const all = (): boolean => true;
const marked = (event: LedgerEvent): boolean => event.kind === 'marked';

/** Queries for all events, and queries for marked ones by an indexed column, a hashed value, and a keyword. */
export const READER_KINDS: readonly ReaderKind[] = [
  { query: {}, wants: all },
  { query: { filter: 'eventType eq "user.lifecycle.suspend"' }, wants: marked },
  { query: { filter: 'debugContext.debugData.risk eq "HIGH"' }, wants: marked },
  { query: { q: 'user.lifecycle.suspend' }, wants: marked },
];

const uuidsOf = (events: readonly unknown[]): string[] => events.map((event) => (event as { uuid: string }).uuid);

const byPublished = (one: LedgerEvent, other: LedgerEvent): number =>
  one.published.getTime() - other.published.getTime() || one.position - other.position;

/**
 * The progress of a poll. While `catchUp` is set, the poll reads the events that existed at its start, in order of
 * `published`. `head` is the last position that existed then, and `last` is the last event read.
 */
interface Place {
  readonly examined: number;
  readonly catchUp: { readonly head: number; readonly last: LedgerEvent } | null;
}

interface Plan {
  readonly page: readonly LedgerEvent[];
  readonly next: Place;
}

const START: Place = { examined: 0, catchUp: null };

/** A collector that stores the link `next` after each page. Sometimes it crashes before it stores the link. */
export class ModelPoller {
  readonly #bench: LogBench;
  readonly #org: OrgModel;
  readonly #kind: ReaderKind;
  #since: Date;
  /** Events up to this position existed when the poll started. */
  #headAtStart = 0;
  /** The stored query to continue with; null until the first page is complete. */
  #stored: Record<string, string> | null = null;
  #place: Place = START;
  #hasBegun = false;
  /** The uuids of events on completed pages since the start. */
  readonly #done = new Set<string>();
  #lastPublished: Date | null = null;
  /** The uuids of events on a page that was read but not completed. */
  #undone: readonly string[] = [];

  constructor(bench: LogBench, org: OrgModel, kind: ReaderKind, since: Date) {
    this.#bench = bench;
    this.#org = org;
    this.#kind = kind;
    this.#since = since;
  }

  get hasSeen(): boolean {
    return this.#lastPublished !== null;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Reads a page and expects the next events of the log. Those of an uncompleted page are expected again. */
  async poll(limit: number, crashes: boolean): Promise<number> {
    const { page: expected, next } = this.#plan(limit);
    const { uuids, query } = await this.#read(this.#bench.connections, limit);
    expect(uuids, 'no skip, no repeat, in order').toEqual(uuidsOf(expected));
    const both = Math.min(uuids.length, this.#undone.length);
    // If the first page is requested again, it may begin with events that were added in the meantime.
    if (this.#hasBegun) expect(uuids.slice(0, both)).toEqual(this.#undone.slice(0, both));
    this.#undone = crashes ? uuids : [];
    if (!crashes) this.#advance(expected, next, query);
    if (!crashes && limit > 0) this.#hasBegun = true;
    return uuids.length;
  }

  /** Reads a page while the log grows. The page must show the state before or after the growth, without gaps. */
  async pollAcross(connections: Connections, limit: number): Promise<void> {
    const before = this.#plan(limit);
    const { uuids, query } = await this.#read(connections, limit);
    const after = this.#plan(limit);
    const { page, next } = uuids.length === before.page.length ? before : after;
    expect(uuids, 'no skip, no repeat, in order').toEqual(uuidsOf(page));
    this.#undone = [];
    // It is unknown how far the reader examined the log, but it missed nothing before its last event.
    const examined = Math.max(this.#place.catchUp?.head ?? this.#place.examined, page.at(-1)?.position ?? 0);
    this.#advance(page, next.catchUp === null ? { examined, catchUp: null } : next, query);
  }

  /** Starts again from the last seen `published`. From that instant on, every event must be delivered once. */
  restart(): void {
    const since = this.#lastPublished;
    if (since === null) return;
    const skipped = this.#org.ledger.filter(
      (event) =>
        event.position <= this.#headAtStart &&
        event.published >= this.#since &&
        event.published < since &&
        this.#kind.wants(event) &&
        !this.#done.has(event.uuid),
    );
    expect(skipped, 'what was there when it began is not skipped by beginning anew').toEqual([]);
    this.#since = since;
    this.#stored = null;
    this.#hasBegun = false;
    this.#place = START;
    this.#done.clear();
    this.#undone = [];
  }

  /** Reads to the end, and expects that no event published at or after `#since` was missed. */
  async readOn(): Promise<void> {
    while ((await this.poll(1_000, false)) > 0);
    const owed = this.#org.ledger.filter((event) => event.published >= this.#since && this.#kind.wants(event));
    const missed = owed.filter((event) => !this.#done.has(event.uuid));
    expect(missed, 'published since the start, and never read').toEqual([]);
  }

  async #read(connections: Connections, limit: number) {
    if (!this.#hasBegun) this.#headAtStart = this.#org.ledger.length;
    const asked = this.#stored ?? { since: this.#since.toISOString(), ...this.#kind.query };
    const context = requestContext(this.#org.orgId, this.#bench.clock.now());
    const entries = Object.entries({ ...asked, limit: String(limit) });
    const page = await readLogPage({ connections, cursors }, context, entries);
    const query = nextOf(page);
    if (query === null) throw new Error('a poll must have a next link, on empty pages too');
    return { uuids: uuidsOf(parsed(page)), query };
  }

  #advance(page: readonly LedgerEvent[], next: Place, query: Record<string, string>): void {
    for (const { uuid } of page) {
      expect(this.#done.has(uuid), 'read twice').toBe(false);
      this.#done.add(uuid);
    }
    this.#lastPublished = page.at(-1)?.published ?? this.#lastPublished;
    this.#stored = query;
    this.#place = next;
  }

  #plan(limit: number): Plan {
    if (limit === 0) return { page: [], next: this.#place };
    const { ledger } = this.#org;
    const { catchUp } = this.#place;
    const published = ledger.filter((event) => event.published >= this.#since && this.#kind.wants(event));
    if (!this.#hasBegun) {
      // A page that is not full ends at the head of the ledger.
      if (published.length < limit) return { page: published, next: { examined: ledger.length, catchUp: null } };
      return this.#catchUp(published.sort(byPublished).slice(0, limit), limit, ledger.length);
    }
    if (catchUp !== null) {
      const there = published.filter((event) => event.position <= catchUp.head && byPublished(event, catchUp.last) > 0);
      const page = there.sort(byPublished).slice(0, limit);
      if (page.length > 0) return this.#catchUp(page, limit, catchUp.head);
    }
    const from = catchUp?.head ?? this.#place.examined;
    const rest = ledger.filter(
      (event) => event.position > from && event.persistedAt >= this.#since && this.#kind.wants(event),
    );
    const page = rest.slice(0, limit);
    const examined = page.length < limit ? ledger.length : (page.at(-1)?.position ?? 0);
    return { page, next: { examined, catchUp: null } };
  }

  #catchUp(page: readonly LedgerEvent[], limit: number, head: number): Plan {
    const last = page.at(-1);
    const isFull = page.length === limit && last !== undefined;
    return { page, next: { examined: head, catchUp: isFull ? { head, last } : null } };
  }
}

export interface Range {
  readonly since: Date;
  readonly until: Date;
  readonly sortOrder: 'ASCENDING' | 'DESCENDING';
}

/** A reader that pages through a range while the log grows. Each page must continue after the previous one. */
export class ModelRangeReader {
  readonly #bench: LogBench;
  readonly #org: OrgModel;
  readonly #kind: ReaderKind;
  readonly #range: Range;
  #query: Record<string, string> | null;
  #last: LedgerEvent | null = null;

  constructor(bench: LogBench, org: OrgModel, kind: ReaderKind, range: Range) {
    this.#bench = bench;
    this.#org = org;
    this.#kind = kind;
    this.#range = range;
    const { since, until, sortOrder } = range;
    this.#query = { since: since.toISOString(), until: until.toISOString(), sortOrder, ...kind.query };
  }

  get isDone(): boolean {
    return this.#query === null;
  }

  async read(limit: number): Promise<void> {
    if (this.#query === null) return;
    const page = await this.#bench.page(this.#org.orgId, { ...this.#query, limit: String(limit) });
    const rest = this.#rest();
    const expected = rest.slice(0, limit);
    expect(uuidsOf(parsed(page))).toEqual(expected.map((event) => event.uuid));
    this.#query = nextOf(page);
    expect(this.#query !== null, 'a next link exactly where something is left').toBe(rest.length > limit);
    this.#last = expected.at(-1) ?? this.#last;
  }

  #rest(): LedgerEvent[] {
    const { since, until, sortOrder } = this.#range;
    const inRange = this.#org.ledger.filter(
      (event) => event.published >= since && event.published < until && this.#kind.wants(event),
    );
    const sorted = inRange.sort(byPublished);
    if (sortOrder === 'DESCENDING') sorted.reverse();
    const last = this.#last;
    if (last === null) return sorted;
    const sign = sortOrder === 'ASCENDING' ? 1 : -1;
    return sorted.filter((event) => byPublished(event, last) * sign > 0);
  }
}
