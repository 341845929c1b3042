import type pg from 'pg';
import type { ConnectionSettings } from '../servers/connection-settings.ts';
import { type Standbys, UnconfirmedCommitError } from '../servers/standbys.ts';
import { WatchLine } from './watch-line.ts';

/** Sends a commit that changes no table. It waits for a standby as every other commit does. */
const COMMIT_QUESTION = `select pg_logical_emit_message(true, 'gatehouse', '') as answer`;

/** The watch commits something once a second, to find out whether standbys confirm commits. */
export class StandbyWatch implements Standbys {
  readonly #line: WatchLine;
  readonly #patience: number;
  readonly committing = new Map<pg.Connection, number>();
  #isAway = false;
  #ticks = 0;
  #question: object | null = null;

  /** `patience` is the number of ticks after which a commit without confirmation means that the standbys are away. */
  constructor(connection: ConnectionSettings, patience: number) {
    this.#line = new WatchLine(connection);
    this.#patience = patience;
  }

  areAway(): boolean {
    return this.#isAway;
  }

  /** Takes note of whether the server has synchronous standbys, and asks for a commit if the last one is confirmed. */
  heard(isExpected: boolean): void {
    if (!isExpected) this.stop();
    else if (this.#question === null) this.#ask();
  }

  tick(): void {
    if (this.#question !== null) this.#ticks += 1;
    if (this.#ticks >= this.#patience) this.#isAway = true;
    for (const [connection, ticks] of this.committing) {
      this.committing.set(connection, ticks + 1);
      // The requests that wait for a standby end, so that reads get their connections.
      if (!this.#isAway || ticks < this.#patience) continue;
      this.committing.delete(connection);
      connection.stream.destroy(new UnconfirmedCommitError());
    }
  }

  stop(): void {
    this.#question = null;
    this.#ticks = 0;
    this.#isAway = false;
    this.#line.close();
  }

  #ask(): void {
    const question = {};
    this.#question = question;
    this.#ticks = 0;
    const end = (isConfirmed: boolean): void => {
      if (this.#question !== question) return;
      this.#question = null;
      this.#ticks = 0;
      if (isConfirmed) this.#isAway = false;
      else this.#line.close();
    };
    this.#line.ask(COMMIT_QUESTION).then(
      () => end(true),
      () => end(false),
    );
  }
}
