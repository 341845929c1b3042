import pg from 'pg';
import type { ConnectionSettings, ServerAddress, ServerIdentity } from './connection-settings.ts';
import { notYet, readIdentity, standbyError } from './server-identity.ts';

const SEARCH_MILLISECONDS = 2_000;

/** This error is thrown for a server that was the primary before a failover. */
export class FormerPrimaryError extends Error {
  readonly code = '57P03';

  constructor(found: ServerIdentity, known: ServerIdentity) {
    super(
      `the database server is a former primary: its timeline is ${found.timeline}, the latest is ${known.timeline}`,
    );
  }
}

/** Returns what is wrong with a server, or null if it can be the one that was known, or its successor. */
function objectionTo(found: ServerIdentity, known: ServerIdentity | null): Error | null {
  if (known === null) return null;
  const [one, other] = [found.systemIdentifier, known.systemIdentifier];
  if (one !== other) return notYet(`the database server belongs to the cluster ${one} instead of ${other}`);
  return found.timeline < known.timeline ? new FormerPrimaryError(found, known) : null;
}

interface Found extends ServerAddress {
  readonly identity: ServerIdentity | null;
}

async function lookAt(settings: ConnectionSettings, address: ServerAddress): Promise<Found> {
  const client = new pg.Client({
    ...settings,
    application_name: 'gatehouse-search',
    connectionTimeoutMillis: SEARCH_MILLISECONDS,
    query_timeout: SEARCH_MILLISECONDS,
  });
  Object.assign(client, address);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
    if (rows[0]?.isStandby !== false) throw standbyError();
    return { ...address, identity: await readIdentity(client) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The knowledge of a process about the servers of a database. It refuses a server that was the primary before a
 * failover that the process knows of, because what was changed since then is missing there.
 */
export class KnownServers {
  readonly #settings: ConnectionSettings;
  readonly #addresses: readonly ServerAddress[];
  readonly #listeners = new Set<(identity: ServerIdentity) => void>();
  #current: ServerAddress | null;
  #known: ServerIdentity | null = null;
  #earlier: ServerIdentity | null = null;
  #search: Promise<void> | null = null;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#addresses = settings.servers ?? [];
    this.#current = this.#addresses[0] ?? null;
  }

  /** The address to connect to, or null if the settings have only one. */
  get current(): ServerAddress | null {
    return this.#current;
  }

  get identity(): ServerIdentity | null {
    return this.#known;
  }

  /** Takes note of the primary that an earlier process knew. The database may have been moved elsewhere since. */
  remember(earlier: ServerIdentity): void {
    if (this.#known === null) this.#earlier = earlier;
    else if (objectionTo(this.#known, earlier) instanceof FormerPrimaryError) this.#known = earlier;
  }

  #objectionTo(found: ServerIdentity): Error | null {
    if (this.#known !== null) return objectionTo(found, this.#known);
    const objection = objectionTo(found, this.#earlier);
    return objection instanceof FormerPrimaryError ? objection : null;
  }

  /** Calls `listener` whenever another server has become the primary. */
  onChange(listener: (identity: ServerIdentity) => void): void {
    this.#listeners.add(listener);
  }

  /** Notes the identity of the server that a connection leads to. Throws if it must not be used. */
  accept(found: ServerIdentity): void {
    const objection = this.#objectionTo(found);
    if (objection !== null) throw objection;
    if (this.#known?.timeline === found.timeline) return;
    this.#known = found;
    for (const listener of this.#listeners) listener(found);
  }

  /** Looks for the primary among the servers, if there are several. Later connections lead to it. */
  suspect(): void {
    this.search().catch(() => undefined);
  }

  /** Throws the reason of the first server if none can be used. */
  search(): Promise<void> {
    if (this.#addresses.length < 2) return Promise.resolve();
    this.#search ??= this.#look().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #look(): Promise<void> {
    const looks = await Promise.allSettled(this.#addresses.map((address) => lookAt(this.#settings, address)));
    const usable = looks
      .flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []))
      .filter(({ identity }) => identity === null || this.#objectionTo(identity) === null)
      .toSorted((one, other) => (other.identity?.timeline ?? 0) - (one.identity?.timeline ?? 0));
    const [first] = usable;
    if (first !== undefined) {
      this.#current = { host: first.host, port: first.port };
      return;
    }
    const [reason] = looks.map((look) =>
      look.status === 'rejected' ? look.reason : look.value.identity && this.#objectionTo(look.value.identity),
    );
    throw reason;
  }
}

const all = new Map<string, KnownServers>();

/** Returns what this process knows about the servers of these settings. */
export function serversOf(settings: ConnectionSettings): KnownServers {
  const { connectionString, host, known, port, servers } = settings;
  const key = JSON.stringify([connectionString, host, port, servers]);
  const found = all.get(key) ?? new KnownServers(settings);
  all.set(key, found);
  if (known !== undefined) found.remember(known);
  return found;
}
