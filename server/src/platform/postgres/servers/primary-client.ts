import pg from 'pg';
import type { AnswerWatch } from '../watch/answer-watch.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { type KnownServers, serversOf } from './known-servers.ts';
import { readIdentity, standbyError } from './server-identity.ts';
import { noteStandbys, type Standbys } from './standbys.ts';

export interface PrimaryConfig extends pg.ClientConfig, Pick<ConnectionSettings, 'servers' | 'known'> {
  readonly standbys?: Standbys | undefined;
  readonly answers?: AnswerWatch;
  /** The values of PostgreSQL's settings for the session, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const SETTINGS_MILLISECONDS = 5_000;

/** A client of the primary. Nothing may be read from a standby or from a former primary, whose data may be old. */
export class PrimaryClient extends pg.Client {
  readonly #servers: KnownServers;
  readonly #settings: Readonly<Record<string, string>>;
  #isStandby = false;
  #isAccepted = false;

  constructor(config: PrimaryConfig = {}) {
    super(config);
    this.#servers = serversOf(settingsOf(config));
    this.#settings = config.settings ?? {};
    if (this.#servers.current !== null) Object.assign(this, this.#servers.current);
    noteStandbys(this, config.standbys);
    config.answers?.guard(this.connection);
    // PostgreSQL reports this since release 14.
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Readonly<Record<string, string>>) => {
      if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on';
    });
    this.connection.on('error', () => this.#servers.suspect());
    // A connection that a time-out has destroyed only ends.
    this.connection.once('end', () => {
      if (!this.#isAccepted || Reflect.get(this, '_ending') !== true) this.#servers.suspect();
    });
  }

  /** Applies the settings of the session. Throws unless the connection leads to the primary. */
  async refuseOthers(): Promise<void> {
    try {
      if (this.#isStandby) throw standbyError();
      const [identity] = await Promise.all([readIdentity(this), this.#applySettings()]);
      if (identity !== null) this.#servers.accept(identity);
      this.#isAccepted = true;
    } catch (error) {
      this.#servers.suspect();
      throw error;
    }
  }

  /** The settings are sent in a statement, because poolers ignore or refuse them in the start-up message. */
  async #applySettings(): Promise<void> {
    const names = Object.keys(this.#settings);
    if (names.length === 0) return;
    const text = 'select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s (name, value)';
    const asked = { text, values: [names, Object.values(this.#settings)], query_timeout: SETTINGS_MILLISECONDS };
    await this.query(asked);
  }
}

function settingsOf({ connectionString, host, port, servers, known, user, password, database }: PrimaryConfig) {
  const given = { connectionString, host, port, servers, known, user, password, database };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ConnectionSettings;
}

/** Opens a connection to the primary. Its later loss makes its next query fail. */
export async function openClient(settings: ConnectionSettings, config: PrimaryConfig): Promise<pg.Client> {
  const client = new PrimaryClient({ ...settings, ...config });
  // Without a listener, the `error` event of a lost connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.refuseOthers();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
