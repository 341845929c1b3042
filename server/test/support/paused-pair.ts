import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts';
import { makeClockMovable } from './movable-database-clock.ts';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';
import { spyOnStatements } from './spy-on-statements.ts';

/** The hash of the rows of each table. */
export type Contents = ReadonlyMap<string, string>;

/** A pause of a node at one of its packets to PostgreSQL, which leaves before the pause if `isSent` is true. */
export interface PausePoint {
  readonly packet: number;
  readonly isSent: boolean;
}

const SETS_IDLE_LIMIT = /set_config\('idle_in_transaction_session_timeout', '(\d+)s'/;
const IS_OPEN = `datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`;
const IS_BUSY = `datname = current_database() and pid <> pg_backend_pid() and state = 'active'`;

export const changesOf = (before: Contents, after: Contents): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((table) => before.get(table) !== after.get(table));

export interface PairOptions {
  readonly awake: Pick<TestServiceOptions, 'outbound' | 'sinkProviders' | 'smtpUrl'>;
  readonly late: Pick<TestServiceOptions, 'outbound' | 'sinkProviders' | 'smtpUrl'>;
}

/**
 * Two nodes of one database without background work, one of which can be paused. A pause takes no time: `pass` moves
 * the clocks of the nodes, of this process and of the database together. PostgreSQL's own time-outs do not see that, so
 * `pass` does what they would do.
 */
export class PausedPair {
  readonly database: TestDatabase;
  readonly awake: TestService;
  readonly late: TestService;
  /** The texts of the statements since the last `arm`. */
  readonly seen: string[] = [];
  readonly #proxy: DatabaseProxy;
  readonly #setClock: (milliseconds: number) => Promise<void>;
  #passed = 0;

  private constructor(
    database: TestDatabase,
    nodes: { readonly awake: TestService; readonly late: TestService },
    proxy: DatabaseProxy,
    setClock: (milliseconds: number) => Promise<void>,
  ) {
    this.database = database;
    this.awake = nodes.awake;
    this.late = nodes.late;
    this.#proxy = proxy;
    this.#setClock = setClock;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + this.#passed);
    spyOnStatements(({ text }) => {
      this.seen.push(text);
      return null;
    });
  }

  static async open(options: PairOptions): Promise<PausedPair> {
    const database = await openTestDatabase();
    const setClock = await makeClockMovable(database);
    const proxy = await openDatabaseProxy(database.connection);
    const awake = await startTestService({ ...options.awake, database, isStarted: false });
    const behind = { ...database, connection: proxy.connection };
    const late = await startTestService({ ...options.late, database: behind, isStarted: false });
    for (const { application } of [awake, late]) {
      // A watch that sends packets at its own times would make runs differ that have the same seed.
      application.stallWatch.stop();
      // The second beat finds that rows may have the newest form.
      await application.nodes.beat();
      await application.nodes.beat();
    }
    return new PausedPair(database, { awake, late }, proxy, setClock);
  }

  /** Lets the late node pause at one of its next packets. Resolves when it has paused. */
  arm({ isSent, packet }: PausePoint): Promise<void> {
    this.seen.length = 0;
    return this.#proxy.standStillAt(packet, isSent);
  }

  /** Waits until PostgreSQL has done what the late node had sent. */
  async settled(): Promise<void> {
    while ((await this.#pids(IS_BUSY)).length > 0) await delay(1);
  }

  goOn(): void {
    this.#proxy.goOn();
  }

  /**
   * Lets time pass. PostgreSQL ends the transactions that then have waited for their next statement for too long.
   * Returns whether the late node still has an open one for whose locks other changes would wait.
   */
  async pass(seconds: number, pool: pg.Pool = this.late.application.pool): Promise<boolean> {
    const milliseconds = seconds * 1_000;
    this.#passed += milliseconds;
    for (const { clock } of [this.awake, this.late]) clock.advance(milliseconds);
    await this.#setClock(this.#passed);
    const open = await this.#pids(IS_OPEN);
    if (milliseconds <= this.#idleLimit(pool)) return this.#areLocking(open);
    await this.database.pool.query('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [open]);
    while ((await this.#pids(IS_OPEN)).length > 0) await delay(1);
    return false;
  }

  async #areLocking(pids: readonly number[]): Promise<boolean> {
    const text = `select from pg_locks where pid = any($1::integer[]) and locktype <> 'virtualxid'
      and mode <> 'AccessShareLock' limit 1`;
    return (await this.database.pool.query(text, [pids])).rows.length > 0;
  }

  /** Returns the limit that the latest transaction has, which the paused statements have set or their pool. */
  #idleLimit(pool: pg.Pool): number {
    const settings: unknown = Reflect.get(pool.options, 'settings');
    const ofPool = Number(Reflect.get(Object(settings), 'idle_in_transaction_session_timeout'));
    const transaction = this.seen.slice(this.seen.lastIndexOf('begin') + 1);
    const set = transaction.map((text) => SETS_IDLE_LIMIT.exec(text)?.[1]).findLast((found) => found !== undefined);
    return set === undefined ? ofPool : Number(set) * 1_000;
  }

  async #pids(condition: string): Promise<number[]> {
    const text = `select pid from pg_stat_activity where ${condition}`;
    return (await this.database.pool.query<{ pid: number }>(text)).rows.map(({ pid }) => pid);
  }

  async contents(): Promise<Contents> {
    const { rows: tables } = await this.database.pool.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const hashes = tables.map(
      ({ name }) => `select '${name}' as name,
        (select coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') from ${name} t) as hash`,
    );
    const { rows } = await this.database.pool.query<{ name: string; hash: string }>(hashes.join(' union all '));
    return new Map(rows.map(({ hash, name }) => [name, hash]));
  }

  async close(): Promise<void> {
    this.goOn();
    vi.restoreAllMocks();
    await this.late.close();
    await this.awake.close();
    await this.#proxy.close();
    await this.database.close();
  }
}
