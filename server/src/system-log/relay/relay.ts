import { setTimeout as delay } from 'node:timers/promises';
import { Drainer, type DrainerOptions, type RelayReport } from './relay-drainer.ts';
import { type Backlog, measureBacklog } from './relay-store.ts';

export type { RelayReport } from './relay-drainer.ts';
export type { Backlog } from './relay-store.ts';

export interface RelayOptions extends DrainerOptions {
  /** Told about once a second what waits. */
  onMeasured?: (backlog: Backlog) => void;
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

const SHORTEST_POLL_MILLISECONDS = 20;
const LONGEST_POLL_MILLISECONDS = 100;
/** A short pause behind a small batch, so that many small commits become one drain. */
const GATHER_MILLISECONDS = 20;
const SMALL_BATCH = 100;
const LONGEST_ERROR_PAUSE_MILLISECONDS = 5_000;
const MEASURE_MILLISECONDS = 1_000;
const PARTITION_CHECK_MILLISECONDS = 3_600_000;
const PARTITION_RETRY_MILLISECONDS = 10_000;

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
  let measuredAt = Number.NEGATIVE_INFINITY;
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

  /** Before the drain, and apart from it: a relay that can't drain must be seen to fall behind, and the other way. */
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
      await running;
    },
    wake: () => sleeper.wake(),
    drain: () => drainer.drain(),
  };
}
