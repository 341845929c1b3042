import { expect } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';

/** Kinds of events. The ledger refuses `poison`, which the relay replaces with `quarantine`. */
export type EventKind = 'plain' | 'marked' | 'poison' | 'quarantine';

export interface WaitingEvent {
  readonly id: number;
  readonly uuid: string;
  readonly kind: EventKind;
}

export interface LedgerEvent {
  readonly position: number;
  readonly uuid: string;
  readonly kind: EventKind;
  readonly published: Date;
  readonly persistedAt: Date;
}

export interface StoredOrg {
  /** Events that the model does not know yet. */
  readonly appended: readonly LedgerEvent[];
  readonly waiting: readonly { readonly id: number; readonly uuid: string }[];
  /** The uuids of quarantined events, by the ids of their rows. */
  readonly quarantined: ReadonlyMap<number, string>;
  readonly head: { readonly position: number; readonly persistedAt: Date };
}

export type DrainSnapshot = ReadonlyMap<OrgId, readonly WaitingEvent[]>;

/** The log that an org must have: the committed events, in an order in which the relay may number them. */
export class OrgModel {
  readonly orgId: OrgId;
  readonly ledger: LedgerEvent[] = [];
  /** Committed events that the relay has not taken yet, in order of their ids. */
  waiting: WaitingEvent[] = [];
  /** Uuids of events that were rolled back or quarantined, and so must never be in the log. */
  readonly never = new Set<string>();

  constructor(orgId: OrgId) {
    this.orgId = orgId;
  }

  commit(events: readonly WaitingEvent[]): void {
    this.waiting = [...this.waiting, ...events].sort((one, other) => one.id - other.id);
  }

  rollBack(events: readonly WaitingEvent[]): void {
    for (const event of events) this.never.add(event.uuid);
  }

  /** Compares the stored state with the model, and updates the model. Returns the events that drains have moved. */
  reconcile(stored: StoredOrg): readonly WaitingEvent[] {
    this.#setAside(stored);
    const taken = stored.appended.map((event) => this.#take(event));
    expect(
      stored.waiting.map((row) => row.uuid),
      'what waits is what was committed and not taken',
    ).toEqual(this.waiting.map((event) => event.uuid));
    const last = this.ledger.at(-1);
    expect(stored.head, 'the head is the last event').toEqual({
      position: last?.position ?? 0,
      persistedAt: last?.persistedAt ?? new Date(0),
    });
    return taken;
  }

  /** Expects that only `poison` events are quarantined. Replaces each in the model with the event that reports it. */
  #setAside({ quarantined, waiting, appended }: StoredOrg): void {
    const present = new Map(waiting.map((row) => [row.id, row.uuid]));
    const fresh = appended.filter((event) => event.kind === 'quarantine').map((event) => event.uuid);
    this.waiting = this.waiting.map((event) => {
      if (quarantined.get(event.id) !== event.uuid) return event;
      expect(event.kind, 'only what the ledger refuses is set aside').toBe('poison');
      this.never.add(event.uuid);
      const replacement = present.get(event.id) ?? fresh.shift() ?? '';
      return { id: event.id, uuid: replacement, kind: 'quarantine' };
    });
  }

  #take(event: LedgerEvent): WaitingEvent {
    const last = this.ledger.at(-1);
    expect(event.position, 'positions are dense').toBe((last?.position ?? 0) + 1);
    expect(event.persistedAt >= event.published, 'persisted after it was published').toBe(true);
    expect(last === undefined || event.persistedAt >= last.persistedAt, 'persisted_at never goes back').toBe(true);
    expect(this.never.has(event.uuid), 'what was rolled back or set aside is not in the log').toBe(false);
    const index = this.waiting.findIndex((one) => one.uuid === event.uuid);
    const [taken] = index === -1 ? [] : this.waiting.splice(index, 1);
    if (taken === undefined) throw new Error(`${event.uuid} at ${event.position} was not waiting: never, or twice`);
    this.ledger.push({ ...event, kind: taken.kind });
    return taken;
  }
}

const isPrefix = (part: readonly WaitingEvent[], whole: readonly WaitingEvent[]): boolean =>
  part.every((event, index) => whole[index]?.uuid === event.uuid);

/** Expects that a drain, as one transaction, took nothing or the first waiting events of every org that had any. */
export function expectOneDrain(taken: ReadonlyMap<OrgId, readonly WaitingEvent[]>, snapshot: DrainSnapshot): void {
  const moved = [...taken].filter(([, events]) => events.length > 0);
  for (const [orgId, events] of moved) {
    const waited = snapshot.get(orgId) ?? [];
    expect(isPrefix(events, waited), `the first that waited, in order of their ids: ${orgId}`).toBe(true);
  }
  const waiting = [...snapshot].filter(([, events]) => events.length > 0);
  if (moved.length > 0) expect(moved.map(([orgId]) => orgId).sort()).toEqual(waiting.map(([orgId]) => orgId).sort());
}

/** Expects, in each org, at most one rising sequence of ids for each of the drains that overlapped. */
export function expectRisingRuns(taken: ReadonlyMap<OrgId, readonly WaitingEvent[]>, most: number): void {
  for (const events of taken.values()) {
    const falls = events.filter((event, index) => event.id < (events[index - 1]?.id ?? 0)).length;
    expect(falls).toBeLessThan(most);
  }
}
