import { setTimeout as delay } from 'node:timers/promises';
import { Drainer, type DrainerOptions, type RelayReport } from './relay-drainer.ts';
import { type Backlog, measureBacklog } from './relay-store.ts';

export type { RelayReport } from './relay-drainer.ts';
export type { Backlog } from './relay-store.ts';

export interface RelayOptions extends DrainerOptions {
  /** This is called about once a second with the backlog. */
  onMeasured?: (backlog: Backlog) => void;
}

export interface Relay {
  /** The partitions are checked before the first drain. */
  start(): void;
  /** Ends the loop and waits for the drain in progress. */
  stop(): Promise<void>;
  /** Wakes the loop after a commit of this process. If a call is lost, events are delayed but not lost. */
  wake(): void;
  /** Returns `busy` if another process is draining. */
  drain(): Promise<RelayReport | 'busy'>;
}

const SHORTEST_POLL_MILLISECONDS = 20;
const LONGEST_POLL_MILLISECONDS = 100;
/** The relay pauses this long after a small batch, so that many small commits are drained together. */
const GATHER_MILLISECONDS = 20;
const SMALL_BATCH = 100;
const LONGEST_ERROR_PAUSE_MILLISECONDS = 5_000;
const MEASURE_MILLISECONDS = 1_000;
const PARTITION_CHECK_MILLISECONDS = 3_600_000;
const PARTITION_RETRY_MILLISECONDS = 10_000;

/**
 * A sleeper lets a loop sleep until the time is up or `wake` is called. A call between two sleeps ends the next one at
 * once.
 */
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

/**
 * Creates the loop that moves committed events from the outbox into the ledger and numbers them (ADR 0005).
 *
 * If inserts took sequence numbers, a reader could miss events. A transaction with a lower number may commit after the
 * reader has passed that number. Therefore, a change only inserts its events into the outbox, and the relay numbers
 * them after the commit. The relay numbers the events of each org from 1 without gaps, and chains each event's hash to
 * the previous one.
 *
 * Every serving process runs this loop. An advisory try-lock admits one drain at a time, and one drain is one
 * transaction. The drain serves the waiting orgs in turn. For each, it takes a batch from the outbox, renders it,
 * appends it to the ledger and moves the org's head. The lock only saves work. Safety comes from the head row, which is
 * locked and moves only from the position that was read. If another relay has moved the head, nothing is updated and
 * the drain rolls back. Because a drain is one transaction, a crash at any point leaves each event either waiting or
 * numbered once.
 *
 * A row that the ledger refuses must not stop its org. The drainer halves the org's batch until it contains only that
 * row, quarantines the row, and queues an event about it in its place. Commits of this process wake the loop, and
 * polling finds the commits of other processes. If a wake is lost, events are delayed but not lost.
 */
export function createRelay(options: RelayOptions): Relay {
  const drainer = new Drainer(options);
  const sleeper = new Sleeper();
  const state = { stopping: false };
  let running: Promise<void> | null = null;
  let partitionsCheckedAt = Number.NEGATIVE_INFINITY;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let poll = SHORTEST_POLL_MILLISECONDS;
  let failures = 0;

  /** Partitions are created weeks ahead, so a failed check need not stop a drain. */
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

  /** A failure is reported but does not prevent the drain. */
  async function measure(): Promise<void> {
    const now = performance.now();
    if (now - measuredAt < MEASURE_MILLISECONDS) return;
    measuredAt = now;
    try {
      options.onMeasured?.(await options.connections.withConnection(measureBacklog));
    } catch (error) {
      options.onError?.(error);
    }
  }

  async function turn(): Promise<void> {
    await checkPartitions();
    await measure();
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
      await drainer.close(running);
    },
    wake: () => sleeper.wake(),
    drain: () => drainer.drain(),
  };
}
