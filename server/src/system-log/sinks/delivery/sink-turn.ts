import { ApiError } from '../../../kernel/errors/errors.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Backoff, backoffMilliseconds, type Job, type JobAgain } from '../../../platform/jobs/index.ts';
import { isUnavailable } from '../../../platform/postgres/index.ts';
import { withoutValues } from '../../access/shown-events.ts';
import { DamagedSegmentError } from '../../ledger/segments/bytes.ts';
import type { Connections } from '../../relay/connections.ts';
import type { NewEvent, Target } from '../../write/event.ts';
import type { DeliveryResult, OpenSink, SinkBatch, SinkKind, SinkProviders } from '../sink.ts';
import type { StoredSink } from '../store.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { batchIdOf, firstBatch } from './batch.ts';
import { DELIVERY_EVENT_TYPES, deadLetterEvent, failureEvent, recoveryEvent, skipEvent } from './delivery-events.ts';
import { hasOtherEventsBehind, type LedgerEvent, type LedgerPage, readLedgerPage } from './ledger-page-store.ts';
import { type ProgressPorts, TurnProgress } from './turn-progress.ts';

export interface DeliveryReport {
  readonly kind: SinkKind;
  readonly outcome: DeliveryResult['outcome'];
  readonly events: number;
  /** The age of the first event in the batch. */
  readonly lagMilliseconds: number;
}

export interface TurnPorts extends ProgressPorts {
  /** The connections for pages of the ledger, which some pages read in a transaction. */
  readonly connections: Connections;
  readonly providers: SinkProviders;
  /** Finds the newest checkpoint at or before a position. */
  readonly latestCheckpoint: (orgId: OrgId, position: number) => Promise<string | null>;
  readonly onSent?: (report: DeliveryReport) => void;
  readonly deliveryMilliseconds: number;
  /** A turn that has taken this long ends after the current delivery, so that other sinks are served. */
  readonly sliceMilliseconds: number;
}

export const SINK_BACKOFF: Backoff = { first: 1_000, longest: 300_000 };
/** The longest pause that a target may request. */
const LONGEST_RETRY_AFTER_MILLISECONDS = 3_600_000;
const LONGEST_REASON = 255;
const PAGE_EVENTS = { least: 500, most: 1_000 };
const PAGE_BYTES = { least: 2_000_000, most: 8_000_000 };
/** The maximum number of events that are read to repeat a batch. */
const FLIGHT_PAGE_EVENTS = 10_000;

const clamp = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(most, Math.max(least, value));

const TARGET_TYPES: Readonly<Record<SinkKind, string>> = { event_hook: 'EventHook', log_stream: 'LogStream' };

const DAMAGED = 'the System Log is damaged: gatehouse log verify names the place';

function otherwiseIfDamaged<Value>(error: unknown, value: Value): Value {
  if (error instanceof DamagedSegmentError) return value;
  throw error;
}

const LANDED = { flightPosition: null, flightAttempts: 0 };
const WELL = { failures: 0, failingSince: null, failureTold: false, nextAttemptAt: null, lastError: null };

/** The step after a delivery: deliver the next batch, read the ledger again, or end the turn. */
type Next = 'on' | 'reread' | JobAgain;

/** Returns the events in the form that the sink's owner may see. */
const shownTo = ({ showsValues }: OpenSink, events: readonly LedgerEvent[]): readonly LedgerEvent[] =>
  showsValues ? events : events.map((event) => ({ ...event, body: withoutValues(event.body) }));

type Failure = Omit<Extract<DeliveryResult, { outcome: 'failed' }>, 'outcome'>;
type Refusal = Extract<DeliveryResult, { outcome: 'refused' }>;

export class SinkTurn {
  readonly #ports: TurnPorts;
  readonly #orgId: OrgId;
  readonly #sink: StoredSink;
  readonly #signal: AbortSignal;
  readonly #isHeld: () => boolean;
  readonly #progress: TurnProgress;

  constructor(ports: TurnPorts, orgId: OrgId, sink: StoredSink, { isHeld, signal }: Pick<Job, 'isHeld' | 'signal'>) {
    this.#ports = ports;
    this.#orgId = orgId;
    this.#sink = sink;
    this.#signal = signal;
    this.#isHeld = isHeld;
    this.#progress = new TurnProgress(ports, orgId, sink);
  }

  /** Returns undefined if nothing is left to do. */
  async run(): Promise<JobAgain | undefined> {
    const { providers, sliceMilliseconds } = this.#ports;
    const deadline = performance.now() + sliceMilliseconds;
    let open: OpenSink | null;
    try {
      open = await providers[this.#sink.kind].open(this.#orgId, this.#sink.id);
    } catch (error) {
      // A failure of our own database is not the sink's fault.
      if (isUnavailable(error) || error instanceof ApiError) throw error;
      const name = error instanceof Error ? error.name : 'unknown';
      return this.#failed(null, null, { status: null, reason: `the sink could not be opened: ${name}` });
    }
    if (open === null) return undefined;
    while (!this.#signal.aborted && performance.now() < deadline) {
      const page = await this.#readPage(open);
      if (page === null) return this.#failed(open.target, null, { status: null, reason: DAMAGED });
      if (page.dropped !== null) await this.#passDropped(open.target, page.dropped);
      const next = await this.#deliverPage(open, page, deadline);
      await this.#progress.save();
      if (typeof next === 'object') return next;
      if (next === 'on' && page.reachedHead) return undefined;
    }
    return { runAgainAt: this.#now() };
  }

  #now(): Date {
    return this.#ports.clock.now();
  }

  /** Returns null if the page is damaged, which the sink tells, so that it does not look well for ever. */
  #readPage(open: OpenSink): Promise<LedgerPage | null> {
    const { position, persistedAt, flightPosition } = this.#progress.current;
    const page = readLedgerPage(this.#ports.connections, this.#orgId, {
      position,
      persistedAt,
      upTo: flightPosition,
      maximumEvents: flightPosition === null ? clamp(open.maximumEvents, PAGE_EVENTS) : FLIGHT_PAGE_EVENTS,
      maximumBytes: flightPosition === null ? clamp(open.maximumBytes, PAGE_BYTES) : Number.MAX_SAFE_INTEGER,
    });
    return page.catch((error: unknown) => otherwiseIfDamaged(error, null));
  }

  /** Skips events that left the log before the sink reached them, and records the skipped range. */
  async #passDropped(target: Target, range: { first: number; last: number; persistedAt: Date }): Promise<void> {
    this.#progress.change({ position: range.last, persistedAt: range.persistedAt });
    await this.#progress.saveWith(skipEvent(target, range), {
      firstPosition: range.first,
      lastPosition: range.last,
      uuid: null,
      eventType: null,
      reason: 'left the log before it was delivered',
      status: null,
      createdAt: this.#now(),
    });
  }

  async #deliverPage(open: OpenSink, page: LedgerPage, deadline: number): Promise<Next> {
    let wanted = shownTo(open, page.events).filter(open.wants);
    for (;;) {
      const batch = this.#nextBatch(open, wanted);
      const [first] = batch;
      if (first === undefined) break;
      this.#progress.passTo(page.events.findLast(({ position }) => position < first.position));
      const next = await this.#deliver(open, batch);
      if (next !== 'on') return next;
      wanted = wanted.filter(({ position }) => position > this.#progress.current.position);
      if (this.#signal.aborted || performance.now() >= deadline) return 'reread';
    }
    this.#progress.passTo(page.events.at(-1));
    // The configuration may have changed, so that it no longer selects any event of the batch in progress.
    if (this.#progress.current.flightPosition !== null) this.#progress.change(LANDED);
    return 'on';
  }

  /** Returns the batch in progress, or else as many events as fit into a new batch. */
  #nextBatch(open: OpenSink, wanted: readonly LedgerEvent[]): readonly LedgerEvent[] {
    const { batchLimit, flightPosition } = this.#progress.current;
    if (flightPosition !== null) return wanted.filter(({ position }) => position <= flightPosition);
    const maximumEvents = Math.max(1, Math.min(open.maximumEvents, batchLimit ?? open.maximumEvents));
    return firstBatch(wanted, { maximumEvents, maximumBytes: open.maximumBytes });
  }

  async #deliver(open: OpenSink, events: readonly LedgerEvent[]): Promise<Next> {
    const last = events.at(-1)?.position ?? 0;
    const attempt = this.#progress.current.flightAttempts + 1;
    const batch: SinkBatch = {
      orgId: this.#orgId,
      sinkId: this.#sink.id,
      id: batchIdOf(this.#sink.id, events),
      events,
      attempt,
      now: this.#now(),
      checkpoint: await this.#ports.latestCheckpoint(this.#orgId, last),
    };
    // The progress is saved before sending, so that after a crash the next turn knows that the batch is not new.
    this.#progress.change({ flightPosition: last, flightAttempts: attempt });
    await this.#progress.save();
    if (!this.#isHeld()) return { runAgainAt: this.#now() };
    const begun = performance.now();
    const result = await attemptDelivery(open, batch, this.#signal, this.#ports.deliveryMilliseconds);
    const milliseconds = Math.round(performance.now() - begun);
    // A delivery that failed because the turn was aborted says nothing about the target.
    if (this.#signal.aborted && result.outcome !== 'delivered') return { runAgainAt: this.#now() };
    this.#note(batch, result, milliseconds);
    if (result.outcome === 'delivered') return this.#delivered(open, batch, events);
    if (result.outcome === 'failed') return this.#failed(open.target, batch, result);
    return this.#refused(open, events, result);
  }

  #note(batch: SinkBatch, result: DeliveryResult, milliseconds: number): void {
    this.#progress.note({
      batchId: batch.id,
      firstPosition: batch.events[0]?.position ?? 0,
      lastPosition: batch.events.at(-1)?.position ?? 0,
      events: batch.events.length,
      attempt: batch.attempt,
      outcome: ({ delivered: 'DELIVERED', failed: 'FAILED', refused: 'REFUSED' } as const)[result.outcome],
      status: result.status,
      reason: result.outcome === 'delivered' ? null : result.reason.slice(0, LONGEST_REASON),
      attemptedAt: batch.now,
      milliseconds,
    });
    const lagMilliseconds = Math.max(0, batch.now.getTime() - (batch.events[0]?.published ?? batch.now).getTime());
    const { kind } = this.#sink;
    this.#ports.onSent?.({ kind, outcome: result.outcome, events: batch.events.length, lagMilliseconds });
  }

  async #delivered(open: OpenSink, batch: SinkBatch, events: readonly LedgerEvent[]): Promise<Next> {
    const { batchLimit, failingSince, failures, failureTold } = this.#progress.current;
    const grown = batchLimit === null ? null : batchLimit * 2;
    this.#progress.passTo(events.at(-1));
    this.#progress.change({
      ...LANDED,
      ...WELL,
      batchLimit: grown === null || grown >= open.maximumEvents ? null : grown,
      lastStatus: null,
      lastDeliveredAt: batch.now,
    });
    if (failureTold && failingSince !== null) {
      await this.#progress.saveWith(recoveryEvent(this.#sink.kind, open.target, { failingSince, failures }));
    }
    return 'on';
  }

  async #failed(target: Target | null, batch: SinkBatch | null, failure: Failure): Promise<JobAgain> {
    const now = this.#now();
    const { failingSince, failures, failureTold } = this.#progress.current;
    const reason = failure.reason.slice(0, LONGEST_REASON);
    const asked = Math.min(failure.retryAfterMilliseconds ?? 0, LONGEST_RETRY_AFTER_MILLISECONDS);
    const pause = Math.max(asked, backoffMilliseconds(failures + 1, SINK_BACKOFF));
    const nextAttemptAt = new Date(now.getTime() + pause);
    const isToTell = !failureTold && (await this.#concernsOthers());
    this.#progress.change({
      failures: failures + 1,
      failingSince: failingSince ?? now,
      failureTold: failureTold || isToTell,
      nextAttemptAt,
      lastError: reason,
      lastStatus: failure.status,
    });
    const event: NewEvent = failureEvent(
      this.#sink.kind,
      target ?? { id: this.#sink.id, type: TARGET_TYPES[this.#sink.kind] },
      {
        reason,
        status: failure.status,
        firstPosition: batch?.events[0]?.position ?? null,
        lastPosition: batch?.events.at(-1)?.position ?? null,
        batchId: batch?.id ?? null,
      },
    );
    await this.#progress.saveWith(isToTell ? event : null);
    return { runAgainAt: nextAttemptAt };
  }

  /**
   * Tests whether the log has, after the cursor, an event that is not about deliveries. If there is none, recording the
   * failure would only add another event whose delivery fails.
   */
  #concernsOthers(): Promise<boolean> {
    const { position, persistedAt } = this.#progress.current;
    const place = { position, persistedAt };
    // A damaged segment does not tell, but it is worth an event.
    return hasOtherEventsBehind(this.#ports.connections, this.#orgId, place, DELIVERY_EVENT_TYPES).catch(
      (error: unknown) => otherwiseIfDamaged(error, true),
    );
  }

  async #refused(open: OpenSink, events: readonly LedgerEvent[], refusal: Refusal): Promise<Next> {
    const [event] = events;
    if (event === undefined || events.length > 1) {
      this.#progress.change({ ...LANDED, batchLimit: Math.max(1, Math.floor(events.length / 2)) });
      return 'reread';
    }
    const reason = refusal.reason.slice(0, LONGEST_REASON);
    const { status } = refusal;
    this.#progress.passTo(event);
    this.#progress.change(LANDED);
    const { firstPosition, lastPosition } = { firstPosition: event.position, lastPosition: event.position };
    const { uuid, eventType } = event;
    const letter = { firstPosition, lastPosition, uuid, eventType, reason, status, createdAt: this.#now() };
    const isTold = !DELIVERY_EVENT_TYPES.has(eventType);
    await this.#progress.saveWith(isTold ? deadLetterEvent(open.target, event, { reason, status }) : null, letter);
    return 'on';
  }
}
