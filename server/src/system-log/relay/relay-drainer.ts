import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { failureCode, isUnavailable } from '../../platform/postgres/index.ts';
import { systemContext } from '../access/system-context.ts';
import { wakeSinks } from '../sinks/cross-org-store.ts';
import type { EventType } from '../write/events.ts';
import { type Connections, inTransaction, type LogConnection } from './connections.ts';
import type { OutboxRowMaker } from './outbox.ts';
import {
  createHead,
  drainOrg,
  ensurePartitions,
  ensurePartitionsOfBatch,
  FenceError,
  findFirstWaiting,
  findWaitingOrgs,
  quarantine,
  tryRelayLock,
  type WaitingOrg,
} from './relay-store.ts';

export interface RelayReport {
  readonly events: number;
  /** The longest time that any of the events waited, by the database's clock. 0 if there were no events. */
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
  makeRow: OutboxRowMaker;
  onDrained?: (report: DrainReport) => void;
  onQuarantined?: (orgId: OrgId, reason: string) => void;
}

/** The initial limit of events that one drain persists for an org. */
const EVENTS_PER_ORG = 500;
/** The limit for an org grows up to this number while the org has a backlog. */
const MOST_EVENTS_PER_ORG = 2_000;
const ORGS_PER_DRAIN = 50;
/** After this time, a drain serves no further org, so that the transaction stays short if many orgs wait. */
const DRAIN_BUDGET_MILLISECONDS = 250;
const WEEKS_AHEAD = 5;
const CHECK_VIOLATION = '23514';
const QUERY_CANCELED = '57014';
const QUARANTINE_EVENT: EventType = 'system.log.event.quarantine';
const NOTHING: RelayReport = { events: 0, lagMilliseconds: 0 };

/** Tests whether the ledger refused a row with a data error. All other errors concern the database, not the row. */
const isRowsFault = (error: unknown): boolean =>
  !(error instanceof FenceError) && !isUnavailable(error) && /^(22|23|54|P0)/.test(failureCode(error) ?? '');

/** Tests whether a batch took longer than a statement may take. A smaller batch may succeed. */
const isTooLong = (error: unknown): boolean => failureCode(error) === QUERY_CANCELED;

const isMissingPartition = (error: unknown): boolean =>
  failureCode(error) === CHECK_VIOLATION && error instanceof Error && Reflect.get(error, 'constraint') === undefined;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class OrgDrainError extends Error {
  readonly orgId: OrgId;
  readonly fault: unknown;

  constructor(orgId: OrgId, fault: unknown) {
    super(messageOf(fault));
    this.orgId = orgId;
    this.fault = fault;
  }
}

/** Drains the outbox. The state that it keeps between drains affects only speed, never correctness. */
export class Drainer {
  readonly #options: DrainerOptions;
  /** The org that was served last. The next drain continues after this org. */
  #lastOrgId = '';
  /** Batch sizes, larger for an org with a backlog, and smaller for an org with a row that the ledger refuses. */
  readonly #limits = new Map<OrgId, number>();

  constructor(options: DrainerOptions) {
    this.#options = options;
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
      return await this.#options.connections.withConnection((connection) => this.#drainOn(connection));
    } catch (error) {
      if (!(error instanceof OrgDrainError)) throw error;
      // The failure undid the whole drain. The next drain starts after this org, so that this org does not delay the
      // others.
      this.#lastOrgId = error.orgId;
      await this.#recover(error.orgId, error.fault);
      return NOTHING;
    }
  }

  async #drainOn(connection: LogConnection): Promise<RelayReport | 'busy'> {
    const startedAt = performance.now();
    let orgs = await findWaitingOrgs(connection, this.#lastOrgId, ORGS_PER_DRAIN);
    if (orgs.length === 0 && this.#lastOrgId !== '') orgs = await findWaitingOrgs(connection, '', ORGS_PER_DRAIN);
    if (orgs.length === 0) return NOTHING;
    const drained = await inTransaction(connection, async () => {
      if (!(await tryRelayLock(connection))) return null;
      const counts = new Map<OrgId, number>();
      let lagMilliseconds = 0;
      for (const org of orgs) {
        if (counts.size > 0 && performance.now() - startedAt > DRAIN_BUDGET_MILLISECONDS) break;
        const of = await this.#drainOrg(connection, org);
        counts.set(org.orgId, of.events);
        lagMilliseconds = Math.max(lagMilliseconds, of.lagMilliseconds);
      }
      await wakeSinks(connection, [...counts.keys()], this.#options.clock.now());
      return { counts, lagMilliseconds };
    });
    if (drained === null) return 'busy';
    let events = 0;
    for (const [orgId, count] of drained.counts) {
      this.#lastOrgId = orgId;
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

  async #drainOrg(connection: LogConnection, { hasHead, lowWater, orgId }: WaitingOrg) {
    try {
      if (!hasHead) await createHead(connection, orgId);
      return await drainOrg(connection, orgId, this.#limitOf(orgId), this.#options.clock.now(), lowWater);
    } catch (error) {
      throw isRowsFault(error) || isTooLong(error) ? new OrgDrainError(orgId, error) : error;
    }
  }

  /** A full batch doubles the size of the next one. A batch that empties the org's backlog resets the size. */
  #adapt(orgId: OrgId, count: number): void {
    const limit = this.#limitOf(orgId);
    if (count < limit) this.#limits.delete(orgId);
    else this.#limits.set(orgId, Math.min(limit * 2, MOST_EVENTS_PER_ORG));
  }

  /**
   * Adds missing partitions or, if none was missing, halves the batch. Quarantines the row of a batch of one. Throws if
   * the batch of one took too long.
   */
  async #recover(orgId: OrgId, fault: unknown): Promise<void> {
    if (isMissingPartition(fault)) {
      if ((await this.ensurePartitions()) + (await this.#ensureBatch(orgId)) > 0) return;
    }
    const limit = this.#limitOf(orgId);
    if (limit > 1) {
      this.#limits.set(orgId, Math.floor(limit / 2));
      return;
    }
    if (isTooLong(fault)) throw fault;
    await this.#quarantineFirst(orgId, fault);
  }

  async #quarantineFirst(orgId: OrgId, fault: unknown): Promise<void> {
    const { connections, clock, namespace, makeRow, onQuarantined } = this.#options;
    const reason = messageOf(fault);
    await connections.withConnection((connection) =>
      inTransaction(connection, async () => {
        if (!(await tryRelayLock(connection))) return null;
        const first = await findFirstWaiting(connection, orgId);
        if (first === null) return null;
        // The ledger refuses the replacement too, so the ledger itself is at fault, and the relay can only wait.
        if (first.eventType === QUARANTINE_EVENT) throw fault;
        const now = clock.now();
        const row = makeRow(systemContext({ orgId, namespace, name: 'relay', now }), {
          eventType: QUARANTINE_EVENT,
          target: [{ id: first.uuid, type: 'LogEvent', alternateId: first.eventType, displayName: first.eventType }],
          outcome: { result: 'FAILURE', reason: failureCode(fault) ?? 'UNKNOWN' },
        });
        await quarantine(connection, first.id, row, reason, now);
        onQuarantined?.(orgId, reason);
        return true;
      }),
    );
  }
}
