import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Context } from '../../kernel/context.ts';
import type { Tx } from './connections/database.ts';
import { asApiError, type ConstraintErrors, isRetryable, outcomeUnknown, unavailable } from './connections/failures.ts';
import type { Statement } from './connections/statements.ts';
import { TransactionPackets } from './connections/transaction-packets.ts';
import { Session } from './transaction-session.ts';

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

/** The events of one use case. */
export interface Recorded<Event> {
  readonly context: Context;
  readonly events: readonly Event[];
}

export interface UnitOfWorkOptions<Event extends { eventType: string }> {
  pool: pg.Pool;
  constraints: ConstraintErrors;
  reactions: Reactions<Event>;
  setReactions?: SetReactions<Event>;
  /** Builds the statement that inserts recorded events of use cases of one org. */
  outbox: (recorded: readonly Recorded<Event>[]) => Statement;
  /**
   * This is called after events have been committed, or may have been. It wakes the relay and drops values cached in
   * this process.
   */
  committed: (context: Context, events: readonly Event[]) => void;
}

const MAXIMUM_ATTEMPTS = 4;
const MAXIMUM_REACTION_DEPTH = 3;
/** The maximum number of events in one insert. The rows of all events together could fill the memory. */
export const MAXIMUM_EVENTS_PER_INSERT = 5_000;

/**
 * Throws if the rights of the request's caller were checked too long ago for a change to begin. This is asked before a
 * transaction, and again at its end with the time at which it had begun, because the process may be paused after the
 * first question and before its first packet leaves.
 */
export function refuseLate({ changesUntil = Number.POSITIVE_INFINITY }: Context, begunAt = performance.now()): void {
  if (begunAt > changesUntil) throw unavailable(new Error('the process was paused while it served the request'));
}

export async function react<Event extends { eventType: string }>(
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
  const packets = new TransactionPackets(client);
  const session = new Session(packets);
  const recorded: Event[] = [];
  let broken: Error | undefined;
  try {
    refuseLate(context);
    const result = await run(session.tx, (event) => recorded.push(event));
    await react(options, session.tx, context, recorded);
    refuseLate(context, session.begunAt);
    let written = 0;
    for (; recorded.length - written > MAXIMUM_EVENTS_PER_INSERT; written += MAXIMUM_EVENTS_PER_INSERT) {
      const events = recorded.slice(written, written + MAXIMUM_EVENTS_PER_INSERT);
      await session.run(options.outbox([{ context, events }]));
    }
    const insert = recorded.length === 0 ? null : options.outbox([{ context, events: recorded.slice(written) }]);
    await Session.commit(packets, [session], insert);
    if (recorded.length > 0) options.committed(context, recorded);
    return result;
  } catch (thrown) {
    const error = await session.causeOf(thrown);
    await packets.rollback().catch((failure: Error) => {
      broken = failure;
    });
    if (!packets.mayHaveCommitted) throw error;
    // The database may have committed although the caller gets an error. From here on, no older data may be served.
    if (recorded.length > 0) options.committed(context, recorded);
    throw outcomeUnknown(error);
  } finally {
    client.release(broken);
  }
}

/**
 * Creates the unit of work.
 *
 * A use case reads and writes through `tx` and records events. When it returns, the reactions to its events run in the
 * same transaction. They may record further events, whose reactions run in turn, up to a fixed depth. Then all events
 * are inserted into the outbox and the transaction commits. Changes and their events are thus committed together or not
 * at all. A thrown error rolls everything back, so a refusal that must leave a trace is returned instead.
 *
 * Pipelining saves round trips. BEGIN is sent with the first statement. The last changes (see `sendAhead`), the outbox
 * insert and COMMIT are sent in one packet. PostgreSQL answers COMMIT with ROLLBACK if a statement of an earlier packet
 * failed, so the command tag is checked too.
 *
 * After a serialisation failure, a deadlock or a violated foreign key, the whole function runs again. It runs up to
 * four times in all, with growing random pauses in between. If the connection is lost after COMMIT was sent, nobody
 * knows the outcome. The caller gets an error, but `committed` is called all the same, so that no cache serves older
 * data.
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
