import type { OrgId } from '../server/src/kernel/words/ids.ts';
import type { Namespace } from '../server/src/kernel/words/namespace.ts';
import type { Modules } from './built.ts';
import { OrgLife } from './log-events.ts';
import { randomNumbers } from './log-people.ts';
import { type LogProbes, ProbeFinder } from './log-probes.ts';

// This module makes the rows of a ledger like one from months of use. The product's own code makes the texts, tokens,
// digests and hash chain.

type SystemLog = Modules['system-log/index'];
type Digest = Modules['system-log/rendering/digest'];
type GeographyCode = Modules['platform/geography/index'];

export interface LogSizes {
  /** The number of events of the first org. It is approximate, because the org of each event is drawn at random. */
  readonly events: number;
  readonly people: number;
  readonly smallOrgs: number;
  readonly smallOrgEvents: number;
  readonly days: number;
}

type Row = ReturnType<ReturnType<SystemLog['createOutboxRowMaker']>>;

/** The columns of a line, for COPY. */
export const COLUMNS =
  'org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids, outcome_result, ' +
  'client_ip_address, transaction_id, tokens, salt, digest, hash, body';

const escaped = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);
const nullable = (text: string | null): string => (text === null ? '\\N' : escaped(text));
const bytes = (value: Buffer): string => `\\\\x${value.toString('hex')}`;

interface Place {
  readonly position: number;
  readonly persistedAt: Date;
  readonly hash: Buffer;
}

const lineOf = (row: Row, { hash, persistedAt, position }: Place): string =>
  `${row.orgId}\t${position}\t${persistedAt.toISOString()}\t${row.uuid}\t${row.published.toISOString()}\t` +
  `${row.eventType}\t${row.severity}\t${escaped(row.actorId)}\t{${row.targetIds.join(',')}}\t` +
  `${nullable(row.outcomeResult)}\t${nullable(row.clientIpAddress)}\t${escaped(row.transactionId)}\t` +
  `{${row.tokens.join(',')}}\t${bytes(row.salt)}\t${bytes(row.digest)}\t${bytes(hash)}\t` +
  `${escaped(row.body.toString('utf8'))}\n`;

export const HOUR = 3_600_000;

/** Spreads the events over the hours: twice as many by day as by night, and a third as many on weekends. */
export function hoursOf(
  from: number,
  to: number,
  events: number,
): readonly (readonly [start: number, events: number])[] {
  const starts: number[] = [];
  for (let start = from; start < to; start += HOUR) starts.push(start);
  const weights = starts.map((start) => {
    const date = new Date(start);
    const isWeekend = date.getUTCDay() % 6 === 0;
    return (date.getUTCHours() >= 7 && date.getUTCHours() < 19 ? 2 : 1) * (isWeekend ? 0.33 : 1);
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let given = 0;
  let passed = 0;
  return starts.map((start, index) => {
    passed += weights[index] ?? 0;
    const upTo = Math.round((events * passed) / whole);
    const hour = [start, upTo - given] as const;
    given = upTo;
    return hour;
  });
}

export interface Ending {
  position: number;
  hash: Buffer;
  persistedAt: Date;
}

/** This class makes rows in chronological order, so the rows of the orgs are interleaved. */
export class LogMaker {
  readonly #makeRow: ReturnType<SystemLog['createOutboxRowMaker']>;
  readonly #chainHash: Digest['chainHash'];
  readonly #lives: readonly OrgLife[];
  readonly #orgIds: readonly OrgId[];
  readonly #sizes: LogSizes;
  readonly #random = randomNumbers(7);
  readonly #finder: ProbeFinder;
  readonly endings: Ending[];

  constructor(
    code: { systemLog: SystemLog; digest: Digest; geography: GeographyCode; namespace: Namespace },
    orgIds: readonly OrgId[],
    sizes: LogSizes,
  ) {
    this.#makeRow = code.systemLog.createOutboxRowMaker(
      code.systemLog.createInputMaker({ places: code.geography.createGeography() }),
    );
    this.#chainHash = code.digest.chainHash;
    this.#orgIds = orgIds;
    this.#sizes = sizes;
    const peopleOf = (index: number): number => (index === 0 ? sizes.people : 40);
    this.#lives = orgIds.map((orgId, index) => new OrgLife(orgId, peopleOf(index), code.namespace));
    this.endings = orgIds.map(() => ({ position: 0, hash: Buffer.alloc(32), persistedAt: new Date(0) }));
    this.#finder = new ProbeFinder(sizes.events);
  }

  get allEvents(): number {
    const { events, smallOrgEvents, smallOrgs } = this.#sizes;
    return events + smallOrgs * smallOrgEvents;
  }

  /** Returns values that are in events of the first org. */
  get probes(): LogProbes {
    return this.#finder.probes();
  }

  #orgIndex(): number {
    const { events, smallOrgEvents, smallOrgs } = this.#sizes;
    const drawn = this.#random() * (events + smallOrgEvents * smallOrgs);
    return drawn < events ? 0 : 1 + Math.floor((drawn - events) / smallOrgEvents);
  }

  #line(index: number, instant: number): string {
    const life = this.#lives[index];
    const ending = this.endings[index];
    const orgId = this.#orgIds[index];
    if (life === undefined || ending === undefined || orgId === undefined) throw new Error('no such org');
    // These times imitate real nodes and a real relay. `published` is up to 30 ms out of order, and the events of one
    // drain share one `persistedAt`. There is a drain every 25 ms.
    const published = new Date(instant - Math.floor(this.#random() * 30));
    const { context, event } = life.next(published);
    const row = this.#makeRow(context, event);
    ending.position += 1;
    ending.hash = this.#chainHash(orgId, ending.position, row.digest, ending.hash);
    ending.persistedAt = new Date(Math.ceil((instant + 5) / 25) * 25);
    if (index === 0) this.#finder.add(row, ending.position);
    return lineOf(row, ending);
  }

  *chunks(hours: readonly (readonly [start: number, events: number])[]): Generator<Buffer> {
    let lines: string[] = [];
    for (const [start, events] of hours) {
      const instants = Array.from({ length: events }, () => start + Math.floor(this.#random() * HOUR));
      instants.sort((left, right) => left - right);
      for (const instant of instants) {
        lines.push(this.#line(this.#orgIndex(), instant));
        if (lines.length < 200) continue;
        yield Buffer.from(lines.join(''));
        lines = [];
      }
    }
    yield Buffer.from(lines.join(''));
  }
}
