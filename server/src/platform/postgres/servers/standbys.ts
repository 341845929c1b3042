import type pg from 'pg';

// With `synchronous_standby_names`, a commit waits until a standby has it, and until then nobody sees the change. If an
// administrator cancels the wait, everybody sees the change, and PostgreSQL reports success with a warning, but a
// failover would lose the change. A commit with that warning therefore fails. PostgreSQL's statement timeout does not
// end the wait, and a process that gives up leaves a waiting session of the database behind. While commits wait,
// changes are therefore refused before they are sent (ADR 0083).

/** The function of PostgreSQL that warns when a commit stops waiting. The text of the warning depends on the locale. */
const WARNING_ROUTINE = 'SyncRepWaitForLSN';

/** This error is thrown for a change that was committed without the confirmation of a standby. */
export class UnconfirmedCommitError extends Error {
  /** PostgreSQL's code for a statement whose outcome is unknown (statement_completion_unknown). */
  readonly code = '40003';

  constructor() {
    super('no standby has confirmed the commit');
  }
}

/** This error is thrown for a change that was not sent, because earlier ones wait for a standby. */
export class StandbysAwayError extends Error {
  /** PostgreSQL's code for a server that cannot serve yet (cannot_connect_now). */
  readonly code = '57P03';

  constructor() {
    super('commits wait for a standby');
  }
}

/** The knowledge of a process about the standbys that commits wait for. */
export interface Standbys {
  /** Whether a commit has waited for so long that further changes are refused. */
  areAway(): boolean;
  /** The connections on which a COMMIT has no answer yet, and for how many ticks of the watch. */
  readonly committing: Map<pg.Connection, number>;
}

const unconfirmed = new WeakSet<pg.Connection>();
const known = new WeakMap<pg.Connection, Standbys>();

/** Notes warnings about cancelled waits on a connection. Call this before the client connects. */
export function noteStandbys({ connection }: pg.Client, standbys: Standbys | undefined): void {
  connection.on('notice', ({ routine }: { readonly routine?: string }) => {
    if (routine === WARNING_ROUTINE) unconfirmed.add(connection);
  });
  if (standbys !== undefined) known.set(connection, standbys);
}

/** Notes that a COMMIT was sent on a connection. */
export const noteCommit = (connection: pg.Connection): void =>
  void known.get(connection)?.committing.set(connection, 0);

/** Notes that the statements of a connection have been answered. */
export const noteAnswer = (connection: pg.Connection): void =>
  void known.get(connection)?.committing.delete(connection);

/** Returns an error if a commit on the connection has stopped waiting since the last call. */
export const takeUnconfirmed = (connection: pg.Connection): UnconfirmedCommitError | null =>
  unconfirmed.delete(connection) ? new UnconfirmedCommitError() : null;

/** A statement that changes rows, or whose text might be that of one. A row lock alone is no change. */
const CHANGE = /\b(?:insert\s+into|delete\s+from|merge\s+into|(?<!\bfor\s+)(?<!\bno\s+key\s+)update\s)/i;

/** Throws if one of the statements is a change, and changes are refused. */
export function refuseWithoutStandbys(connection: pg.Connection, texts: () => readonly string[]): void {
  if (known.get(connection)?.areAway() === true && texts().some((text) => CHANGE.test(text)))
    throw new StandbysAwayError();
}
