import type { Connections, LogConnection, LogResult } from '../../src/system-log/relay/connections.ts';
import { LEDGER_TABLE } from '../../src/system-log/relay/relay-store.ts';

/**
 * A fault at one of a drain's statements, counted from 1, or at its commit. `throw` throws an error, either before the
 * statement or after it. `kill` closes the connection, either before the statement or after it but before its answer
 * arrives. `pause` stops the drain until it may continue; everything else continues.
 */
export interface DrainFault {
  readonly kind: 'throwBefore' | 'throwAfter' | 'killBefore' | 'killAfter' | 'pause';
  readonly at: number | 'commit';
}

export class InjectedFault extends Error {}

export interface FaultyOptions {
  readonly inner: Connections;
  readonly kill: (pid: number) => Promise<void>;
  readonly onStatement: (text: string, values: readonly unknown[]) => void;
}

interface Pause {
  readonly pid: number;
  readonly goOn: () => void;
}

const TAKES_LOCK = /pg_try_advisory_xact_lock/;

export class FaultyConnections implements Connections {
  readonly #options: FaultyOptions;
  #fault: DrainFault | null = null;
  #sent = 0;
  #pause: Pause | null = null;
  #onPaused: () => void = () => undefined;
  readonly pids = new Set<number>();
  /**
   * If set, a relay is told that it has the lock, even while another one holds it. Then only the head row keeps the log
   * consistent.
   */
  lockLies = false;

  constructor(options: FaultyOptions) {
    this.#options = options;
  }

  /** Prepares a fault, or none, for the next drain. */
  arm(fault: DrainFault | null, lockLies: boolean, onPaused: () => void): void {
    this.#fault = fault;
    this.#sent = 0;
    this.lockLies = lockLies;
    this.#onPaused = onPaused;
  }

  /** Lets a paused drain continue, without further faults. */
  goOn(): void {
    this.#fault = null;
    this.#pause?.goOn();
    this.#pause = null;
  }

  async killPaused(): Promise<void> {
    if (this.#pause !== null) await this.#options.kill(this.#pause.pid);
  }

  withConnection<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result> {
    return this.#options.inner.withConnection(async (connection) => {
      const { rows } = await connection.query('select pg_backend_pid() as pid');
      const [{ pid }] = rows as readonly [{ pid: number }];
      this.pids.add(pid);
      try {
        // Statements are sent in order, as on a real connection, so the statements after a paused one wait.
        let turn: Promise<unknown> = Promise.resolve();
        return await use({
          query: (text, values = []) => {
            const before = turn.then(() => this.#before(pid, text));
            turn = before.catch(() => undefined);
            return before.then((kind) => this.#send(connection, pid, text, values, kind));
          },
        });
      } finally {
        this.pids.delete(pid);
      }
    });
  }

  /** Applies a fault that occurs before this statement. Returns the kind of the fault at the statement, or null. */
  async #before(pid: number, text: string): Promise<DrainFault['kind'] | null> {
    this.#sent += 1;
    const at = this.#fault?.at;
    const kind = at === this.#sent || at === text ? (this.#fault?.kind ?? null) : null;
    if (kind === 'throwBefore') throw new InjectedFault(`before ${text}`);
    if (kind === 'killBefore') await this.#options.kill(pid);
    if (kind === 'pause') await this.#standStill(pid);
    return kind;
  }

  async #send(
    connection: LogConnection,
    pid: number,
    text: string,
    values: readonly unknown[],
    kind: DrainFault['kind'] | null,
  ): Promise<LogResult> {
    this.#options.onStatement(text, values);
    const result = await this.#ask(connection, text, values);
    if (kind === 'throwAfter') throw new InjectedFault(`after ${text}`);
    if (kind !== 'killAfter') return result;
    await this.#options.kill(pid);
    throw new InjectedFault(`the answer of ${text} is lost`);
  }

  #ask(connection: LogConnection, text: string, values: readonly unknown[]): Promise<LogResult> {
    if (this.lockLies && TAKES_LOCK.test(text)) {
      return connection.query(`select true as locked, ${LEDGER_TABLE} as table`);
    }
    return connection.query(text, values);
  }

  #standStill(pid: number): Promise<void> {
    return new Promise((resolve) => {
      this.#pause = { pid, goOn: resolve };
      this.#onPaused();
    });
  }
}

/** Returns connections that send their statements one after another and run `act` before statement number `at`. */
export const interrupted = (inner: Connections, at: number, act: () => Promise<void>): Connections => ({
  withConnection: (use) =>
    inner.withConnection((connection) => {
      let last: Promise<unknown> = Promise.resolve();
      let sent = 0;
      return use({
        query: (text, values) => {
          const number = ++sent;
          const result = last.then(async () => {
            if (number === at) await act();
            return connection.query(text, values);
          });
          last = result.catch(() => undefined);
          return result;
        },
      });
    }),
});
