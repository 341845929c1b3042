import { beforeEach, expect } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { randomAlphanumeric } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import type { JobReport, JobRunner } from '../../src/platform/jobs/index.ts';
import { createUnitOfWork } from '../../src/platform/postgres/index.ts';
import {
  createOutboxStatement,
  createSinkEngine,
  type DeliveryResult,
  findSinkState,
  type NewEvent,
  type OpenSink,
  type SinkBatch,
  type SinkEngineOptions,
  type SinkEvent,
  type SinkKind,
  type SinkProvider,
  type SinkState,
  startSink,
  type Work,
} from '../../src/system-log/index.ts';
import { beforeTests } from './before-tests.ts';
import type { TestDatabase } from './database.ts';
import { openTestDatabase } from './database.ts';
import { created, LogBench, type TestClock, testClock } from './system-log.ts';

export const DELIVERED: DeliveryResult = { outcome: 'delivered', status: 200 };
export const failed = (status: number | null = 500, reason = 'The host answered 500.'): DeliveryResult => ({
  outcome: 'failed',
  status,
  reason,
});
export const refused: DeliveryResult = { outcome: 'refused', status: 400, reason: 'The host answered 400.' };

export interface Sent {
  readonly id: string;
  readonly attempt: number;
  readonly positions: readonly number[];
  readonly answer: DeliveryResult['outcome'];
}

type Answer = (batch: SinkBatch, signal: AbortSignal) => DeliveryResult | Promise<DeliveryResult>;

/** A target of events that responds as the test specifies. */
export class TestTarget {
  readonly id = `who${randomAlphanumeric(17)}`;
  readonly sent: Sent[] = [];
  answer: Answer = () => DELIVERED;
  wants: (event: SinkEvent) => boolean = () => true;
  maximumEvents = 100;
  maximumBytes = 1_000_000;
  isOpen = true;

  open(): OpenSink | null {
    if (!this.isOpen) return null;
    return {
      maximumEvents: this.maximumEvents,
      maximumBytes: this.maximumBytes,
      target: { id: this.id, type: 'LogStream', alternateId: 'alternate', displayName: 'A stream' },
      showsValues: true,
      wants: (event) => this.wants(event),
      deliver: async (batch, signal) => {
        const answer = await this.answer(batch, signal);
        const positions = batch.events.map(({ position }) => position);
        this.sent.push({ id: batch.id, attempt: batch.attempt, positions, answer: answer.outcome });
        return answer;
      },
    };
  }

  /** Returns the positions of the accepted events, in the order in which they were first accepted. */
  taken(): number[] {
    return [...new Set(this.sent.filter(({ answer }) => answer === 'delivered').flatMap(({ positions }) => positions))];
  }
}

export interface StoredDelivery {
  readonly batch_id: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly reason: string | null;
  readonly first_position: number;
  readonly last_position: number;
}

export class SinkBench extends LogBench {
  readonly database: TestDatabase;
  readonly work: Work;
  readonly targets = new Map<string, TestTarget>();

  constructor(database: TestDatabase, clock: TestClock) {
    super(database.pool, clock);
    this.database = database;
    this.work = createUnitOfWork<NewEvent>({
      pool: database.pool,
      constraints: {},
      reactions: {},
      outbox: createOutboxStatement(this.makeInput),
      committed: () => undefined,
    });
  }

  /** Starts a target. Without a position, its deliveries start after the last event of the org's ledger. */
  async target(orgId: OrgId, kind: SinkKind = 'log_stream', position?: number): Promise<TestTarget> {
    const target = new TestTarget();
    this.targets.set(target.id, target);
    const place = position === undefined ? {} : { position };
    await startSink(this.database.db, orgId, { id: target.id, kind, ...place });
    return target;
  }

  /** Creates a sink engine for the bench's targets. `reports` collects the results of its jobs. */
  engine(options: Partial<SinkEngineOptions> = {}): { readonly runner: JobRunner; readonly reports: JobReport[] } {
    const reports: JobReport[] = [];
    const provider: SinkProvider = { open: async (_, id) => this.targets.get(id)?.open() ?? null };
    const runner = createSinkEngine({
      db: this.database.db,
      connections: this.connections,
      work: this.work,
      clock: this.clock,
      namespace: namespaceOf('svc'),
      providers: { event_hook: provider, log_stream: provider },
      deliveryMilliseconds: 2_000,
      onFinished: (report) => reports.push(report),
      ...options,
    });
    return { runner, reports };
  }

  async happen(orgId: OrgId, count: number, more: Partial<NewEvent> = {}): Promise<void> {
    const events = Array.from({ length: count }, (_, index) => created(`00u${index}`, more));
    for (let from = 0; from < count; from += 500) await this.write(orgId, events.slice(from, from + 500));
    await this.drainAll();
  }

  /** Delivers until nothing is due. */
  async settle(runner: JobRunner = this.engine().runner): Promise<void> {
    for (let turns = 0; turns < 500; turns += 1) {
      const ran = await runner.runDue();
      await this.drainAll();
      if (ran === 0) return;
    }
    throw new Error('the sinks never came to rest');
  }

  advance(milliseconds: number): void {
    this.clock.set(new Date(this.clock.now().getTime() + milliseconds));
  }

  async state(orgId: OrgId, target: TestTarget): Promise<SinkState> {
    const state = await findSinkState(this.database.db, orgId, target.id);
    if (state === null) throw new Error('there is no such sink');
    return state;
  }

  deliveries(orgId: OrgId, target: TestTarget): Promise<readonly StoredDelivery[]> {
    return this.query<StoredDelivery>(
      'select * from log_deliveries where org_id = $1 and sink_id = $2 order by number',
      [orgId, target.id],
    );
  }

  deadLetters(orgId: OrgId, target: TestTarget) {
    return this.query<{ first_position: number; last_position: number; uuid: string | null; reason: string }>(
      'select * from log_dead_letters where org_id = $1 and sink_id = $2 order by number',
      [orgId, target.id],
    );
  }

  jobs(orgId: OrgId) {
    return this.query<{ id: number; run_at: Date; lease_until: Date | null; attempts: number }>(
      'select id, run_at, lease_until, attempts from jobs where org_id = $1',
      [orgId],
    );
  }

  /** Returns the org's events except `user.lifecycle.create`, which the tests themselves write. */
  ownEvents(orgId: OrgId) {
    return this.query<{ position: number; event_type: string; body: string }>(
      `select position, event_type, body from log_unsealed where org_id = $1 and event_type <> 'user.lifecycle.create'
       order by position`,
      [orgId],
    );
  }

  /** Expires all leases, as if the processes that hold them had stopped long ago. */
  async endLeases(): Promise<void> {
    const past = new Date(Date.now() - 1_000);
    await this.query('update jobs set lease_until = $1 where lease_until is not null', [past]);
  }
}

export const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Provides a bench. Before each test, resets the clock and removes all sinks and jobs. */
export function useSinkBench() {
  const clock = testClock();
  const database = beforeTests(() => openTestDatabase());
  const bench = beforeTests(() => new SinkBench(database, clock));
  beforeEach(async () => {
    clock.set('2026-11-20T12:00:00.000Z');
    await bench.query('delete from jobs');
    await bench.query('delete from log_sinks');
  });
  return { bench, clock, database };
}

/** Expects that events were first accepted in order. Only repeated deliveries may be out of order. */
export function expectOrder(target: TestTarget): void {
  const taken = target.taken();
  expect(taken).toEqual(taken.toSorted((left, right) => left - right));
}
