import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Context } from '../../kernel/context.ts';
import type { Tx } from './connections/database.ts';
import { kyselyOver } from './connections/dialect.ts';
import { asApiError, type ConstraintErrors, failureCode, isRetryable } from './connections/failures.ts';
import { sendQuery } from './connections/named-query.ts';
import type { Statement } from './connections/statements.ts';

/** Collects an event, which is written together with the use case's changes or not at all. */
export type RecordEvent<Event> = (event: Event) => void;

/**
 * Runs a use case in one transaction with its events. The use case may run again (see `isRetryable`), so it must change
 * nothing outside of `tx`. An error rolls everything back, so a refusal that must leave a trace is returned instead.
 */
export type UnitOfWork<Event> = <Result>(
  context: Context,
  run: (tx: Tx, record: RecordEvent<Event>) => Promise<Result>,
) => Promise<Result>;

/** Lets one area react to an event of another area in the same transaction. */
export type Reaction<Event> = (tx: Tx, context: Context, event: Event, record: RecordEvent<Event>) => Promise<void>;
export type Reactions<Event> = Readonly<Record<string, readonly Reaction<Event>[]>>;

/** Reacts to all events of a type together, because thousands of events must not cost one statement each. */
export type SetReaction<Event> = (
  tx: Tx,
  context: Context,
  events: readonly Event[],
  record: RecordEvent<Event>,
) => Promise<void>;
export type SetReactions<Event> = Readonly<Record<string, readonly SetReaction<Event>[]>>;

export interface UnitOfWorkOptions<Event extends { eventType: string }> {
  pool: pg.Pool;
  constraints: ConstraintErrors;
  reactions: Reactions<Event>;
  /** Reactions that run after the reactions to single events. */
  setReactions?: SetReactions<Event>;
  /** Builds the statement that inserts recorded events. */
  outbox: (context: Context, events: readonly Event[]) => Statement;
  /**
   * Called after events have been committed, or may have been. Wakes the relay and drops values cached in this process.
   */
  committed: (context: Context, events: readonly Event[]) => void;
}

const MAXIMUM_ATTEMPTS = 4;
const MAXIMUM_REACTION_DEPTH = 3;
/** The maximum number of events in one insert. The rows of all events together could fill the memory. */
export const MAXIMUM_EVENTS_PER_INSERT = 5_000;

/** Thrown when PostgreSQL answered COMMIT with ROLLBACK, although no statement that was sent with it failed. */
export class NotCommittedError extends Error {
  readonly code = '40003';
}

/** Statements that are sent at the end of a transaction. */
const endings = new WeakMap<Tx, Statement[]>();

/**
 * Defers a change to the packet with COMMIT, so no earlier read sees it. Its failure prevents the commit. Throws an
 * error if `tx` does not belong to a unit of work.
 */
export function sendWithCommit(tx: Tx, statement: Statement): void {
  const ending = endings.get(tx);
  if (ending === undefined) throw new Error('only a unit of work has an end');
  ending.push(statement);
}

/** The session of each transaction that is under way. */
const sessions = new WeakMap<Tx, Session>();

function sessionOf(tx: Tx): Session {
  const session = sessions.get(tx);
  if (session === undefined) throw new Error('the transaction is not that of a unit of work');
  return session;
}

/**
 * Sends a change at once, and waits for its result only at the end of the transaction. Later statements see the change.
 * Its failure prevents the commit. The unit of work then throws this failure rather than its consequences.
 */
export function sendAhead(tx: Tx, statement: Statement): void {
  startAhead(tx, () => sessionOf(tx).run(statement));
}

/**
 * Starts statements like `sendAhead`, for a result that the use case does not need. Await the result only after the
 * unit of work, because awaiting it earlier costs a round trip.
 */
export function startAhead<Result>(tx: Tx, start: () => Promise<Result>): { readonly result: Promise<Result> } {
  const result = start();
  sessionOf(tx).expect(result);
  return { result };
}

/**
 * Starts a read whose result the use case or a reaction will need, so that its query shares a packet with the
 * statements before it. `foreseen` with the same key takes the result.
 */
export const foresee = (tx: Tx, key: string, read: () => Promise<unknown>): void => sessionOf(tx).foresee(key, read);

/** Takes the result of the read that `foresee` started under this key. If there is none left to take, calls `read`. */
export const foreseen = <Result>(tx: Tx, key: string, read: () => Promise<Result>): Promise<Result> =>
  (sessions.get(tx)?.foreseen(key) as Promise<Result> | undefined) ?? read();

const ignored = (): undefined => undefined;

/** The error codes of statements after a failed one, and of a commit that became a rollback. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['25P02', '40003']);

/** The connection of one transaction. BEGIN is sent in the same packet as the first statement. */
class Session {
  readonly #client: pg.PoolClient;
  readonly #ending: Statement[] = [];
  readonly #ahead: Promise<unknown>[] = [];
  /** The results of the statements and reads that were sent early, in the order of sending. */
  readonly #early: Promise<unknown>[] = [];
  readonly #foreseen = new Map<string, Promise<unknown>>();
  #begun: Promise<unknown> | null = null;
  #isCommitSent = false;
  readonly tx: Tx;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    this.tx = kyselyOver((config) => this.#query(config));
    endings.set(this.tx, this.#ending);
    sessions.set(this.tx, this);
  }

  /** Makes `commit` await the result of these statements and report a failure. */
  expect(sent: Promise<unknown>): void {
    // The failure is reported before the commit, or in place of the error that follows from it.
    sent.catch(ignored);
    this.#ahead.push(sent);
    this.#early.push(sent);
  }

  foresee(key: string, read: () => Promise<unknown>): void {
    const reading = read();
    // The use case may fail before anything takes the result. An unhandled rejection would end the process.
    reading.catch(ignored);
    this.#foreseen.set(key, reading);
    this.#early.push(reading);
  }

  foreseen(key: string): Promise<unknown> | undefined {
    const reading = this.#foreseen.get(key);
    this.#foreseen.delete(key);
    return reading;
  }

  /** Returns the first failure in `#early` if the given error is only its consequence, or else the given error. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!CONSEQUENCES.has(failureCode(error) ?? '')) return error;
    for (const sent of this.#early) {
      const failure = await sent.then(ignored, (cause: unknown) => ({ cause }));
      if (failure !== undefined) return failure.cause;
    }
    return error;
  }

  #begin(): void {
    if (this.#begun !== null) return;
    this.#begun = this.#client.query('begin');
    // The next statement fails too and reports the error. Without a handler, this rejection would end the process.
    this.#begun.catch(() => undefined);
  }

  #query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    this.#begin();
    return sendQuery(this.#client, config);
  }

  async run(statement: Statement): Promise<void> {
    await this.#query({ ...statement, values: [...statement.values] });
  }

  async commit(events: Statement | null): Promise<void> {
    const ending = events === null ? this.#ending : [...this.#ending, events];
    if (this.#begun === null && ending.length === 0) return;
    this.#begin();
    const sent = ending.map((statement) => sendQuery(this.#client, { ...statement, values: [...statement.values] }));
    const committed = this.#client.query('commit');
    this.#isCommitSent = true;
    // The first failure is reported, because the statements after it fail only as a consequence.
    for (const one of [...sent, committed]) one.catch(ignored);
    for (const one of [...this.#ahead, ...sent]) await one;
    const result = await committed;
    if (result.command !== 'COMMIT') throw new NotCommittedError('the transaction was rolled back at commit');
  }

  /** Whether COMMIT has been sent. If the connection is lost after that, the outcome is unknown. */
  get isCommitSent(): boolean {
    return this.#isCommitSent;
  }

  async rollback(): Promise<void> {
    if (this.#begun !== null) await this.#client.query('rollback');
  }
}

async function react<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
  tx: Tx,
  context: Context,
  recorded: Event[],
): Promise<void> {
  let from = 0;
  for (let depth = 0; from < recorded.length; depth += 1) {
    const layer = recorded.slice(from);
    from = recorded.length;
    const record = (next: Event) => recorded.push(next);
    for (const event of layer) {
      const reactions = options.reactions[event.eventType] ?? [];
      if (reactions.length > 0) assertDepth(depth, event.eventType);
      for (const reaction of reactions) await reaction(tx, context, event, record);
    }
    for (const [eventType, reactions] of Object.entries(options.setReactions ?? {})) {
      const events = layer.filter((event) => event.eventType === eventType);
      if (events.length === 0) continue;
      assertDepth(depth, eventType);
      for (const reaction of reactions) await reaction(tx, context, events, record);
    }
  }
}

function assertDepth(depth: number, eventType: string): void {
  if (depth < MAXIMUM_REACTION_DEPTH) return;
  throw new Error(`reactions to ${eventType} run deeper than ${MAXIMUM_REACTION_DEPTH}`);
}

async function attempt<Event extends { eventType: string }, Result>(
  options: UnitOfWorkOptions<Event>,
  context: Context,
  run: (tx: Tx, record: RecordEvent<Event>) => Promise<Result>,
): Promise<Result> {
  const client = await options.pool.connect();
  const session = new Session(client);
  const recorded: Event[] = [];
  let broken: Error | undefined;
  try {
    const result = await run(session.tx, (event) => recorded.push(event));
    await react(options, session.tx, context, recorded);
    let written = 0;
    for (; recorded.length - written > MAXIMUM_EVENTS_PER_INSERT; written += MAXIMUM_EVENTS_PER_INSERT) {
      await session.run(options.outbox(context, recorded.slice(written, written + MAXIMUM_EVENTS_PER_INSERT)));
    }
    await session.commit(recorded.length === 0 ? null : options.outbox(context, recorded.slice(written)));
    if (recorded.length > 0) options.committed(context, recorded);
    return result;
  } catch (thrown) {
    const error = await session.causeOf(thrown);
    await session.rollback().catch((failure: Error) => {
      broken = failure;
    });
    // The database may have committed although the caller gets an error. From here on, no older data may be served.
    if (broken !== undefined && session.isCommitSent && recorded.length > 0) options.committed(context, recorded);
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Creates the unit of work, the only owner of transactions.
 *
 * A use case reads and writes through `tx` and records events. When it returns, the reactions to its events run in the
 * same transaction. They may record further events, whose reactions run in turn, up to a fixed depth. Then all events
 * are inserted into the outbox and the transaction commits. There is no change without its event, and no event without
 * its change. A thrown error rolls everything back, so a refusal that must leave a trace is returned instead.
 *
 * Pipelining saves round trips. BEGIN is sent with the first statement. Deferred statements, the outbox insert and
 * COMMIT are sent in one packet. PostgreSQL answers COMMIT with ROLLBACK if a statement before it failed, so the
 * command tag is checked too.
 *
 * After a serialisation failure, a deadlock or a violated foreign key, the whole function runs again. It runs up to
 * four times in all, after random pauses that grow. If the connection is lost after COMMIT was sent, nobody knows the
 * outcome. The caller gets an error, but `committed` is called all the same, so that no cache serves older data.
 */
export function createUnitOfWork<Event extends { eventType: string }>(
  options: UnitOfWorkOptions<Event>,
): UnitOfWork<Event> {
  return async (context, run) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(options, context, run);
      } catch (error) {
        if (!isRetryable(error) || tries >= MAXIMUM_ATTEMPTS) throw asApiError(error, options.constraints);
        await delay(Math.random() * 10 * 2 ** tries);
      }
    }
  };
}
