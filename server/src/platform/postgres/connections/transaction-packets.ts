import type pg from 'pg';
import { Packet, type StatementResult, sendPacket, withStackOfSender } from './packet.ts';

const BEGIN = { name: 'begin', text: 'begin' };

/**
 * The statements of one transaction on a connection. Those of one turn of the event loop leave in one packet, the first
 * of which starts with BEGIN. Until PostgreSQL has answered BEGIN, further statements wait: if BEGIN failed, each of
 * them would be committed on its own. Those in the packet of BEGIN are skipped then.
 */
export class TransactionPackets {
  readonly #client: pg.PoolClient;
  #state: 'new' | 'beginning' | 'begun' | 'failed' = 'new';
  #failure: unknown = null;
  /** The packet to which statements are added in this turn. */
  #packet: Packet | null = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  get isNew(): boolean {
    return this.#state === 'new' && this.#packet === null;
  }

  /** The error of BEGIN, or null if BEGIN has not failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Sends a statement, behind BEGIN if it is the first one. Fails with the error of BEGIN if that has failed. */
  async send(config: pg.QueryConfig): Promise<StatementResult> {
    if (this.#state === 'failed') throw this.#failure;
    if (this.isNew) this.#begin();
    try {
      return await this.#add(config);
    } catch (error) {
      throw withStackOfSender(error);
    }
  }

  #begin(): void {
    this.#add(BEGIN).then(
      () => {
        this.#state = 'begun';
        this.#release();
      },
      (error: unknown) => {
        this.#state = 'failed';
        this.#failure = error;
        this.#packet?.refuse(error);
      },
    );
  }

  #add(config: pg.QueryConfig): Promise<StatementResult> {
    if (this.#packet === null) {
      this.#packet = new Packet();
      if (this.#state !== 'beginning') process.nextTick(() => this.#release());
    }
    return this.#packet.add(config);
  }

  #release(): void {
    const packet = this.#packet;
    this.#packet = null;
    if (packet === null) return;
    if (this.#state === 'new') this.#state = 'beginning';
    // Each statement reports its own failure.
    sendPacket(this.#client, packet).catch(() => undefined);
  }
}
