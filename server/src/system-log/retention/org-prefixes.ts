import type { OrgId } from '../../kernel/words/ids.ts';
import { failureCode } from '../../platform/postgres/index.ts';
import { type Connections, inTransaction, type LogConnection } from '../relay/connections.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';
import { windowEnd } from './retention-clock.ts';
import {
  type Anchor,
  deletePrefix,
  FRESH_ROWS,
  findPrefixEnd,
  insertAnchors,
  lockWindow,
  noteOldestEvent,
  type RowTable,
  tryRetentionLock,
} from './retention-store.ts';
import {
  areSegmentsLeft,
  deleteSegmentPrefix,
  findOldestEvents,
  findSegmentPrefixEnd,
  hasOlderRows,
  type OldestEvents,
} from './segment-retention-store.ts';

export interface PrefixPorts {
  readonly connections: Connections;
  readonly now: Date;
  readonly isOver: () => boolean;
  readonly anchorOf: (orgId: OrgId, place: ChainPlace) => Promise<Anchor>;
}

export interface OrgFailure {
  readonly orgId: OrgId;
  readonly error: unknown;
}

export const EVENTS_PER_DELETE = 2_000;
/** A segment has up to some 20 MB, so few are deleted in one transaction. */
const SEGMENTS_PER_DELETE = 8;
const ORGS_PER_PAGE = 200;
/** The number of transactions for one org in one run, so that an org with many old events does not delay the others. */
const MOST_BATCHES = 200;

/** PostgreSQL's codes for a lock that is in use, a deadlock, a conflict, and a statement that took too long. */
const PASSING: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001', '57014']);

export const isPassing = (error: unknown): boolean => PASSING.has(failureCode(error));

/** The result of a transaction. It is null if the last event was not the signed one, so that nothing was deleted. */
type Deleted = { readonly count: number; readonly events: number } | null;

/**
 * Deletes the events that have left their org's own window: whole segments, the rows of partitions that stay, and fresh
 * rows. Stores a signed anchor in each transaction. An org that fails does not keep the others from their turns.
 */
export class OrgPrefixes {
  readonly #ports: PrefixPorts;
  /** Orgs with old events that could not be deleted. Their later events stay as well in this run. */
  readonly #stuck = new Set<OrgId>();
  deleted = 0;
  unfinished = false;
  readonly failures: OrgFailure[] = [];

  constructor(ports: PrefixPorts) {
    this.#ports = ports;
  }

  /** Deletes whole segments. They contain the oldest events of an org, so this comes before rows are deleted. */
  async deleteSegments(): Promise<void> {
    await this.#each(async ({ days, orgId, segmentEndsAt }) => {
      const before = windowEnd(this.#ports.now, days);
      if (segmentEndsAt === null || segmentEndsAt >= before) return;
      this.#stuck.add(orgId);
      if (await this.#inBatches(() => this.#deleteSegmentBatch(orgId, before))) this.#stuck.delete(orgId);
    });
  }

  /** Deletes fresh rows. Usually they are sealed long before, unless one of them is not what was written. */
  async deleteFresh(): Promise<void> {
    let oldest = this.#ports.now;
    const note = (persistedAt: Date | null): void => {
      // The driver gives `-infinity`, which only tampering writes, as a number.
      if (persistedAt instanceof Date && persistedAt < oldest) oldest = persistedAt;
    };
    const isWhole = await this.#each(async ({ days, freshAt, orgId, segmentEndsAt }) => {
      note(segmentEndsAt);
      if (!(await this.#deleteFreshOf(orgId, freshAt, windowEnd(this.#ports.now, days)))) note(freshAt);
    });
    if (isWhole) await this.#with((connection) => noteOldestEvent(connection, oldest));
  }

  /** Returns true if the org's oldest fresh rows were deleted. */
  async #deleteFreshOf(orgId: OrgId, freshAt: Date | null, before: Date): Promise<boolean> {
    if (freshAt === null || freshAt >= before || this.#stuck.has(orgId)) return false;
    if (await this.#with((connection) => hasOlderRows(connection, orgId))) return false;
    return this.#inBatches(() => this.#deleteRowBatch(FRESH_ROWS, orgId, before));
  }

  /** Deletes the rows of an org in a partition that stays. */
  async deleteRows(partition: RowTable, orgId: OrgId, before: Date): Promise<void> {
    if (this.#stuck.has(orgId)) return;
    this.#stuck.add(orgId);
    await this.#contained(orgId, async () => {
      if (await this.#inBatches(() => this.#deleteRowBatch(partition, orgId, before))) this.#stuck.delete(orgId);
    });
  }

  /** Tests whether older events of the org have to stay, so that its later ones must stay too. */
  isStuck(orgId: OrgId): boolean {
    return this.#stuck.has(orgId);
  }

  #with<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result> {
    return this.#ports.connections.withConnection(use);
  }

  /** Returns false if the run ended, or an org failed, before every org had its turn. */
  async #each(serve: (oldest: OldestEvents) => Promise<void>): Promise<boolean> {
    let isWhole = true;
    let afterOrgId = '';
    for (;;) {
      const page = await this.#with((connection) => findOldestEvents(connection, afterOrgId, ORGS_PER_PAGE));
      for (const oldest of page) {
        if (this.#ports.isOver()) return false;
        isWhole = (await this.#contained(oldest.orgId, () => serve(oldest))) && isWhole;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < ORGS_PER_PAGE) return isWhole;
      afterOrgId = last.orgId;
    }
  }

  async #contained(orgId: OrgId, serve: () => Promise<void>): Promise<boolean> {
    try {
      await serve();
      return true;
    } catch (error) {
      this.unfinished = true;
      if (!isPassing(error)) this.failures.push({ orgId, error });
      return false;
    }
  }

  /** Returns true if nothing is left to delete. */
  async #inBatches(deleteBatch: () => Promise<'done' | 'more' | 'changed'>): Promise<boolean> {
    for (let batch = 0; batch < MOST_BATCHES && !this.#ports.isOver(); batch += 1) {
      const result = await deleteBatch();
      if (result === 'done') return true;
      if (result === 'changed') break;
    }
    this.unfinished = true;
    return false;
  }

  async #deleteSegmentBatch(orgId: OrgId, before: Date): Promise<'done' | 'more' | 'changed'> {
    const end = await this.#with((connection) => findSegmentPrefixEnd(connection, orgId, before, SEGMENTS_PER_DELETE));
    return this.#deleteUpTo({ orgId, before }, end, SEGMENTS_PER_DELETE, async (connection, anchor) => {
      const gone = await deleteSegmentPrefix(connection, orgId, anchor.position, before);
      if (!gone.isPrefix || gone.hash?.equals(anchor.hash) !== true) return null;
      return { count: gone.segments, events: gone.events };
    });
  }

  async #deleteRowBatch(table: RowTable, orgId: OrgId, before: Date): Promise<'done' | 'more' | 'changed'> {
    const end = await this.#with((connection) => findPrefixEnd(connection, orgId, table, before, EVENTS_PER_DELETE));
    return this.#deleteUpTo({ orgId, before }, end, EVENTS_PER_DELETE, async (connection, anchor) => {
      const gone = await deletePrefix(connection, orgId, table, anchor.position, before);
      // Another process was faster, or the last event is not the signed one.
      if (gone.hash === null || !gone.hash.equals(anchor.hash)) return null;
      // A sealer that had locked rows before this transaction did has committed by now, so its segment is seen.
      if (await areSegmentsLeft(connection, [anchor])) return null;
      return { count: gone.events, events: gone.events };
    });
  }

  /** Signs the anchor before the transaction, because signing takes longer than locks may be held. */
  async #deleteUpTo(
    { before, orgId }: { readonly orgId: OrgId; readonly before: Date },
    end: ChainPlace | null,
    most: number,
    remove: (connection: LogConnection, anchor: Anchor) => Promise<Deleted>,
  ): Promise<'done' | 'more' | 'changed'> {
    if (end === null) return 'done';
    const anchor = await this.#ports.anchorOf(orgId, end);
    const deleted = await this.#with((connection) =>
      inTransaction(connection, tryRetentionLock, async () => {
        // The window may have been made longer since the run looked.
        const days = await lockWindow(connection, orgId);
        if (days === null || windowEnd(this.#ports.now, days) < before) return null;
        const gone = await remove(connection, anchor);
        if (gone !== null) await insertAnchors(connection, [anchor], this.#ports.now);
        return gone;
      }),
    );
    if (deleted === null) return 'changed';
    this.deleted += deleted.events;
    return deleted.count >= most ? 'more' : 'done';
  }
}
