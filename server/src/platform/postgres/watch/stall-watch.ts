import type { Socket } from 'node:net';
import { failureCode } from '../connections/failures.ts';
import type { ConnectionSettings } from '../servers/connection-settings.ts';
import { serversOf } from '../servers/known-servers.ts';
import type { Standbys } from '../servers/standbys.ts';
import { StandbyWatch } from './standby-watch.ts';
import { WatchLine } from './watch-line.ts';

/**
 * `away` means that a probe failed, for example with a refused connection. `stalled` means that a probe got no response
 * in time. `unconfirmed` means that commits wait for a standby, and that changes are refused meanwhile.
 */
export type DatabaseState = 'well' | 'away' | 'stalled' | 'unconfirmed';

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
  /** This is called with each answer of the database, and with how far its clock is ahead of this machine's. */
  readonly onTime?: (aheadMilliseconds: number) => void;
}

/**
 * The watch sends a probe to the database about once a second, over a separate connection. After 2.5 s without a
 * response, the watch closes the guarded connections, and also new ones until a probe succeeds. Slow statements on the
 * guarded connections do not matter.
 */
export interface StallWatch {
  /** Guards a socket to the same database, and returns it. The first call starts the watch. */
  guard(socket: Socket): Socket;
  state(): DatabaseState;
  readonly standbys: Standbys;
  stop(): void;
}

/** Asks for the database's time in milliseconds, and whether commits wait for standbys. */
const PROBE = `select json_build_object('now', extract(epoch from clock_timestamp()) * 1000,
  'hasStandbys', current_setting('synchronous_standby_names') <> '') as answer`;

interface ProbeAnswer {
  readonly now: number;
  readonly hasStandbys: boolean;
}

const TICK_MILLISECONDS = 250;
const TICKS_BETWEEN_QUESTIONS = 4;
/** Ticks are counted instead of time, because a process that was suspended has not waited for the database. */
const TICKS_OF_PATIENCE = 10;
/** Probes of a stalled database wait longer for a response, so that fewer of them pile up in the database. */
const TICKS_OF_PATIENCE_WHEN_STALLED = 40;

const unconfirmedError = (): Error => Object.assign(new Error('no standby confirms commits'), { code: '57P03' });

const stalledError = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' });

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

/** After a longer time, the middle of a question and its answer says little about the database's clock. */
const TIMELY_MILLISECONDS = 500;

async function probe(line: WatchLine, onTime: StallWatchOptions['onTime']): Promise<ProbeAnswer> {
  const askedAt = Date.now();
  const answer = await line.ask<ProbeAnswer>(PROBE);
  const answeredAt = Date.now();
  if (answeredAt - askedAt < TIMELY_MILLISECONDS) onTime?.(answer.now - (askedAt + answeredAt) / 2);
  return answer;
}

interface ProberOptions {
  readonly ask: () => Promise<ProbeAnswer>;
  readonly answered: (answer: ProbeAnswer) => void;
  readonly failed: (error: unknown) => void;
  readonly unanswered: () => void;
  /** The number of ticks to wait for an answer. */
  readonly patience: () => number;
}

/** Sends one probe at a time. A probe that is given up has no consequence any more. */
class Prober {
  readonly #options: ProberOptions;
  #probe: { ticks: number } | null = null;
  #pause = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  tick(): void {
    if (this.#probe === null) {
      this.#pause += 1;
      if (this.#pause >= TICKS_BETWEEN_QUESTIONS) this.#ask();
      return;
    }
    this.#probe.ticks += 1;
    if (this.#probe.ticks < this.#options.patience()) return;
    this.giveUp();
    this.#options.unanswered();
  }

  giveUp(): void {
    this.#probe = null;
    this.#pause = 0;
  }

  #ask(): void {
    const { answered, ask, failed } = this.#options;
    const sent = { ticks: 0 };
    this.#probe = sent;
    const end = (settle: () => void): void => {
      if (this.#probe !== sent) return;
      this.giveUp();
      settle();
    };
    ask().then(
      (answer) => end(() => answered(answer)),
      (error: unknown) => end(() => failed(error)),
    );
  }
}

export function createStallWatch({ connection, onChange, onTime }: StallWatchOptions): StallWatch {
  const line = new WatchLine(connection);
  const standbys = new StandbyWatch(connection, TICKS_OF_PATIENCE);
  const guarded = new Set<Socket>();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const teller = tellerOf(onChange);
  const prober = new Prober({
    ask: () => probe(line, onTime),
    answered: ({ hasStandbys }) => {
      // A replica may have the settings of its primary, but nothing is committed there.
      standbys.heard(hasStandbys && connection.isReplica !== true);
      if (standbys.areAway()) teller.become('unconfirmed', unconfirmedError());
      else teller.become('well', null);
    },
    failed: (error) => {
      line.close();
      // A failed probe does not end the state `stalled`.
      if (teller.state() !== 'stalled') teller.become('away', error);
    },
    unanswered: () => {
      line.close();
      standbys.stop();
      // Another server may be the primary now, and the next probe may already be under way to this one.
      serversOf(connection).search().then(restart, restart);
      teller.become('stalled', stalledError());
      for (const socket of guarded) socket.destroy(stalledError());
    },
    patience: () => (teller.state() === 'stalled' ? TICKS_OF_PATIENCE_WHEN_STALLED : TICKS_OF_PATIENCE),
  });

  function restart(): void {
    prober.giveUp();
    line.close();
  }

  function tick(): void {
    standbys.tick();
    prober.tick();
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
    standbys,
    stop() {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
      prober.giveUp();
      line.close();
      standbys.stop();
    },
  };
}
