import { type RawBuilder, sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { LogResult } from '../relay/connections.ts';
import type { Axis, Beginning, LogHead, LogRow, RowEstimate } from './query-axis-store.ts';
import type { Sieve } from './query-conditions-store.ts';
import type { Reading } from './query-reading-store.ts';

// Events that an index finds out of order must all be sorted before the first one can be returned, so a common value
// must not be looked up in a whole range. A rare value must not be searched for by reading event after event in order.
// The planner's estimate shows how much of the range may contain one page. The range is read in windows of about that
// length, and each window has its own plan.

/** The number of pages that a time window should contain. It is more than one, because estimates are rough. */
const PAGES_A_STRETCH = 1.5;
/** A range that should contain at most this number of pages is not divided into windows. */
const FEW_PAGES = 5;
/** The planned length of a later window is at most this multiple of all previous windows together. */
const LONGEST_STEP = 32;
/** The planned length of a later window is at least this multiple of all previous windows together. */
const SHORTEST_STEP = 2;

/** Two conditions may coincide this many times as often as chance suggests. */
const TOGETHER = 4;

interface StoredRow {
  readonly position: string | number;
  readonly published_at: string;
  readonly persisted: string;
  readonly body: string;
}

interface PlanRow {
  readonly 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[];
}

export interface Wanted {
  readonly orgId: OrgId;
  readonly axis: Axis;
  readonly sieve: Sieve;
  readonly count: number;
  /** Whether the caller reads on afterward, so that the search must not commit. */
  readonly goesOn?: boolean;
  /** Whether all rows of the org can be read without an estimate of those that match. */
  readonly areFew?: () => boolean;
  /** The condition without which the rows would be read in vain, and the answer once a statement has been sent. */
  readonly unless?: { readonly condition: RawBuilder<boolean>; readonly isInVain: () => boolean };
}

/** Parses an instant in the form that PostgreSQL writes for a session in UTC. */
const instantOf = (text: string): Date => new Date(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);

/** A row that parses its dates only on demand, because a page needs only the dates of its last event. */
class FoundRow implements LogRow {
  readonly #row: StoredRow;

  constructor(row: StoredRow) {
    this.#row = row;
  }

  get position(): number {
    return Number(this.#row.position);
  }

  get published(): Date {
    return instantOf(this.#row.published_at);
  }

  get persistedAt(): Date {
    return instantOf(this.#row.persisted);
  }

  get body(): string {
    return this.#row.body;
  }
}

const rowsOf = (result: LogResult | undefined): LogRow[] =>
  ((result?.rows ?? []) as readonly StoredRow[]).map((row) => new FoundRow(row));

type TimeWindow = readonly [from: Beginning, to: number | null];

const whereOf = (axis: Axis, [from, to]: TimeWindow, conditions: readonly RawBuilder<boolean>[]) =>
  sql.join([...axis.between(from, to), ...conditions], sql` and `);

/** No alias may have the name of a column in `order by`, which would then sort by the alias. */
export const timeWindowStatement = (
  axis: Axis,
  timeWindow: TimeWindow,
  conditions: readonly RawBuilder<boolean>[],
  count: number,
): RawBuilder<unknown> => sql`select position, published::text as published_at, persisted_at::text as persisted, body
    from log_unsealed
    where ${whereOf(axis, timeWindow, conditions)} order by ${axis.order} limit ${count}::integer`;

interface Estimate extends RowEstimate {
  /** The planner's estimate of the number of matching events. */
  readonly events: number;
}

const headStatement = (orgId: OrgId): RawBuilder<unknown> =>
  sql`select position, persisted_at::text as persisted from log_heads where org_id = ${orgId}`;

function headFrom(result: LogResult | undefined): LogHead | null {
  const [row] = (result?.rows ?? []) as readonly Pick<StoredRow, 'position' | 'persisted'>[];
  return row === undefined ? null : { position: Number(row.position), persistedAt: instantOf(row.persisted) };
}

export async function readHead(reading: Reading, orgId: OrgId): Promise<LogHead | null> {
  const [result] = await reading.run(headStatement(orgId));
  return headFrom(result);
}

/** Returns null if the whole range should be read at once. */
async function estimate(reading: Reading, { areFew, axis, orgId, sieve, unless }: Wanted): Promise<Estimate | null> {
  if (areFew?.() === true) return null;
  const head = await readHead(reading, orgId);
  // The first statement brings the answer to these questions, and it costs much less than an estimate.
  if (head === null || unless?.isInVain() === true || areFew?.() === true) return null;
  const where = whereOf(axis, [null, null], sieve.conditions);
  const [plans] = await reading.run(sql`explain (format json) select from log_unsealed where ${where}`);
  const [row] = (plans?.rows ?? []) as readonly PlanRow[];
  const events = row?.['QUERY PLAN'][0]?.Plan['Plan Rows'];
  return events === undefined ? null : { ...axis.rowEstimate(head), events };
}

class Search {
  readonly rows: LogRow[] = [];
  readonly #reading: Reading;
  readonly #wanted: Wanted;
  readonly #gate: readonly RawBuilder<boolean>[];
  #conditions: readonly RawBuilder<boolean>[];

  /** `gate` is a condition of each statement. */
  constructor(reading: Reading, wanted: Wanted, gate: readonly RawBuilder<boolean>[]) {
    this.#reading = reading;
    this.#wanted = wanted;
    this.#gate = gate;
    this.#conditions = wanted.sieve.conditions;
  }

  get #isInVain(): boolean {
    return this.#wanted.unless?.isInVain() === true;
  }

  get #missing(): number {
    return this.#wanted.count - this.rows.length;
  }

  /** Takes the events that pass the recheck. If most events do not pass, SQL evaluates the filter from then on. */
  #take(found: readonly LogRow[]): void {
    const { exactConditions, recheck } = this.#wanted.sieve;
    const passed = recheck === null ? found : found.filter((row) => recheck(row.body));
    if (passed.length * 2 < found.length) this.#conditions = exactConditions;
    this.rows.push(...passed.slice(0, this.#missing));
  }

  async read([from, to]: TimeWindow): Promise<void> {
    const { axis, count } = this.#wanted;
    let beginning = from;
    while (this.#missing > 0) {
      // Later reads may fetch more rows than are missing, because the recheck is likely to refuse some of them.
      const limit = beginning === from ? this.#missing : Math.min(count, 2 * this.#missing + 50);
      const conditions = [...this.#conditions, ...this.#gate];
      const statement = timeWindowStatement(axis, [beginning, to], conditions, limit);
      const [result] = await this.#reading.run(statement);
      const found = rowsOf(result);
      this.#take(found);
      const last = found.at(-1);
      if (last === undefined || found.length < limit || this.#isInVain) return;
      beginning = { behind: last };
    }
  }

  async readInTimeWindows({ end, events, start }: Estimate): Promise<void> {
    const whole = Math.abs(end - start);
    const direction = Math.sign(end - start);
    // Several conditions match more events than the planner expects, because it assumes independent conditions.
    const caution = TOGETHER ** -Math.min(2, this.#wanted.sieve.indexed - 1);
    let length = Math.ceil((whole * PAGES_A_STRETCH * this.#wanted.count * caution) / events);
    let beginning: Beginning = null;
    let covered = 0;
    while (this.#missing > 0 && !this.#isInVain) {
      const isLast = covered + 2 * length >= whole;
      const to = isLast ? null : start + direction * (covered + length);
      await this.read([beginning, to]);
      if (to === null) return;
      covered += length;
      beginning = { at: to, seen: this.rows.at(-1) ?? null };
      const found = this.rows.length;
      // The rows found so far may be due to chance, so the density is assumed to be two standard deviations higher.
      const yielded = (found + 1 + 2 * Math.sqrt(found)) / covered;
      const hoped = (PAGES_A_STRETCH * this.#missing) / yielded;
      length = Math.ceil(Math.min(LONGEST_STEP * covered, Math.max(SHORTEST_STEP * covered, hoped)));
    }
  }
}

/** Reads up to `count` events that pass the sieve, in the order of the axis. */
export async function search(reading: Reading, wanted: Wanted): Promise<LogRow[]> {
  const { axis, count, sieve } = wanted;
  const whole: TimeWindow = [null, null];
  const isUnordered = sieve.index === 'unordered' || (sieve.index === 'ordered' && !axis.isByPublished);
  const gate = wanted.unless === undefined ? [] : [wanted.unless.condition];
  if (sieve.recheck === null && !isUnordered) {
    const statement = timeWindowStatement(axis, whole, [...sieve.conditions, ...gate], count);
    const [result] = await (wanted.goesOn === true ? reading.run(statement) : reading.runLast(statement));
    return rowsOf(result);
  }
  const estimated = isUnordered ? await estimate(reading, wanted) : null;
  if (isUnordered && wanted.unless?.isInVain() === true) return [];
  const searching = new Search(reading, wanted, isUnordered ? [] : gate);
  if (estimated === null || estimated.events <= FEW_PAGES * count) await searching.read(whole);
  else await searching.readInTimeWindows(estimated);
  return searching.rows;
}
