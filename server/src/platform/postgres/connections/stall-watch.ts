import type { Socket } from 'node:net';
import pg from 'pg';
import type { ConnectionSettings } from './connection-settings.ts';
import { failureCode } from './failures.ts';
import { gatheringSocket } from './gathering-socket.ts';

/**
 * `away` means that a probe failed, for example with a refused connection. `stalled` means that a probe got no response
 * in time.
 */
export type DatabaseState = 'well' | 'away' | 'stalled';

export interface DatabaseChange {
  readonly state: DatabaseState;
  readonly reason: string | null;
  readonly code: string | null;
  /** The time since the outage began; 0 at its beginning. */
  readonly milliseconds: number;
}

export interface StallWatchOptions {
  readonly connection: ConnectionSettings;
  readonly onChange?: (change: DatabaseChange) => void;
}

/**
 * The watch sends `select 1` to the database about once a second, over a separate connection. After 2.5 s without a
 * response, the watch closes the guarded connections, and also new ones until a probe succeeds. Slow statements on the
 * guarded connections do not matter.
 */
export interface StallWatch {
  /** Guards a socket to the same database, and returns it. The first call starts the watch. */
  guard(socket: Socket): Socket;
  state(): DatabaseState;
  stop(): void;
}

const TICK_MILLISECONDS = 250;
const TICKS_BETWEEN_QUESTIONS = 4;
/** Ticks are counted instead of time, because a process that was suspended has not waited for the database. */
const TICKS_OF_PATIENCE = 10;
/** Probes of a stalled database wait longer for a response, so that fewer of them pile up in the database. */
const TICKS_OF_PATIENCE_WHEN_STALLED = 40;

const stalledError = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' });

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Question {
  ticks: number;
}

/** The connection of the probes. A probe opens it if there is none, or if the last one was lost. */
class Line {
  readonly #connection: ConnectionSettings;
  #client: pg.Client | null = null;
  #socket: Socket | null = null;

  constructor(connection: ConnectionSettings) {
    this.#connection = connection;
  }

  async ask(): Promise<void> {
    const client = this.#client ?? (await this.#open());
    await client.query('select 1');
  }

  /** Closes the connection without the protocol's termination message, because the server may not be reading. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#client = null;
  }

  async #open(): Promise<pg.Client> {
    const socket = gatheringSocket();
    this.#socket = socket;
    const client = new pg.Client({ ...this.#connection, application_name: 'gatehouse-watch', stream: () => socket });
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    // This connection must not keep the process alive if there is nothing else to do.
    socket.unref();
    if (this.#socket === socket) this.#client = client;
    return client;
  }
}

function tellerOf(onChange: StallWatchOptions['onChange']) {
  let state: DatabaseState = 'well';
  let unwellSince = 0;
  return {
    state: () => state,
    become(next: DatabaseState, error: unknown): void {
      if (next === state) return;
      const milliseconds = state === 'well' ? 0 : performance.now() - unwellSince;
      if (state === 'well') unwellSince = performance.now();
      state = next;
      const reason = error === null ? null : textOf(error);
      onChange?.({ state, reason, code: failureCode(error) ?? null, milliseconds });
    },
  };
}

export function createStallWatch({ connection, onChange }: StallWatchOptions): StallWatch {
  const line = new Line(connection);
  const guarded = new Set<Socket>();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const teller = tellerOf(onChange);
  let pause = 0;
  let question: Question | null = null;

  function ask(): void {
    const asked: Question = { ticks: 0 };
    question = asked;
    const end = (settle: () => void): void => {
      if (question !== asked) return;
      question = null;
      pause = 0;
      settle();
    };
    line.ask().then(
      () => end(() => teller.become('well', null)),
      (error: unknown) =>
        end(() => {
          line.close();
          // A failed probe does not end the state `stalled`.
          if (teller.state() !== 'stalled') teller.become('away', error);
        }),
    );
  }

  function giveUp(): void {
    question = null;
    pause = 0;
    line.close();
    teller.become('stalled', stalledError());
    for (const socket of guarded) socket.destroy(stalledError());
  }

  function tick(): void {
    if (question === null) {
      pause += 1;
      if (pause >= TICKS_BETWEEN_QUESTIONS) ask();
      return;
    }
    question.ticks += 1;
    const patience = teller.state() === 'stalled' ? TICKS_OF_PATIENCE_WHEN_STALLED : TICKS_OF_PATIENCE;
    if (question.ticks >= patience) giveUp();
  }

  function start(): void {
    if (timer !== null || isStopped) return;
    timer = setInterval(tick, TICK_MILLISECONDS);
    timer.unref();
  }

  return {
    guard(socket) {
      start();
      guarded.add(socket);
      socket.once('close', () => guarded.delete(socket));
      // When this callback runs, the caller has started to connect the socket and to handle its errors.
      if (teller.state() === 'stalled') process.nextTick(() => socket.destroy(stalledError()));
      return socket;
    },
    state: () => teller.state(),
    stop() {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
      question = null;
      line.close();
    },
  };
}
