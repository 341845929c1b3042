import type pg from 'pg';
import { Packet, type StatementResult, sendPacket, withStackOfSender } from './packet.ts';

const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };
const ROLLBACK = { name: 'rollback', text: 'rollback' };
const ignored = (): undefined => undefined;

/**
 * The statements of one transaction on a connection. All statements until the next tick leave in one packet, and the
 * first packet starts with BEGIN. If BEGIN fails, PostgreSQL skips the rest of that packet. Later packets wait
 * for the answer to BEGIN, because without a transaction each would be committed on its own.
 */
export class TransactionPackets {
  readonly #client: pg.PoolClient;
  #state: 'new' | 'beginning' | 'begun' | 'failed' = 'new';
  #begun: Promise<StatementResult> | null = null;
  #hasEnded = false;
  #isCommitSent = false;
  #isCommitted = false;
  #hasFailed = false;
  #packet: Packet | null = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  get isNew(): boolean {
    return this.#begun === null;
  }

  /** Whether COMMIT has been passed on for sending. If the connection is lost after that, the outcome is unknown. */
  get isCommitSent(): boolean {
    return this.#isCommitSent;
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
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

  async commit(): Promise<StatementResult> {
    const committing = this.send(COMMIT);
    this.#hasEnded = true;
    this.#isCommitSent = true;
    const committed = await committing;
    this.#isCommitted = committed.command === 'COMMIT';
    return committed;
  }

  /** Sends ROLLBACK if BEGIN was sent, even if COMMIT was sent too. */
  async rollback(): Promise<void> {
    this.#hasEnded = true;
    if (this.#begun === null) return;
    this.#release();
    await this.#begun;
    this.#release();
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
