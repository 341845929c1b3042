import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { OrgId } from '../kernel/ids.ts';
import type { Namespace } from '../kernel/namespace.ts';
import { failureCode, isUnavailable } from '../platform/postgres/index.ts';
import { type Connections, inTransaction, type LogConnection } from './connections.ts';
import type { EventType } from './events.ts';
import type { OutboxRowMaker } from './outbox.ts';
import {
  createHead,
  drainOrg,
  ensurePartitions,
  FenceError,
  findFirstWaiting,
  findWaitingOrgs,
  quarantine,
  tryRelayLock,
} from './relay-store.ts';
import { systemContext } from './system-context.ts';

export interface RelayReport {
  readonly events: number;
  /** Age of the oldest event of the drain; 0 when there was none. */
  readonly lagMilliseconds: number;
}

export interface RelayOptions {
  connections: Connections;
  clock: Clock;
  namespace: Namespace;
  /** Makes the event that takes a quarantined row's place. */
  makeRow: OutboxRowMaker;
  onDrained?: (report: RelayReport) => void;
  onQuarantined?: (orgId: OrgId, reason: string) => void;
  onError?: (error: unknown) => void;
}

export interface Relay {
  /** Starts the loop; partitions are there before the first drain. */
  start(): void;
  /** Ends the loop and waits for the drain under way. */
  stop(): Promise<void>;
  /** Told after a commit of this process. Losing it costs latency, never an event. */
  wake(): void;
  /** One drain: one transaction. Returns what it moved; `busy` when another process drains. */
  drain(): Promise<RelayReport | 'busy'>;
}

const EVENTS_PER_ORG = 500;
const ORGS_PER_DRAIN = 50;
const SHORTEST_POLL_MILLISECONDS = 20;
const LONGEST_POLL_MILLISECONDS = 100;
/** A short pause behind a small batch, so that many small commits become one drain. */
const GATHER_MILLISECONDS = 20;
const SMALL_BATCH = 100;
const LONGEST_ERROR_PAUSE_MILLISECONDS = 5_000;
const WEEKS_AHEAD = 5;
const PARTITION_CHECK_MILLISECONDS = 3_600_000;
const PARTITION_RETRY_MILLISECONDS = 10_000;
const CHECK_VIOLATION = '23514';
const QUARANTINE_EVENT: EventType = 'system.log.event.quarantine';

/** A row the ledger refuses raises an error of its own data; everything else concerns the database, not the row. */
const isRowsFault = (error: unknown): boolean =>
  !(error instanceof FenceError) && !isUnavailable(error) && /^(22|23|54|P0)/.test(failureCode(error) ?? '');

const isMissingPartition = (error: unknown): boolean =>
  failureCode(error) === CHECK_VIOLATION && error instanceof Error && Reflect.get(error, 'constraint') === undefined;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A failure while one org's batch was moved. */
class OrgDrainError extends Error {
  readonly orgId: OrgId;
  readonly fault: unknown;

  constructor(orgId: OrgId, fault: unknown) {
    super(messageOf(fault));
    this.orgId = orgId;
    this.fault = fault;
  }
}

/** What a drain remembers from one to the next; nothing of it decides what is correct. */
class Drainer {
  readonly #options: RelayOptions;
  /** Org served last: the next drain goes on behind it. */
  #lastOrgId = '';
  /** Batch sizes of orgs that have a row the ledger refuses. */
  readonly #limits = new Map<OrgId, number>();

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  ensurePartitions(): Promise<number> {
    const { connections, clock } = this.#options;
    return connections.withConnection((connection) => ensurePartitions(connection, clock.now(), WEEKS_AHEAD));
  }

  async drain(): Promise<RelayReport | 'busy'> {
    try {
      return await this.#options.connections.withConnection((connection) => this.#drainOn(connection));
    } catch (error) {
      if (!(error instanceof OrgDrainError)) throw error;
      await this.#recover(error.orgId, error.fault);
      return { events: 0, lagMilliseconds: 0 };
    }
  }

  async #drainOn(connection: LogConnection): Promise<RelayReport | 'busy'> {
    let orgs = await findWaitingOrgs(connection, this.#lastOrgId, ORGS_PER_DRAIN);
    if (orgs.length === 0 && this.#lastOrgId !== '') orgs = await findWaitingOrgs(connection, '', ORGS_PER_DRAIN);
    if (orgs.length === 0) return { events: 0, lagMilliseconds: 0 };
    const now = this.#options.clock.now();
    const report = await inTransaction(connection, async () => {
      if (!(await tryRelayLock(connection))) return null;
      let events = 0;
      let oldest = now.getTime();
      for (const org of orgs) {
        const drained = await this.#drainOrg(connection, org.orgId, org.hasHead, now);
        events += drained.events;
        oldest = Math.min(oldest, drained.oldest?.getTime() ?? oldest);
      }
      return { events, lagMilliseconds: now.getTime() - oldest };
    });
    if (report === null) return 'busy';
    this.#lastOrgId = orgs.at(-1)?.orgId ?? '';
    for (const org of orgs) this.#grow(org.orgId);
    this.#options.onDrained?.(report);
    return report;
  }

  async #drainOrg(connection: LogConnection, orgId: OrgId, hasHead: boolean, now: Date) {
    try {
      if (!hasHead) await createHead(connection, orgId);
      return await drainOrg(connection, orgId, this.#limits.get(orgId) ?? EVENTS_PER_ORG, now);
    } catch (error) {
      throw isRowsFault(error) ? new OrgDrainError(orgId, error) : error;
    }
  }

  #grow(orgId: OrgId): void {
    const limit = this.#limits.get(orgId);
    if (limit === undefined) return;
    if (limit * 2 >= EVENTS_PER_ORG) this.#limits.delete(orgId);
    else this.#limits.set(orgId, limit * 2);
  }

  /** Halves the batch until the row at fault stands alone, then sets it aside. */
  async #recover(orgId: OrgId, fault: unknown): Promise<void> {
    if (isMissingPartition(fault)) {
      if ((await this.ensurePartitions()) > 0) return;
    }
    const limit = this.#limits.get(orgId) ?? EVENTS_PER_ORG;
    if (limit > 1) {
      this.#limits.set(orgId, Math.floor(limit / 2));
      return;
    }
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
        // Refused as well: then the ledger itself is at fault, and waiting is all that is left.
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

/** Lets a loop sleep until time is up or somebody wakes it. */
class Sleeper {
  #woken = false;
  #controller: AbortController | null = null;

  wake(): void {
    this.#woken = true;
    this.#controller?.abort();
  }

  async sleep(milliseconds: number): Promise<void> {
    if (!this.#woken) {
      this.#controller = new AbortController();
      await delay(milliseconds, undefined, { signal: this.#controller.signal }).catch(() => undefined);
      this.#controller = null;
    }
    this.#woken = false;
  }
}

/** The loop that numbers what was committed. Any number of processes may run it; a lock per drain decides. */
export function createRelay(options: RelayOptions): Relay {
  const drainer = new Drainer(options);
  const sleeper = new Sleeper();
  const state = { stopping: false };
  let running: Promise<void> | null = null;
  let partitionsCheckedAt = Number.NEGATIVE_INFINITY;
  let poll = SHORTEST_POLL_MILLISECONDS;
  let failures = 0;

  /** Weeks are made ahead, so a failure here must not hold up the drains; it is tried again soon. */
  async function checkPartitions(): Promise<void> {
    const now = options.clock.now().getTime();
    if (Math.abs(now - partitionsCheckedAt) < PARTITION_CHECK_MILLISECONDS) return;
    partitionsCheckedAt = now;
    try {
      await drainer.ensurePartitions();
    } catch (error) {
      partitionsCheckedAt = now - PARTITION_CHECK_MILLISECONDS + PARTITION_RETRY_MILLISECONDS;
      options.onError?.(error);
    }
  }

  async function turn(): Promise<void> {
    await checkPartitions();
    const report = await drainer.drain();
    failures = 0;
    const moved = report === 'busy' ? 0 : report.events;
    if (moved >= SMALL_BATCH) return;
    if (moved > 0) {
      poll = SHORTEST_POLL_MILLISECONDS;
      await delay(GATHER_MILLISECONDS);
      return;
    }
    await sleeper.sleep(poll);
    poll = report === 'busy' ? SHORTEST_POLL_MILLISECONDS : Math.min(poll * 1.5, LONGEST_POLL_MILLISECONDS);
  }

  async function loop(): Promise<void> {
    while (!state.stopping) {
      try {
        await turn();
      } catch (error) {
        failures += 1;
        options.onError?.(error);
        await sleeper.sleep(Math.min(100 * 2 ** Math.min(failures - 1, 10), LONGEST_ERROR_PAUSE_MILLISECONDS));
      }
    }
  }

  return {
    start: () => {
      running ??= loop();
    },
    stop: async () => {
      state.stopping = true;
      sleeper.wake();
      await running;
    },
    wake: () => sleeper.wake(),
    drain: () => drainer.drain(),
  };
}
