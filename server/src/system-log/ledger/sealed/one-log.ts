import type { OrgId } from '../../../kernel/words/ids.ts';
import { inSnapshot, type LogConnection } from '../../relay/connections.ts';
import { readSealedRange, type SealedEvent, type SealedRange } from './sealed-range.ts';
import { lookBehind } from './segment-store.ts';

// A reader by position sees one log, although its events have three forms: segments, rows of `log_events` and fresh
// rows. The view `log_unsealed` unites the rows. Most pages contain no sealed event, so the rows are read with one
// plain statement. Whether segments belong to the page is looked up after it: an event that was sealed before the
// statement is found by that look, and an event that is sealed later was still a row.
//
// The plain statement returns nothing if a segment belongs to the page, because its rows would be read for nothing. If
// retention deletes that segment before the look, the look finds the anchor that retention leaves instead.

/** The ways in which a reader gets its rows. */
export interface Forms<Row> {
  /**
   * Reads events that are not sealed, in order of position. Unless they are read beside segments, there are none if a
   * segment belongs to the page (`withoutSegments`).
   */
  readonly rows: (range: SealedRange, isBeside: boolean) => Promise<readonly Row[]>;
  readonly ofSealed: (events: readonly SealedEvent[]) => readonly Row[] | Promise<readonly Row[]>;
  readonly bytesOf: (row: Row) => number;
}

interface Positioned {
  readonly position: number;
}

function firstOf<Row extends Positioned>(
  rows: readonly Row[],
  { limit, maximumBytes }: SealedRange,
  forms: Forms<Row>,
) {
  const page: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (page.length === limit || bytes >= maximumBytes) break;
    bytes += forms.bytesOf(row);
    page.push(row);
  }
  return page;
}

async function readAllForms<Row extends Positioned>(
  connection: LogConnection,
  orgId: OrgId,
  range: SealedRange,
  forms: Forms<Row>,
): Promise<Row[]> {
  // Only the reader of segments knows whether it stopped early. It counts stored bodies, and a form may leave some out.
  const { events, isFull } = await readSealedRange(connection, orgId, range);
  const sealed = await forms.ofSealed(events);
  const upTo = isFull ? (sealed.at(-1)?.position ?? range.upTo) : range.upTo;
  const rows = await forms.rows({ ...range, upTo }, true);
  // Two events may have one position, which is a sign of tampering. The sort keeps both.
  const all = [...sealed, ...rows].sort((one, other) => one.position - other.position);
  return firstOf(all, range, forms);
}

/** Reads a page of an org's log by position. */
export async function readByPosition<Row extends Positioned>(
  connection: LogConnection,
  orgId: OrgId,
  range: SealedRange,
  forms: Forms<Row>,
): Promise<readonly Row[]> {
  const [rows, behind] = await Promise.all([forms.rows(range, false), lookBehind(connection, orgId, range.after)]);
  const isSealed = behind.firstSealed !== null && behind.firstSealed <= range.upTo;
  const mayHaveLeft = rows.length === 0 && behind.hasLeft;
  if (!isSealed && !mayHaveLeft) return rows;
  return inSnapshot(connection, () => readAllForms(connection, orgId, range, forms));
}
