import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { type NewEvent, verifyOrg } from '../../src/system-log/index.ts';
import { findLedgerRows } from '../../src/system-log/ledger/ledger-pages-store.ts';
import { insertInputs } from '../../src/system-log/outbox/input-store.ts';
import { insertOutbox } from '../../src/system-log/outbox/outbox-store.ts';
import type { Connections } from '../../src/system-log/relay/connections.ts';
import { measureBacklog } from '../../src/system-log/relay/relay-store.ts';
import { createRowRenderer } from '../../src/system-log/rendering/render-row.ts';
import { createPacking } from '../../src/system-log/sealing/packing/packing.ts';
import { sealTurn } from '../../src/system-log/sealing/turn/seal-turn.ts';
import {
  type EventKind,
  expectOneDrain,
  expectRisingRuns,
  type LedgerEvent,
  OrgModel,
  type StoredOrg,
  type WaitingEvent,
} from './log-model.ts';
import { type DrainFault, FaultyConnections } from './log-model-faults.ts';
import { type DrainRun, RelayUnderTest } from './log-model-relay.ts';
import { isSwitched, type SwitchedDatabase, switchLog, undoSwitch } from './log-switch.ts';
import { created, LogBench, requestContext, type TestClock, testClock } from './system-log.ts';

const WRITTEN_KINDS = ['plain', 'marked', 'poison'] as const satisfies readonly EventKind[];
export type WrittenKind = (typeof WRITTEN_KINDS)[number];

/** In these tests, a constraint makes the ledger refuse events with this transaction id. */
export const POISON = 'poison';
export const REFUSE_POISON = ['log_older', 'log_fresh'].map(
  (table) => `alter table ${table} add constraint poison_check check (transaction_id <> '${POISON}') not valid`,
);

const EVENTS: Readonly<Record<WrittenKind, (id: string) => NewEvent>> = {
  plain: (id) => created(id),
  marked: (id) => ({ ...created(id), eventType: 'user.lifecycle.suspend', debugData: { risk: 'HIGH' } }),
  poison: (id) => created(id),
};

type Client = pg.PoolClient;

/** The database of a run. Its pool serves writers and relays. */
export interface WorldDatabase extends SwitchedDatabase {
  readonly pool: pg.Pool;
}

interface OpenWriter {
  readonly org: OrgModel;
  readonly client: Client;
  readonly events: readonly WaitingEvent[];
}

const START = '2026-11-20T12:00:00.000Z';
const ORGS = 3;
const MOST_DRAINS_AT_THE_END = 80;
/** At this time, the days of all events are over, so any event can be sealed. */
const FAR_FUTURE = new Date('2200-01-01T00:00:00.000Z');
const NEVER = new AbortController().signal;
const EVERYTHING = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000, maximumBytes: 1_000_000_000 };

/** The events that a turn of the sealer seals: all but the last ones, in small segments. */
export interface SealingPart {
  readonly left: number;
  readonly maximumEvents: number;
}

/** Orgs, writers and two relays on a real database, together with a model of the log that they must produce. */
export class LogWorld {
  readonly bench: LogBench;
  readonly orgs: readonly OrgModel[];
  readonly writers: OpenWriter[] = [];
  readonly writerClock: TestClock = testClock(START);
  readonly relays: readonly [RelayUnderTest, RelayUnderTest];
  readonly tally: Map<string, number>;
  /** Whether the relays append to `log_fresh`. */
  isSwitched = false;
  readonly #database: WorldDatabase;
  #users = 0;
  #writers = 0;

  private constructor(database: WorldDatabase, orgs: readonly OrgModel[], tally: Map<string, number>) {
    this.#database = database;
    this.tally = tally;
    this.bench = new LogBench(database.pool, testClock(START));
    this.orgs = orgs;
    const newRelay = () =>
      new RelayUnderTest({
        bench: this.bench,
        clock: testClock(START),
        kill: (pid) => this.#kill(pid),
        waitingOf: (orgId) => this.orgs.find((org) => org.orgId === orgId)?.waiting ?? [],
      });
    this.relays = [newRelay(), newRelay()];
  }

  /** Every world begins before the switch to `log_fresh`. */
  static async open(database: WorldDatabase, tally: Map<string, number>): Promise<LogWorld> {
    await undoSwitch(database);
    const bench = new LogBench(database.pool);
    const orgs: OrgModel[] = [];
    while (orgs.length < ORGS) orgs.push(new OrgModel(await bench.newOrg()));
    return new LogWorld(database, orgs, tally);
  }

  /** Switches to `log_fresh`, unless a drain is using the other table. */
  async switchLog(): Promise<void> {
    await switchLog(this.#database);
    this.isSwitched = await isSwitched(this.#database);
    this.count(this.isSwitched ? 'switches' : 'switches that a drain held up');
    if (this.isSwitched) this.count('switches during a drain', this.relays.filter((relay) => relay.isUnderWay).length);
  }

  count(what: string, times = 1): void {
    if (times > 0) this.tally.set(what, (this.tally.get(what) ?? 0) + times);
  }

  org(index: number): OrgModel {
    const org = this.orgs[index % this.orgs.length];
    if (org === undefined) throw new Error('there are no orgs');
    return org;
  }

  async beginWriter(index: number, kinds: readonly WrittenKind[]): Promise<void> {
    const org = this.org(index);
    const now = this.writerClock.now();
    const rows = kinds.map((kind) => {
      this.#users += 1;
      const context = requestContext(org.orgId, now);
      const named = kind === 'poison' ? { ...context, requestId: POISON } : context;
      return this.bench.makeInput(named, EVENTS[kind](`00umodel${String(this.#users).padStart(12, '0')}`));
    });
    const client = await this.#database.pool.connect();
    await client.query({ text: 'begin', values: [] });
    // Old and new builds write side by side, each in its own form.
    const table = this.#writers % 3 === 0 ? 'log_outbox' : 'log_inputs';
    this.#writers += 1;
    const statement = table === 'log_inputs' ? insertInputs(rows) : insertOutbox(rows.map(createRowRenderer()));
    await client.query({ text: statement.text, values: [...statement.values] });
    const uuids = rows.map((row) => row.uuid);
    const ids = await client.query({
      text: `select id from ${table} where org_id = $1 and uuid = any($2::uuid[]) order by id`,
      values: [org.orgId, uuids],
    });
    const events = (ids.rows as { id: number }[]).map(({ id }, place) => ({
      id,
      uuid: uuids[place] ?? '',
      kind: kinds[place] ?? 'plain',
    }));
    this.writers.push({ org, client, events });
  }

  async endWriter(index: number, end: 'commit' | 'rollback' | 'lost'): Promise<void> {
    const [writer] = this.writers.splice(index % this.writers.length, 1);
    if (writer === undefined) return;
    const { org, client, events } = writer;
    if (end !== 'lost') await client.query({ text: end, values: [] });
    // A lost writer's connection is closed with its transaction open, as if the writer's process had died.
    client.release(end === 'lost');
    if (end === 'commit') org.commit(events);
    else org.rollBack(events);
  }

  /** Compares the database with the model, and updates the model. */
  async reconcile(ended: readonly DrainRun[] = []): Promise<void> {
    const taken = new Map<OrgId, readonly WaitingEvent[]>();
    for (const org of this.orgs) taken.set(org.orgId, org.reconcile(await this.#read(org)));
    const events = [...taken.values()].flat();
    this.#countDrains(events, ended);
    const moved = events.length;
    const [run] = ended;
    if (ended.length === 0) expect(moved, 'only a drain moves events').toBe(0);
    else if (ended.length === 1 && run !== undefined) expectOneDrain(taken, run.snapshot);
    else expectRisingRuns(taken, ended.length);
    const told = ended.reduce((sum, { report }) => sum + (report?.events ?? 0), 0);
    expect(moved, 'no drain tells of more than it moved').toBeGreaterThanOrEqual(told);
    if (ended.every(({ report }) => report !== null)) expect(moved, 'a drain tells what it moved').toBe(told);
  }

  #countDrains(moved: readonly WaitingEvent[], ended: readonly DrainRun[]): void {
    const failed = ended.filter(({ report }) => report === null).length;
    this.count('events moved', moved.length);
    this.count('events in place of a refused one', moved.filter((event) => event.kind === 'quarantine').length);
    this.count('drains that failed', failed);
    if (ended.length === 1 && failed === 1 && moved.length > 0) this.count('commits whose answer was lost');
    if (ended.length > 1) this.count('drains that overlapped');
  }

  async #read({ orgId, ledger }: OrgModel): Promise<StoredOrg> {
    const appended = await this.bench.query<LedgerEvent & { eventType: string }>(
      `select position, uuid, published, persisted_at as "persistedAt",
         case event_type when 'system.log.event.quarantine' then 'quarantine' else 'plain' end as kind
       from log_unsealed where org_id = $1 and position > $2 order by position, persisted_at`,
      [orgId, ledger.length],
    );
    const waiting = await this.bench.query<{ id: number; uuid: string }>(
      `select id, uuid from log_inputs where org_id = $1 union all select id, uuid from log_outbox where org_id = $1
       order by id`,
      [orgId],
    );
    const aside = await this.bench.query<{ id: number; uuid: string }>(
      'select id, uuid from log_quarantine where org_id = $1',
      [orgId],
    );
    const [head] = await this.bench.query<StoredOrg['head']>(
      'select position, persisted_at as "persistedAt" from log_heads where org_id = $1',
      [orgId],
    );
    const quarantined = new Map(aside.map((row) => [row.id, row.uuid]));
    return { appended, waiting, quarantined, head: head ?? { position: 0, persistedAt: new Date(0) } };
  }

  async #kill(pid: number): Promise<void> {
    await this.bench.query('select pg_terminate_backend($1)', [pid]);
    for (;;) {
      const rows = await this.bench.query('select from pg_stat_activity where pid = $1', [pid]);
      if (rows.length === 0) return;
      await delay(1);
    }
  }

  /** Seals events of an org. The log of the model does not change. */
  async seal(index: number, part: SealingPart, connections: Connections = this.bench.connections): Promise<void> {
    const { ledger, orgId } = this.org(index);
    const ports = { connections, packing: createPacking(null), now: FAR_FUTURE, signal: NEVER };
    const upTo = ledger.length - part.left;
    const { end, events } = await sealTurn(ports, { orgId, upTo, maximumEvents: part.maximumEvents });
    if (typeof end === 'object' && 'error' in end) throw end.error;
    expect(['done', 'bounds', 'changed', 'busy'], 'no fault in what the relays wrote').toContain(end);
    this.count('events sealed', events);
  }

  /** Seals events on connections one of which is closed at a statement. */
  async sealKilled(index: number, part: SealingPart, fault: DrainFault): Promise<void> {
    const connections = new FaultyConnections({
      inner: this.bench.connections,
      kill: (pid) => this.#kill(pid),
      onStatement: () => undefined,
    });
    connections.arm(fault, false, () => undefined);
    const killed = await this.seal(index, part, connections).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
        return true;
      },
    );
    this.count('sealers that failed', killed ? 1 : 0);
  }

  /** Measures the backlog as a relay does. This also sets the id after which later drains start. */
  async look(): Promise<void> {
    await this.bench.query(`update log_relay_state set measured_at = '-infinity'`);
    const backlog = await this.bench.connections.withConnection(measureBacklog);
    const waiting = this.orgs.reduce((sum, org) => sum + org.waiting.length, 0);
    // A running drain may already have committed events that the model still counts as waiting.
    if (this.relays.every((relay) => !relay.isUnderWay)) expect(backlog.events, 'what waits').toBe(waiting);
  }

  async drainAll(): Promise<void> {
    const [relay] = this.relays;
    for (let drains = 0; this.orgs.some((org) => org.waiting.length > 0); drains += 1) {
      if (drains === MOST_DRAINS_AT_THE_END) throw new Error('the outbox did not become empty');
      await this.reconcile(await relay.drain(null, false));
    }
  }

  /**
   * Ends running drains, rolls back open writers, drains the rest, and compares each org's whole log with the model.
   */
  async settle(): Promise<void> {
    const ended: DrainRun[] = [];
    for (const relay of this.relays) ended.push(...(await relay.end('goOn')));
    await this.reconcile(ended);
    while (this.writers.length > 0) await this.endWriter(0, 'rollback');
    await this.drainAll();
    for (const org of this.orgs) {
      const stored = await this.bench.connections.withConnection((connection) =>
        findLedgerRows(connection, org.orgId, EVERYTHING),
      );
      expect(stored.map((row) => row.uuid)).toEqual(org.ledger.map((event) => event.uuid));
      const report = await verifyOrg(this.bench.connections, org.orgId);
      expect(report).toMatchObject({ ok: true, verified: org.ledger.length, fault: null });
    }
  }

  async close(): Promise<void> {
    for (const relay of this.relays) await relay.end('kill');
    for (const writer of this.writers) writer.client.release(true);
    for (const { orgId } of this.orgs) {
      await this.bench.query('delete from log_inputs where org_id = $1', [orgId]);
      await this.bench.query('delete from log_outbox where org_id = $1', [orgId]);
    }
  }
}
