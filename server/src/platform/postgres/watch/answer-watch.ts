/** This error ends a connection on which PostgreSQL has not answered in time. */
export class AnswerLateError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the database has not answered a statement in time');
  }
}

/** The part of a connection of `pg` that the watch uses. */
export interface WatchedConnection {
  readonly stream: { destroy(error: Error): unknown };
  once(event: 'end', listener: () => void): unknown;
}

interface Unanswered {
  packets: number;
  /** The ticks since the first of these packets was sent or the one before it was answered. */
  ticks: number;
}

const TICK_MILLISECONDS = 500;

const watches = new WeakMap<WatchedConnection, AnswerWatch>();

/**
 * The watch closes the connections of a pool on which a packet has waited too long for its answer. One timer serves all
 * packets. With a timer for each, as `pg` sets it, a transaction would take almost twice the time, because timers keep
 * the objects of their statements alive until the next full garbage collection.
 */
export class AnswerWatch {
  readonly #patience: number;
  readonly #unanswered = new Map<WatchedConnection, Unanswered>();
  #timer: NodeJS.Timeout | null = null;

  /** A connection closes after `milliseconds` and up to two ticks. */
  constructor(milliseconds: number) {
    // Ticks are counted instead of time, because a process that was suspended has not waited for the database.
    this.#patience = Math.ceil(milliseconds / TICK_MILLISECONDS) + 1;
  }

  /** Watches a connection until it ends. */
  guard(connection: WatchedConnection): void {
    watches.set(connection, this);
    this.#unanswered.set(connection, { packets: 0, ticks: 0 });
    connection.once('end', () => this.#forget(connection));
    this.#timer ??= setInterval(() => this.#tick(), TICK_MILLISECONDS).unref();
  }

  sent(connection: WatchedConnection): void {
    const unanswered = this.#unanswered.get(connection);
    if (unanswered === undefined) return;
    if (unanswered.packets === 0) unanswered.ticks = 0;
    unanswered.packets += 1;
  }

  answered(connection: WatchedConnection): void {
    const unanswered = this.#unanswered.get(connection);
    if (unanswered === undefined) return;
    unanswered.packets -= 1;
    unanswered.ticks = 0;
  }

  #tick(): void {
    for (const [connection, unanswered] of this.#unanswered) {
      if (unanswered.packets === 0) continue;
      unanswered.ticks += 1;
      if (unanswered.ticks < this.#patience) continue;
      this.#forget(connection);
      connection.stream.destroy(new AnswerLateError());
    }
  }

  #forget(connection: WatchedConnection): void {
    this.#unanswered.delete(connection);
    if (this.#unanswered.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Notes that a packet was sent on a connection. */
export const notePacket = (connection: WatchedConnection): void => watches.get(connection)?.sent(connection);

/** Notes that a packet of a connection was answered. */
export const noteAnswered = (connection: WatchedConnection): void => watches.get(connection)?.answered(connection);
