import { setTimeout as delay } from 'node:timers/promises';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { type LogSigner, runRetention, verifyOrg } from '../../src/system-log/index.ts';
import { findLedgerRows, type LedgerRow } from '../../src/system-log/ledger/ledger-pages-store.ts';
import type { Connections, LogConnection } from '../../src/system-log/relay/connections.ts';
import type { RowFault } from '../../src/system-log/sealing/packing/unsealed-row.ts';
import { Sealer, type SealerPorts } from '../../src/system-log/sealing/sealer.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { newProofKey, proofSigner } from './log-proof.ts';
import { switchLog, undoSwitch } from './log-switch.ts';
import { created, LogBench, numbersTo, requestContext, type TestClock, testClock } from './system-log.ts';

const DAY_MILLISECONDS = 86_400_000;

/**
 * Returns a time on a day before today, in UTC. The sealer trusts a clock only up to the time of the database, so the
 * tests take place in the past.
 */
export const onDay = (daysAgo: number, seconds = 0): Date =>
  new Date((Math.floor(Date.now() / DAY_MILLISECONDS) - daysAgo) * DAY_MILLISECONDS + seconds * 1_000);

const EVERYTHING = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1_000_000, maximumBytes: Number.MAX_SAFE_INTEGER };

/** Leaves out what differs between the forms of an event: a segment has two search terms more than a row. */
const withoutForm = (row: LedgerRow): LedgerRow => ({ ...row, tokens: '{}', sealed: null });

export interface Forms {
  /** The first and the last position of each segment. */
  readonly segments: readonly (readonly [first: number, last: number])[];
  readonly rows: readonly number[];
}

type RetentionListeners = Pick<Parameters<typeof runRetention>[0], 'onRun' | 'onFailure'>;

export interface BenchSealer {
  readonly sealer: Sealer;
  readonly faults: (RowFault & { readonly orgId: OrgId })[];
  readonly errors: { readonly orgId: OrgId | null; readonly error: unknown }[];
}

/** A log, and sealers of it. */
export class SealingBench {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly log: LogBench;
  readonly #logSigner: LogSigner;

  private constructor(database: TestDatabase, logSigner: LogSigner) {
    this.database = database;
    this.#logSigner = logSigner;
    this.clock = testClock(onDay(1));
    this.log = new LogBench(database.pool, this.clock);
  }

  static async open(): Promise<SealingBench> {
    const database = await openTestDatabase();
    return new SealingBench(database, proofSigner(database.db, await newProofKey()));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** Deletes the log and all orgs. */
  async clear(): Promise<void> {
    await switchLog(this.database);
    for (const table of ['log_segments', 'log_older', 'log_fresh', 'log_inputs', 'log_outbox']) {
      await this.log.query(`delete from ${table}`);
    }
    await this.log.query('delete from orgs');
    await this.log.query(`delete from installation where name = 'log_sealing'`);
    await this.#dropEmptyWeeks();
  }

  /** A run of retention that finds an empty partition waits for all transactions, also for those of a test. */
  async #dropEmptyWeeks(): Promise<void> {
    for (const { name } of await this.log.query<{ name: string }>('select name from log_weeks()')) {
      const rows = await this.log.query(`select from ${name} limit 1`);
      if (rows.length === 0) await this.log.query(`drop table ${name}`);
    }
  }

  /** Commits events at each of the given times, and lets the relay number them. */
  async write(orgId: OrgId, ...times: readonly Date[]): Promise<void> {
    for (const time of times) {
      this.clock.set(time);
      await this.log.write(orgId, [created(`00u${time.getTime()}`)]);
      await this.log.drainAll();
    }
  }

  /** Writes events as before the switch to fresh rows, and then switches. */
  async writeOlder(orgId: OrgId, ...times: readonly Date[]): Promise<void> {
    await undoSwitch(this.database);
    await this.write(orgId, ...times);
    if (!(await switchLog(this.database))) throw new Error('the log could not be switched');
    await this.#dropEmptyWeeks();
  }

  async writeMany(orgId: OrgId, count: number, time: Date): Promise<void> {
    this.clock.set(time);
    const batch = 1_000;
    for (let at = 0; at < count; at += batch) {
      const events = numbersTo(Math.min(batch, count - at)).map((number) => created(`00u${at + number}`));
      await this.log.write(orgId, events, requestContext(orgId, time));
    }
    await this.log.drainAll();
  }

  sealer(more: Partial<SealerPorts> = {}): BenchSealer {
    const faults: BenchSealer['faults'] = [];
    const errors: BenchSealer['errors'] = [];
    const sealer = new Sealer({
      connections: this.log.connections,
      clock: this.clock,
      maySeal: () => true,
      packThreadFile: null,
      onFault: (orgId, fault) => faults.push({ orgId, ...fault }),
      onError: (error, orgId) => errors.push({ orgId, error }),
      ...more,
    });
    return { sealer, faults, errors };
  }

  /** Seals what is due at a time. */
  async seal(now: Date, more: Partial<SealerPorts> = {}) {
    this.clock.set(now);
    const { errors, faults, sealer } = this.sealer(more);
    const report = await sealer.run(new AbortController().signal);
    return { report, errors, faults };
  }

  /** Deletes what has left its window at a time, by a clock that is trusted. */
  async retain(now: Date, connections: Connections = this.log.connections, more: RetentionListeners = {}) {
    this.clock.set(now);
    await this.log.query(
      `insert into installation (name, value) values ('log_retention_clock', $1)
       on conflict (name) do update set value = excluded.value`,
      [JSON.stringify({ seenAt: now, trustedFrom: onDay(500) })],
    );
    const ports = { connections, clock: this.clock, logSigner: this.#logSigner, ...more };
    return runRetention(ports, new AbortController().signal);
  }

  async anchorsOf(orgId: OrgId): Promise<number[]> {
    const text = 'select position from log_anchors where org_id = $1 order by position';
    const rows = await this.log.query<{ position: string }>(text, [orgId]);
    return rows.map(({ position }) => Number(position));
  }

  async formsOf(orgId: OrgId): Promise<Forms> {
    const segments = await this.log.query<{ first: string; last: string }>(
      'select first_position as first, last_position as last from log_segments where org_id = $1 order by 1',
      [orgId],
    );
    const rows = await this.log.query<{ position: string }>(
      'select position from log_unsealed where org_id = $1 order by position',
      [orgId],
    );
    return {
      segments: segments.map(({ first, last }) => [Number(first), Number(last)] as const),
      rows: rows.map(({ position }) => Number(position)),
    };
  }

  /** Returns all that readers see of an org's events, whatever their form. */
  eventsOf(orgId: OrgId): Promise<LedgerRow[]> {
    return this.log.connections.withConnection(async (connection) => {
      const rows = await findLedgerRows(connection, orgId, EVERYTHING);
      return rows.map(withoutForm);
    });
  }

  verify(orgId: OrgId) {
    return verifyOrg(this.log.connections, orgId);
  }

  /** Ends a connection as a crash of its process would. */
  async kill(pid: number): Promise<void> {
    await this.log.query('select pg_terminate_backend($1)', [pid]);
    for (;;) {
      const rows = await this.log.query('select from pg_stat_activity where pid = $1', [pid]);
      if (rows.length === 0) return;
      await delay(1);
    }
  }

  /** Runs `use` while another connection holds the locks of a statement. */
  async whileLocked(statement: string, values: readonly unknown[], use: () => Promise<void>): Promise<void> {
    await this.log.connections.withConnection(async (connection) => {
      await connection.query('begin');
      await connection.query(statement, values);
      await use();
      await connection.query('rollback');
    });
  }
}

/** Tells whether a statement takes part in the transaction that writes a segment, by its text. */
export const isRemoval = (text: string): boolean => /delete from log_fresh .* returning/s.test(text);

/** Makes connections that answer a statement themselves if `answer` returns a promise for it. */
export const withAnswers = (
  inner: Connections,
  answer: (text: string, values: readonly unknown[]) => ReturnType<LogConnection['query']> | null,
): Connections => ({
  withConnection: (use) =>
    inner.withConnection((connection) =>
      use({ query: (text, values = [], name) => answer(text, values) ?? connection.query(text, values, name) }),
    ),
});

/** Makes connections that run `act` before their statement number `at`, counted over all connections. */
export function interruptedAt(inner: Connections, at: number, act: () => Promise<void>): Connections {
  let sent = 0;
  return actingBefore(inner, () => ++sent === at, act);
}

/** Makes connections that send their statements one after another, and run `act` before each one that is meant. */
export const actingBefore = (
  inner: Connections,
  isMeant: (text: string) => boolean,
  act: () => Promise<void>,
): Connections => ({
  withConnection: (use) =>
    inner.withConnection((connection) => {
      let last: Promise<unknown> = Promise.resolve();
      return use({
        query: (text, values, name) => {
          const isThis = isMeant(text);
          const result = last.then(async () => {
            if (isThis) await act();
            return connection.query(text, values, name);
          });
          last = result.catch(() => undefined);
          return result;
        },
      });
    }),
});
