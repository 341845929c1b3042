import type pg from 'pg';
import type { ConnectionSettings } from './connection-settings.ts';
import { type KnownServers, serversOf } from './known-servers.ts';
import { readIdentity, standbyError } from './server-identity.ts';
import { SessionClient, type SessionConfig } from './session-client.ts';
import { noteStandbys, type Standbys } from './standbys.ts';

export interface PrimaryConfig extends SessionConfig, Pick<ConnectionSettings, 'servers' | 'known'> {
  readonly standbys?: Standbys | undefined;
}

/** A client of the primary. Nothing may be read from a standby or from a former primary, whose data may be old. */
export class PrimaryClient extends SessionClient {
  readonly #servers: KnownServers;
  #isStandby = false;
  #isAccepted = false;

  constructor(config: PrimaryConfig = {}) {
    super(config);
    this.#servers = serversOf(settingsOf(config));
    if (this.#servers.current !== null) Object.assign(this, this.#servers.current);
    noteStandbys(this, config.standbys);
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

  /** Throws unless the connection leads to the primary. */
  override async refuseOthers(): Promise<void> {
    try {
      if (this.#isStandby) throw standbyError();
      const [identity] = await Promise.all([readIdentity(this), this.applySettings()]);
      if (identity !== null) this.#servers.accept(identity);
      this.#isAccepted = true;
    } catch (error) {
      this.#servers.suspect();
      throw error;
    }
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
