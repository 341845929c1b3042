import { setTimeout as delay } from 'node:timers/promises';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import type { Relay } from '../../src/system-log/index.ts';
import type { DrainSnapshot, WaitingEvent } from './log-model.ts';
import { type DrainFault, FaultyConnections } from './log-model-faults.ts';
import type { LogBench, TestClock } from './system-log.ts';

/** `report` is null if the drain failed. `snapshot` contains the events that waited when the drain took its batch. */
export interface DrainRun {
  readonly report: { readonly events: number } | null;
  readonly snapshot: DrainSnapshot;
}

export interface RelayOfTestOptions {
  readonly bench: LogBench;
  readonly clock: TestClock;
  readonly kill: (pid: number) => Promise<void>;
  readonly waitingOf: (orgId: OrgId) => readonly WaitingEvent[];
}

interface DrainUnderWay {
  readonly done: Promise<DrainRun>;
  /** Whether the drain is paused at a statement. Otherwise it waits for a lock of the other relay. */
  readonly paused: boolean;
}

const TAKES = /delete from log_(?:inputs|outbox)/;

export class RelayUnderTest {
  readonly clock: TestClock;
  readonly #options: RelayOfTestOptions;
  readonly #connections: FaultyConnections;
  #relay: Relay;
  #snapshot = new Map<OrgId, readonly WaitingEvent[]>();
  #underWay: DrainUnderWay | null = null;

  constructor(options: RelayOfTestOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.#connections = new FaultyConnections({
      inner: options.bench.connections,
      kill: options.kill,
      onStatement: (text, values) => {
        // A drain that met the switch begins again, and then takes other events.
        if (text === 'begin') this.#snapshot.clear();
        const orgId = values[0] as OrgId;
        if (TAKES.test(text)) this.#snapshot.set(orgId, [...options.waitingOf(orgId)]);
      },
    });
    this.#relay = this.#newRelay();
  }

  #newRelay(): Relay {
    // A drain that is held up between two statements would run out of time before it has served every org.
    const budgetMilliseconds = Number.POSITIVE_INFINITY;
    return this.#options.bench.relay({ connections: this.#connections, clock: this.clock, budgetMilliseconds });
  }

  get isPaused(): boolean {
    return this.#underWay?.paused === true;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== null;
  }

  /** Replaces the relay with the relay of a new process, which remembers nothing. */
  replace(): void {
    this.#relay = this.#newRelay();
  }

  /** Runs a drain until it ends, pauses or waits for a lock. Returns the drain only if it has ended. */
  async drain(fault: DrainFault | null, lockLies: boolean): Promise<DrainRun[]> {
    const snapshot = new Map<OrgId, readonly WaitingEvent[]>();
    this.#snapshot = snapshot;
    let done: Promise<DrainRun> = Promise.reject(new Error('not begun'));
    done.catch(() => undefined);
    const paused = new Promise<'paused'>((resolve) => {
      this.#connections.arm(fault, lockLies, () => resolve('paused'));
      done = this.#relay.drain().then(
        (report) => ({ report: report === 'busy' ? { events: 0 } : report, snapshot }),
        () => ({ report: null, snapshot }),
      );
    });
    const watch = { over: false };
    const first = await Promise.race([done, paused, this.#blocked(watch)]);
    watch.over = true;
    if (typeof first !== 'string') return [first];
    this.#underWay = { done, paused: first === 'paused' };
    return [];
  }

  /** Lets a paused or waiting drain finish. `kill` first closes the connection of a paused drain. */
  async end(how: 'goOn' | 'kill'): Promise<DrainRun[]> {
    const underWay = this.#underWay;
    if (underWay === null) return [];
    if (how === 'kill') await this.#connections.killPaused();
    this.#connections.goOn();
    const run = await underWay.done;
    this.#underWay = null;
    return [run];
  }

  /** Resolves when the drain waits for a lock of another connection. */
  async #blocked(watch: { readonly over: boolean }): Promise<'blocked'> {
    for (;;) {
      await delay(15);
      const pids = [...this.#connections.pids];
      if (watch.over || pids.length === 0) return new Promise<never>(() => undefined);
      const rows = await this.#options.bench.query(
        `select from pg_stat_activity where pid = any($1::integer[]) and wait_event_type = 'Lock'`,
        [pids],
      );
      if (rows.length > 0) return 'blocked';
    }
  }
}
