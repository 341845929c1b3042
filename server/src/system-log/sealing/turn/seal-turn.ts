import type { OrgId } from '../../../kernel/words/ids.ts';
import { HASH_BYTES, MAXIMUM_EVENTS } from '../../ledger/segments/head.ts';
import type { Connections } from '../../relay/connections.ts';
import { dueAt, sealableUpTo } from '../due.ts';
import type { PackedSegment, PackStart, SegmentEnd } from '../packing/packer.ts';
import type { Packing } from '../packing/packing.ts';
import { type ChainEnd, persistedDate, type RowFault } from '../packing/unsealed-row.ts';
import { headFault, lookAgain, missingFault } from './look-again.ts';
import { RowReader } from './row-reader.ts';
import { findStart, type SealingStart } from './sealing-store.ts';
import { type WriteOutcome, writeSegment } from './write-segment-store.ts';

export interface TurnPorts {
  readonly connections: Connections;
  readonly packing: Packing;
  /** The time at which the days of events are judged. */
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface Turn {
  readonly orgId: OrgId;
  readonly upTo: number;
  /** The largest number of events in a segment. */
  readonly maximumEvents: number;
}

interface TurnError {
  readonly error: unknown;
}

export interface TurnReport {
  readonly events: number;
  readonly segments: number;
  /** The reason why the turn ended. `bounds` means that more events may be due. */
  readonly end: 'done' | 'bounds' | Exclude<WriteOutcome, 'sealed'> | { readonly fault: RowFault } | TurnError;
}

/** A turn ends after this many segments, because the segments of a quiet org are small. */
const MOST_SEGMENTS = 16;

/** A segment that was packed, or the beginning of one. */
interface Packed {
  readonly segment: PackedSegment | null;
  /** `upTo` means that the events up to the end of the turn are packed. */
  readonly end: SegmentEnd | 'upTo' | 'aborted';
  readonly fault: RowFault | null;
}

class SealingTurn {
  readonly #ports: TurnPorts;
  readonly #turn: Turn;
  readonly #start: SealingStart;
  readonly #upTo: number;
  readonly #rows: RowReader;
  /** The number of events and segments that the turn has written. */
  readonly #done: { events: number; segments: number };
  #end: ChainEnd;

  constructor(ports: TurnPorts, turn: Turn, start: SealingStart, done: { events: number; segments: number }) {
    this.#ports = ports;
    this.#done = done;
    this.#turn = turn;
    this.#start = start;
    // Nothing beyond the head is read: it would be a row that no relay has written.
    this.#upTo = Math.min(turn.upTo, start.head.position);
    this.#end = start.end;
    this.#rows = new RowReader(ports.connections, {
      orgId: turn.orgId,
      after: start.end.position,
      upTo: this.#upTo,
    });
  }

  async run(): Promise<TurnReport['end']> {
    const { hash, position } = this.#end;
    if (hash.length !== HASH_BYTES) return { fault: { position, detail: 'its hash does not have 32 bytes' } };
    while (this.#done.segments < MOST_SEGMENTS && this.#done.events < MAXIMUM_EVENTS) {
      if (this.#end.position >= this.#upTo || !(await this.#isNextDue())) return 'done';
      const packed = await this.#pack();
      if (packed.end === 'aborted') return 'bounds';
      const { fault, segment } = packed;
      const isCut = segment !== null && this.#isCut(segment, packed);
      if (isCut) {
        const outcome = await this.#write(segment);
        if (outcome !== 'sealed') return outcome;
      }
      if (fault !== null) return lookAgain(this.#ports.connections, this.#turn.orgId, this.#end, fault);
      if (!isCut) return 'done';
    }
    return 'bounds';
  }

  /** Saves the packing of events that would not be written, such as those of a day that is not over. */
  async #isNextDue(): Promise<boolean> {
    const [first] = await this.#rows.next();
    const oldestAt = first === undefined ? null : persistedDate(first);
    const { orgId } = this.#turn;
    const unsealed = { orgId, head: this.#start.head.position, sealed: this.#end.position, oldestAt };
    return sealableUpTo(unsealed, this.#ports.now) !== null;
  }

  async #pack(): Promise<Packed> {
    const { packing, signal } = this.#ports;
    const { maximumEvents, orgId } = this.#turn;
    let start: PackStart | null = { orgId, from: this.#end, maximumEvents };
    let count = 0;
    for (;;) {
      if (signal.aborted) return { segment: null, end: 'aborted', fault: null };
      const rows = await this.#rows.next();
      const page = rows.length === 0 ? null : await packing.add(start, rows);
      start = null;
      this.#rows.take(page?.taken ?? 0);
      count += page?.taken ?? 0;
      if (page !== null && page.end === null) continue;
      const segment = count === 0 ? null : await packing.finish();
      return this.#judged(segment, page?.end ?? 'upTo', page?.fault ?? null);
    }
  }

  /** Compares the end of what was packed with the head. */
  #judged(segment: PackedSegment | null, end: Packed['end'], fault: RowFault | null): Packed {
    const last = segment?.last ?? this.#end;
    if (end === 'upTo' && last.position < this.#upTo) {
      return { segment, end: 'fault', fault: missingFault(last.position + 1) };
    }
    const atHead = headFault(last, this.#start.head);
    return atHead === null ? { segment, end, fault } : { segment: null, end: 'fault', fault: atHead };
  }

  /**
   * A segment is cut small only when its day is over, because no event is sealed again to make a segment larger.
   * Nothing is cut where two events have one position, because the wrong one could be among the packed ones.
   */
  #isCut({ last }: PackedSegment, { end, fault }: Packed): boolean {
    if (fault !== null && fault.position <= last.position) return false;
    const persistedAt = persistedDate(last);
    return end === 'full' || end === 'day' || (persistedAt !== null && dueAt(persistedAt) <= this.#ports.now);
  }

  async #write(packed: PackedSegment): Promise<WriteOutcome> {
    const { orgId } = this.#turn;
    const outcome = await this.#ports.connections.withConnection((connection) =>
      writeSegment(connection, orgId, this.#end.position, packed),
    );
    if (outcome === 'sealed') {
      this.#end = packed.last;
      this.#done.events += packed.count;
      this.#done.segments += 1;
    }
    return outcome;
  }
}

/**
 * Seals events of an org, from the oldest unsealed one on, into at most as many segments as one turn may have. Packing
 * takes place between a short read and a short write, without a connection. The report also has the error with which a
 * turn ended, because segments before it were written.
 */
export async function sealTurn(ports: TurnPorts, turn: Turn): Promise<TurnReport> {
  const done = { events: 0, segments: 0 };
  try {
    const start = await ports.connections.withConnection((connection) => findStart(connection, turn.orgId));
    if (start === null) return { ...done, end: 'done' };
    const end = await new SealingTurn(ports, turn, start, done).run();
    return { ...done, end };
  } catch (error) {
    return { ...done, end: { error } };
  }
}
