import type { Clock } from '../../../kernel/clock.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { systemContext } from '../../access/system-context.ts';
import type { Work } from '../../relay/work.ts';
import type { NewEvent } from '../../write/event.ts';
import {
  insertDeadLetter,
  type NewDeadLetter,
  type NewDelivery,
  type SinkProgress,
  type StoredSink,
  saveProgress,
} from '../store.ts';

export interface ProgressPorts {
  /** The database, through a pool other than the one for requests, so that reading the log does not delay requests. */
  readonly db: Db;
  readonly work: Work;
  readonly clock: Clock;
  readonly namespace: Namespace;
}

/** The progress of one turn of a sink. Only the turn that claimed the sink last can write it to the database. */
export class TurnProgress {
  readonly #ports: ProgressPorts;
  readonly #orgId: OrgId;
  readonly #sink: StoredSink;
  #current: SinkProgress;
  #isDirty = false;
  #delivery: NewDelivery | null = null;

  constructor(ports: ProgressPorts, orgId: OrgId, sink: StoredSink) {
    this.#ports = ports;
    this.#orgId = orgId;
    this.#sink = sink;
    this.#current = sink;
  }

  get current(): SinkProgress {
    return this.#current;
  }

  change(changes: Partial<SinkProgress>): void {
    this.#current = { ...this.#current, ...changes };
    this.#isDirty = true;
  }

  /** Marks all events up to this one as finished. */
  passTo(event: { readonly position: number; readonly persistedAt: Date } | undefined): void {
    if (event === undefined || event.position <= this.#current.position) return;
    this.change({ position: event.position, persistedAt: event.persistedAt });
  }

  /** Adds a delivery to the delivery log with the next write. */
  note(delivery: NewDelivery): void {
    this.#delivery = delivery;
    this.#isDirty = true;
  }

  /** Throws FenceLostError if the turn has lost the sink. */
  async save(): Promise<void> {
    if (!this.#isDirty) return;
    await saveProgress(this.#ports.db, this.#orgId, this.#sink, this.#current, this.#delivery);
    this.#saved();
  }

  /** Writes the changes in one transaction with the event and the dead letter, if they are not null. */
  async saveWith(event: NewEvent | null, letter: NewDeadLetter | null = null): Promise<void> {
    if (event === null && letter === null) return this.save();
    const { clock, namespace, work } = this.#ports;
    const context = systemContext({ orgId: this.#orgId, namespace, name: 'log-sinks', now: clock.now() });
    await work(context, async (tx, record) => {
      await saveProgress(tx, this.#orgId, this.#sink, this.#current, this.#delivery);
      if (letter !== null) await insertDeadLetter(tx, this.#orgId, this.#sink.id, letter);
      if (event !== null) record(event);
    });
    this.#saved();
  }

  #saved(): void {
    this.#isDirty = false;
    this.#delivery = null;
  }
}
