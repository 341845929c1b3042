import pg from 'pg';
import { StandbysAwayError, UnconfirmedCommitError } from '../servers/standbys.ts';
import { Packet, type StatementResult, sendPacket, withStackOfSender } from './packet.ts';

const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };
const ROLLBACK = { name: 'rollback', text: 'rollback' };
const ignored = (): undefined => undefined;

/** The codes of errors that end a connection. They do not tell what has become of a COMMIT. */
const ENDED = /^(?:08|57P)/;

/** Whether PostgreSQL reported that COMMIT failed, or COMMIT was not sent. */
const isAnswer = (error: unknown): boolean =>
  error instanceof StandbysAwayError || (error instanceof pg.DatabaseError && !ENDED.test(error.code ?? ''));

/**
 * The statements of one transaction on a connection. All statements until the next tick leave in one packet, and the
 * first packet starts with BEGIN. If BEGIN fails, PostgreSQL skips the rest of that packet. Later packets wait
 * for the answer to BEGIN, because without a transaction each would be committed on its own.
 */
export class TransactionPackets {
  readonly #client: pg.PoolClient;
  #state: 'new' | 'beginning' | 'begun' | 'failed' = 'new';
  #begun: Promise<StatementResult> | null = null;
  #begunAt: number | undefined;
  #hasEnded = false;
  #committing: Promise<void> | null = null;
  #isCommitted = false;
  /** The error of a COMMIT that PostgreSQL has not answered. */
  #unanswered: Error | null = null;
  #hasFailed = false;
  #packet: Packet | null = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  get isNew(): boolean {
    return this.#begun === null;
  }

  /** The value of `performance.now()` at which PostgreSQL had certainly begun, or undefined before its answer. */
  get begunAt(): number | undefined {
    return this.#begunAt;
  }

  /**
   * Whether PostgreSQL has committed, or has not answered COMMIT. This is known when `rollback` has ended.
   */
  get mayHaveCommitted(): boolean {
    return this.#isCommitted || this.#unanswered !== null;
  }

  /** Whether a statement has failed, so that the transaction must not commit. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Sends a statement, after BEGIN if it is the first one. Throws an error if the transaction has ended, because the
   * statement would otherwise be committed on its own or in another transaction.
   */
  async send(config: pg.QueryConfig): Promise<StatementResult> {
    if (this.#hasEnded) throw new Error('the transaction has ended');
    if (this.#state === 'failed') return this.#begin();
    if (this.isNew) this.#begin().catch(ignored);
    try {
      return await this.#add(config);
    } catch (error) {
      this.#hasFailed = true;
      throw withStackOfSender(error);
    }
  }

  commit(): Promise<StatementResult> {
    const committing = this.send(COMMIT);
    this.#hasEnded = true;
    this.#committing = committing.then(
      ({ command }) => {
        this.#isCommitted = command === 'COMMIT';
      },
      (error: unknown) => {
        if (error instanceof UnconfirmedCommitError) this.#isCommitted = true;
        else if (!isAnswer(error)) this.#unanswered = error instanceof Error ? error : new Error(String(error));
      },
    );
    return committing;
  }

  /**
   * Sends ROLLBACK if BEGIN was sent, even if COMMIT was sent too. Throws if COMMIT got no answer, because ROLLBACK
   * would wait behind it.
   */
  async rollback(): Promise<void> {
    this.#hasEnded = true;
    if (this.#begun === null) return;
    this.#release();
    await this.#begun.catch(ignored);
    this.#release();
    await this.#committing;
    if (this.#unanswered !== null) throw this.#unanswered;
    await this.#begun;
    // ROLLBACK gets a packet of its own, because PostgreSQL skips whatever follows a failed statement in the same
    // packet.
    const packet = new Packet();
    const rolledBack = packet.add(ROLLBACK);
    this.#dispatch(packet);
    await rolledBack;
  }

  #begin(): Promise<StatementResult> {
    if (this.#begun !== null) return this.#begun;
    this.#begun = this.#add(BEGIN);
    this.#begun.then(
      () => {
        this.#state = 'begun';
        this.#begunAt = performance.now();
        this.#release();
      },
      (error: unknown) => {
        this.#state = 'failed';
        this.#packet?.refuse(error);
        this.#packet = null;
      },
    );
    return this.#begun;
  }

  #add(config: pg.QueryConfig): Promise<StatementResult> {
    if (this.#packet === null) {
      this.#packet = new Packet();
      process.nextTick(() => this.#release());
    }
    return this.#packet.add(config);
  }

  /** Sends the packet, unless BEGIN has been sent and not answered. */
  #release(): void {
    const packet = this.#packet;
    if (packet === null || this.#state === 'beginning') return;
    this.#packet = null;
    if (this.#state === 'new') this.#state = 'beginning';
    this.#dispatch(packet);
  }

  #dispatch(packet: Packet): void {
    // Each statement reports its own failure.
    sendPacket(this.#client, packet).catch(ignored);
  }
}
