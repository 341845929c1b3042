import type { Socket } from 'node:net';
import type pg from 'pg';
import { gatheringSocket } from '../connections/gathering-socket.ts';
import type { ConnectionSettings } from '../servers/connection-settings.ts';
import { PrimaryClient } from '../servers/primary-client.ts';
import { ReplicaClient } from '../servers/session-client.ts';
import { takeUnconfirmed } from '../servers/standbys.ts';

const KEEP_ALIVE_MILLISECONDS = 5_000;

/** A connection of the watch. A question opens it if there is none, or if the last one was lost. */
export class WatchLine {
  readonly #connection: ConnectionSettings;
  #client: pg.Client | null = null;
  #socket: Socket | null = null;

  constructor(connection: ConnectionSettings) {
    this.#connection = connection;
  }

  /** Returns the column `answer` of the only row. */
  async ask<Answer>(text: string): Promise<Answer> {
    const client = this.#client ?? (await this.#open());
    const { rows } = await client.query<{ answer: Answer }>(text);
    const unconfirmed = takeUnconfirmed(client.connection);
    if (unconfirmed !== null) throw unconfirmed;
    const [row] = rows;
    if (row === undefined) throw new Error('the database gave no answer');
    return row.answer;
  }

  /** Closes the connection without the protocol's termination message, because the server may not be reading. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#client = null;
  }

  async #open(): Promise<pg.Client> {
    const socket = gatheringSocket();
    socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS);
    this.#socket = socket;
    const config = { ...this.#connection, application_name: 'gatehouse-watch', stream: () => socket };
    const client = this.#connection.isReplica === true ? new ReplicaClient(config) : new PrimaryClient(config);
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    await client.refuseOthers();
    // This connection must not keep the process alive if there is nothing else to do.
    socket.unref();
    if (this.#socket === socket) this.#client = client;
    return client;
  }
}
