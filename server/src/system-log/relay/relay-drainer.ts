import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { failureCode } from '../../platform/postgres/index.ts';
import { systemContext } from '../access/system-context.ts';
import { takeInputs } from '../outbox/input-store.ts';
import type { InputMaker } from '../outbox/outbox.ts';
import { InputError } from '../rendering/event-text.ts';
import { type BatchInput, type LedgerBatch, UnknownFormatError } from '../rendering/ledger-batch.ts';
import { createRenderer, type Renderer } from '../rendering/renderer.ts';
import { wakeSinks } from '../sinks/cross-org-store.ts';
import type { EventType } from '../write/events.ts';
import { type Connections, inTransaction, type LogConnection } from './connections.ts';
import { appendBatch } from './ledger-batch-store.ts';
import { drainOutbox, FenceError, type OrgDrain } from './outbox-drain-store.ts';
import { findFirstWaiting, quarantine, type WaitingEvent } from './quarantine-store.ts';
import {
  isMissingPartition,
  isRenamed,
  isRowsFault,
  messageOf,
  mustWait,
  OrgDrainError,
  RenamedError,
} from './relay-faults.ts';
import {
  createHead,
  ensurePartitions,
  ensurePartitionsOfBatch,
  findWaitingOrgs,
  type LedgerTable,
  tryRelayLock,
  type WaitingOrg,
} from './relay-store.ts';

export interface RelayReport {
  readonly events: number;
  /** The longest time that any of the events waited, by the database's clock. It is 0 if there were no events. */
  readonly lagMilliseconds: number;
}

export interface DrainReport extends RelayReport {
  readonly milliseconds: number;
}

export interface DrainerOptions {
  connections: Connections;
  clock: Clock;
  namespace: Namespace;
  /** Makes the event that replaces a quarantined row. */
  makeInput: InputMaker;
  /** The module of the thread that renders large batches. Without it, they are rendered in this thread. */
  renderThreadFile?: string | null;
  /**
   * After this time, a drain serves no further org, so that its transaction stays short if many orgs wait. The default
   * is 250.
   */
  budgetMilliseconds?: number;
  onError?: (error: unknown) => void;
  onDrained?: (report: DrainReport) => void;
  onQuarantined?: (orgId: OrgId, reason: string) => void;
}

/** The initial limit on the number of events in a batch of an org. */
const EVENTS_PER_ORG = 500;
/** The limit for an org grows up to this number while the org has a backlog. */
const MOST_EVENTS_PER_ORG = 1_000;
const ORGS_PER_DRAIN = 50;
const DRAIN_BUDGET_MILLISECONDS = 250;
const WEEKS_AHEAD = 5;
const QUARANTINE_EVENT: EventType = 'system.log.event.quarantine';
const NOTHING: RelayReport = { events: 0, lagMilliseconds: 0 };

const isRelayLocked = async (connection: LogConnection): Promise<boolean> => (await tryRelayLock(connection)) !== null;

export class Drainer {
  readonly #options: DrainerOptions;
  readonly #renderer: Renderer;
  /** The next drain continues after this org. */
  #lastOrgId = '';
  /** Batch sizes, larger for an org with a backlog, and smaller for an org whose last batch failed. */
  readonly #limits = new Map<OrgId, number>();

  /**
   * Orgs whose last batch failed. Only the first org of a drain may be one of them, because another failure would undo
   * the work for the orgs before it.
   */
  readonly #failed = new Set<OrgId>();

  constructor(options: DrainerOptions) {
    this.#options = options;
    const { onError, renderThreadFile = null } = options;
    this.#renderer = createRenderer({ threadFile: renderThreadFile, ...(onError === undefined ? {} : { onError }) });
  }

  /**
   * Ends the rendering thread. A drain that waits for the thread then renders its batch itself. Waits for the loop, and
   * ends the thread again in case the loop has restarted it.
   */
  async close(loop: Promise<void> | null): Promise<void> {
    await this.#renderer.close();
    await loop;
    await this.#renderer.close();
  }

  ensurePartitions(): Promise<number> {
    const { connections, clock } = this.#options;
    return connections.withConnection((connection) => ensurePartitions(connection, clock.now(), WEEKS_AHEAD));
  }

  #ensureBatch(orgId: OrgId): Promise<number> {
    const limit = this.#limitOf(orgId);
    return this.#options.connections.withConnection((connection) => ensurePartitionsOfBatch(connection, orgId, limit));
  }

  async drain(): Promise<RelayReport | 'busy'> {
    try {
      return await this.#lookAndDrain().catch((error: unknown) => {
        if (error instanceof RenamedError) return this.#lookAndDrain();
        throw error;
      });
    } catch (error) {
      if (!(error instanceof OrgDrainError)) throw error;
      // The failure undid the whole drain. The next drain starts after this org, so that this org does not delay the
      // others.
      this.#lastOrgId = error.orgId;
      this.#failed.add(error.orgId);
      await this.#recover(error);
      return NOTHING;
    }
  }

  #lookAndDrain(): Promise<RelayReport | 'busy'> {
    return this.#options.connections.withConnection((connection) => this.#drainOn(connection));
  }

  async #drainOn(connection: LogConnection): Promise<RelayReport | 'busy'> {
    const startedAt = performance.now();
    const { budgetMilliseconds = DRAIN_BUDGET_MILLISECONDS } = this.#options;
    const isOverBudget = (): boolean => performance.now() - startedAt > budgetMilliseconds;
    let orgs = await findWaitingOrgs(connection, this.#lastOrgId, ORGS_PER_DRAIN);
    if (orgs.length === 0 && this.#lastOrgId !== '') orgs = await findWaitingOrgs(connection, '', ORGS_PER_DRAIN);
    if (orgs.length === 0) return NOTHING;
    let table: LedgerTable | null = null;
    const lock = async (): Promise<boolean> => {
      table = await tryRelayLock(connection);
      return table !== null;
    };
    const drained = await inTransaction(connection, lock, async (last) => {
      if (table === null) return null;
      const counts = new Map<OrgId, number>();
      let lagMilliseconds = 0;
      for (const org of orgs) {
        if (counts.size > 0 && (this.#failed.has(org.orgId) || isOverBudget())) break;
        const of = await this.#drainOrg(connection, table, org);
        counts.set(org.orgId, of.events);
        lagMilliseconds = Math.max(lagMilliseconds, of.lagMilliseconds);
      }
      last(wakeSinks(connection, [...counts.keys()], this.#options.clock.now()));
      return { counts, lagMilliseconds };
    });
    if (drained === null) return 'busy';
    let events = 0;
    for (const [orgId, count] of drained.counts) {
      this.#lastOrgId = orgId;
      this.#failed.delete(orgId);
      this.#adapt(orgId, count);
      events += count;
    }
    const { lagMilliseconds } = drained;
    this.#options.onDrained?.({ events, lagMilliseconds, milliseconds: performance.now() - startedAt });
    return { events, lagMilliseconds };
  }

  #limitOf(orgId: OrgId): number {
    return this.#limits.get(orgId) ?? EVENTS_PER_ORG;
  }

  async #drainOrg(connection: LogConnection, table: LedgerTable, org: WaitingOrg): Promise<OrgDrain> {
    const { hasHead, lowWater, orgId } = org;
    const limit = this.#limitOf(orgId);
    // If a batch of one event fails, that event is quarantined.
    const first = limit === 1 ? await findFirstWaiting(connection, orgId) : null;
    try {
      if (!hasHead) await createHead(connection, orgId);
      let all: OrgDrain = { events: 0, lagMilliseconds: 0 };
      for (;;) {
        const inputs = await this.#drainInputs(connection, table, org, limit);
        const now = this.#options.clock.now();
        const drained = inputs ?? (await drainOutbox(connection, table, orgId, limit, now, lowWater));
        const lagMilliseconds = Math.max(all.lagMilliseconds, drained.lagMilliseconds);
        all = { events: all.events + drained.events, lagMilliseconds };
        // During an upgrade, events of both forms can wait in any order, and a batch ends where the form changes.
        const isMixed = inputs === null || inputs.isOtherFormWaiting;
        if (!isMixed || drained.events === 0 || all.events >= limit) return all;
      }
    } catch (error) {
      if (table === 'log_events' && isRenamed(error)) throw new RenamedError(messageOf(error), { cause: error });
      throw isRowsFault(error) || mustWait(error) ? new OrgDrainError(orgId, error, first) : error;
    }
  }

  /**
   * Moves waiting inputs into the ledger. Returns null if there are none, or if an event of an older build comes first.
   */
  async #drainInputs(
    connection: LogConnection,
    table: LedgerTable,
    org: WaitingOrg,
    limit: number,
  ): Promise<(OrgDrain & { readonly isOtherFormWaiting: boolean }) | null> {
    const { clock } = this.#options;
    const { orgId } = org;
    const { head, taken } = await takeInputs(connection, orgId, limit, org.lowWater);
    const [oldest] = taken;
    if (oldest === undefined) return null;
    if (head === null) throw new FenceError(`the log of ${orgId} has no head`);
    const batch = await this.#rendered({ orgId, head, taken, now: clock.now() });
    const lagMilliseconds = await appendBatch(connection, table, orgId, head, batch, oldest.queuedAt);
    if (lagMilliseconds === null) throw new FenceError(`the head of the log of ${orgId} moved under the relay`);
    return { events: taken.length, lagMilliseconds, isOtherFormWaiting: head.isOtherFormWaiting };
  }

  /** Rendering does not use the database, so an unexpected error is the fault of an input. */
  async #rendered(batch: BatchInput): Promise<LedgerBatch> {
    try {
      return await this.#renderer.render(batch);
    } catch (error) {
      if (error instanceof InputError || error instanceof UnknownFormatError) throw error;
      throw new InputError(messageOf(error), { cause: error });
    }
  }

  #adapt(orgId: OrgId, count: number): void {
    const limit = this.#limitOf(orgId);
    if (count < limit) this.#limits.delete(orgId);
    else this.#limits.set(orgId, Math.min(limit * 2, MOST_EVENTS_PER_ORG));
  }

  /**
   * Adds missing partitions or, if none was missing, halves the batch. A single row is quarantined, unless it must
   * wait.
   */
  async #recover({ fault, first, orgId }: OrgDrainError): Promise<void> {
    if (isMissingPartition(fault)) {
      if ((await this.ensurePartitions()) + (await this.#ensureBatch(orgId)) > 0) return;
    }
    const limit = this.#limitOf(orgId);
    if (limit > 1) {
      this.#limits.set(orgId, Math.floor(limit / 2));
      return;
    }
    if (mustWait(fault)) throw fault;
    await this.#quarantineFirst(orgId, fault, first);
  }

  /** Does nothing if the event that failed has been quarantined or moved by another process meanwhile. */
  async #quarantineFirst(orgId: OrgId, fault: unknown, failed: WaitingEvent | null): Promise<void> {
    const { connections, clock, namespace, makeInput, onQuarantined } = this.#options;
    const reason = messageOf(fault);
    await connections.withConnection((connection) =>
      inTransaction(connection, isRelayLocked, async () => {
        const first = await findFirstWaiting(connection, orgId);
        if (first === null || first.id !== failed?.id || first.isInput !== failed.isInput) return null;
        // The ledger refuses the replacement too, so the ledger itself is at fault, and the relay can only wait.
        if (first.eventType === QUARANTINE_EVENT) throw fault;
        const now = clock.now();
        const row = makeInput(systemContext({ orgId, namespace, name: 'relay', now }), {
          eventType: QUARANTINE_EVENT,
          target: [{ id: first.uuid, type: 'LogEvent', alternateId: first.eventType, displayName: first.eventType }],
          outcome: { result: 'FAILURE', reason: failureCode(fault) ?? 'UNKNOWN' },
        });
        await quarantine(connection, first, row, reason, now);
        onQuarantined?.(orgId, reason);
        return true;
      }),
    );
  }
}
