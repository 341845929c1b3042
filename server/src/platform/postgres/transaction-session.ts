import type pg from 'pg';
import type { Tx } from './connections/database.ts';
import { BoundKysely } from './connections/dialect.ts';
import { failureCode } from './connections/failures.ts';
import type { StatementResult } from './connections/packet.ts';
import type { Statement } from './connections/statements.ts';
import type { TransactionPackets } from './connections/transaction-packets.ts';

/**
 * This error is thrown when PostgreSQL answered COMMIT with ROLLBACK, although no statement that was sent with it
 * failed.
 */
class NotCommittedError extends Error {
  readonly code = '40003';
}

/** The Kysely of a session. */
class SessionKysely extends BoundKysely {
  readonly session: Session;

  constructor(session: Session, execute: BoundKysely['execute']) {
    super(execute);
    this.session = session;
  }
}

function sessionOf(tx: Tx): Session {
  if (!(tx instanceof SessionKysely)) throw new Error('the transaction is not that of a unit of work');
  return tx.session;
}

/**
 * Sends a change, and waits for its result only at the end of the transaction. Later statements see the change. Its
 * failure prevents the commit.
 */
export function sendAhead(tx: Tx, statement: Statement): void {
  startAhead(tx, () => sessionOf(tx).run(statement));
}

/**
 * Sends a change like `sendAhead`. In a shared transaction, the change waits until the use case sends another statement
 * or the transaction commits. At the commit, waiting changes with the same `name` may become one statement, so each
 * name must always have the same `statementOf`.
 */
export const sendChange = <Input>(
  tx: Tx,
  name: string,
  input: Input,
  statementOf: (inputs: readonly Input[]) => Statement,
): void => sessionOf(tx).add({ name, input, statementOf: (inputs) => statementOf(inputs as readonly Input[]) });

/** Sends the changes of this transaction that wait (see `sendChange`). */
export const sendChanges = (tx: Tx): void => sessionOf(tx).sendChanges();

/**
 * Notes that a common call (see `together`) has changed something for this use case. If the use case fails after that,
 * the shared transaction is rolled back.
 */
export const noteChange = (tx: Tx): void => sessionOf(tx).noteChange();

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
  ((tx instanceof SessionKysely ? tx.session.foreseen(key) : undefined) as Promise<Result> | undefined) ?? read();

/**
 * Waits for the reads that `foresee` started and nothing has taken. Rejects if one of them failed or needs a
 * transaction of its own. The use case must know that before it changes anything.
 */
export const allForeseen = (tx: Tx): Promise<void> => sessionOf(tx).allForeseen();

const ignored = (): undefined => undefined;

/**
 * The codes of errors that follow from an earlier failure. A statement in a failed transaction gets 25P02. A prepared
 * statement whose text PostgreSQL skipped gets 26000. `NotCommittedError` has 40003.
 */
const CONSEQUENCES: ReadonlySet<string> = new Set(['25P02', '26000', '40003']);

/** The beginning of a read. Every other statement counts as a change, even one that begins with `with`. */
const READS = /^\s*select\b/i;

/** A change that may become one statement with changes of other use cases. */
interface Change {
  readonly name: string;
  readonly input: unknown;
  readonly statementOf: (inputs: readonly unknown[]) => Statement;
}

/** The part that sessions in a shared transaction have in common. */
export interface Sharing {
  /** This is called before each statement. It may send other statements first. */
  beforeSending(): void;
}

/** Returns what the session shares with others; null if its transaction is not shared. */
export const sharingOf = (tx: Tx): Sharing | null => (tx instanceof SessionKysely ? tx.session.sharing : null);

export class Session {
  readonly #packets: TransactionPackets;
  /** The changes that have not been sent yet. */
  #changes: Change[] = [];
  readonly #ahead: Promise<unknown>[] = [];
  /** The results of the statements and reads that were sent early, in the order of sending. */
  readonly #early: Promise<unknown>[] = [];
  readonly #foreseen = new Map<string, Promise<unknown>>();
  #hasWritten = false;
  readonly sharing: Sharing | null;
  readonly tx: Tx;

  constructor(packets: TransactionPackets, sharing: Sharing | null = null) {
    this.#packets = packets;
    this.sharing = sharing;
    this.tx = new SessionKysely(this, (config) => this.#send(config));
  }

  #send(config: pg.QueryConfig): Promise<StatementResult> {
    this.sharing?.beforeSending();
    this.sendChanges();
    if (!READS.test(config.text)) this.#hasWritten = true;
    return this.#packets.send(config);
  }

  /** The value of `performance.now()` at which the transaction had certainly begun (see `TransactionPackets`). */
  get begunAt(): number | undefined {
    return this.#packets.begunAt;
  }

  noteChange(): void {
    this.#hasWritten = true;
  }

  /** Whether a statement other than a `select` was sent, or a change was noted. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Makes `commit` await `sent` and report its failure. */
  expect(sent: Promise<unknown>): void {
    // `commit` or `causeOf` reports the failure. Until then, it must not count as an unhandled rejection.
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

  async allForeseen(): Promise<void> {
    await Promise.all(this.#foreseen.values());
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

  async run(statement: Statement): Promise<void> {
    await this.#send({ ...statement, values: [...statement.values] });
  }

  add(change: Change): void {
    this.#changes.push(change);
    if (this.sharing === null) this.sendChanges();
  }

  /** Sends the changes that wait for those of other use cases, because the use case may now read them. */
  sendChanges(): void {
    const statements = this.#changes.map(({ input, statementOf }) => statementOf([input]));
    this.#changes = [];
    for (const statement of statements) this.expect(this.run(statement));
  }

  /**
   * Takes the changes that have not been sent yet. Changes with the same name become one statement if they have the
   * same place in their sessions. Each session's changes keep their order.
   */
  static #takeChanges(ended: readonly Session[]): Statement[] {
    const statements: Statement[] = [];
    for (let place = 0; ; place += 1) {
      const changes = ended.flatMap((session) => session.#changes.slice(place, place + 1));
      if (changes.length === 0) break;
      const inputs = new Map<string, unknown[]>();
      for (const { input, name } of changes) inputs.set(name, [...(inputs.get(name) ?? []), input]);
      for (const [name, same] of inputs) {
        const change = changes.find((one) => one.name === name);
        if (change !== undefined) statements.push(change.statementOf(same));
      }
    }
    for (const session of ended) session.#changes = [];
    return statements;
  }

  /**
   * Commits, and sends the remaining changes of the sessions and the insert of their events in the same packet. Throws
   * the first failure.
   */
  static async commit(packets: TransactionPackets, ended: readonly Session[], insert: Statement | null): Promise<void> {
    const ending = [...Session.#takeChanges(ended), ...(insert === null ? [] : [insert])];
    if (packets.isNew && ending.length === 0) return;
    const sent = ending.map((statement) => packets.send({ ...statement, values: [...statement.values] }));
    const committed = packets.commit();
    // The first failure is reported, because the statements after it fail only as a consequence.
    for (const one of [...sent, committed]) one.catch(ignored);
    for (const one of [...ended.flatMap((session) => session.#ahead), ...sent]) await one;
    const result = await committed;
    if (result.command !== 'COMMIT') throw new NotCommittedError('the transaction was rolled back at commit');
  }
}
