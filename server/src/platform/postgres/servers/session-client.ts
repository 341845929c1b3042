import pg from 'pg';
import type { AnswerWatch } from '../watch/answer-watch.ts';
import type { ConnectionSettings } from './connection-settings.ts';

export interface SessionConfig extends pg.ClientConfig {
  readonly answers?: AnswerWatch;
  /** The values of PostgreSQL's settings for the session, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const SETTINGS_MILLISECONDS = 5_000;

/** A client of a pool. It sets up its session, and decides whether the server that it leads to may be used. */
export abstract class SessionClient extends pg.Client {
  readonly #settings: Readonly<Record<string, string>>;

  constructor(config: SessionConfig) {
    super(config);
    this.#settings = config.settings ?? {};
    config.answers?.guard(this.connection);
  }

  /** Applies the settings of the session. Throws if the server must not be used. */
  abstract refuseOthers(): Promise<void>;

  /** The settings are sent in a statement, because poolers ignore or refuse them in the start-up message. */
  protected async applySettings(): Promise<void> {
    const names = Object.keys(this.#settings);
    if (names.length === 0) return;
    const text = 'select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s (name, value)';
    const asked = { text, values: [names, Object.values(this.#settings)], query_timeout: SETTINGS_MILLISECONDS };
    await this.query(asked);
  }
}

/** A client of a standby. Who reads from it asks before and after whether its answers may be used (ADR 0089). */
export class ReplicaClient extends SessionClient {
  constructor(config: SessionConfig & Pick<ConnectionSettings, 'servers'> = {}) {
    super(config);
    const [address] = config.servers ?? [];
    // The driver takes the address from the URL, which may name several servers.
    if (address !== undefined) Object.assign(this, address);
  }

  override refuseOthers(): Promise<void> {
    return this.applySettings();
  }
}
