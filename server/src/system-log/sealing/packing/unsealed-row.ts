import type { OrgId } from '../../../kernel/words/ids.ts';
import type { LedgerRow } from '../../ledger/ledger-pages-store.ts';
import { dateOf } from '../../ledger/sealed/sealed-rows.ts';
import { erasedTerms, segmentTerms } from '../../ledger/segments/postings/segment-terms.ts';
import type { SegmentEvent } from '../../ledger/segments/segment.ts';
import { microsecondsOf } from '../../ledger/segments/times.ts';
import { contentFault } from '../../proof/check-event.ts';
import { chainHash } from '../../rendering/digest.ts';

/** An event that is not sealed. Its times are text as PostgreSQL writes it, because a Date has no microseconds. */
export interface UnsealedRow extends Omit<LedgerRow, 'persistedAt' | 'published' | 'erasedAt' | 'sealed'> {
  readonly persistedAt: string;
  readonly published: string;
  readonly erasedAt: string | null;
}

/** An event after which the log goes on. */
export interface ChainEnd {
  readonly position: number;
  readonly hash: Buffer;
  /** This is null if the event has left the ledger, or if there is none. */
  readonly persistedAt: string | null;
}

export interface RowFault {
  readonly position: number;
  readonly detail: string;
}

const timeOf = (text: string): Date => dateOf(microsecondsOf(text));

/** Returns null if the time is missing or is one that the service never writes. The packer reports such a row. */
export function persistedDate({ persistedAt }: Pick<ChainEnd, 'persistedAt'>): Date | null {
  if (persistedAt === null) return null;
  try {
    return timeOf(persistedAt);
  } catch {
    return null;
  }
}

const ledgerRow = (row: UnsealedRow): LedgerRow => ({
  ...row,
  persistedAt: timeOf(row.persistedAt),
  published: timeOf(row.published),
  erasedAt: row.erasedAt === null ? null : timeOf(row.erasedAt),
  sealed: null,
});

/** An erased row has no content beside what `eraseRow` keeps. A segment would hide a column that has one. */
const isEmptied = ({ actorId, body, clientIpAddress, targetIds, tokens, transactionId }: UnsealedRow): boolean =>
  body === '{}' &&
  tokens === '{}' &&
  actorId === '' &&
  targetIds.length === 0 &&
  clientIpAddress === null &&
  transactionId === '';

function problemOf(orgId: OrgId, previous: ChainEnd, row: UnsealedRow): string | null {
  const persistedBefore = previous.persistedAt === null ? null : timeOf(previous.persistedAt);
  const content = contentFault(orgId, ledgerRow(row), persistedBefore);
  if (content !== null) return content;
  // No digest covers the text of an erased event, so any other text would be shown as that of the event.
  if (row.salt === null && !isEmptied(row)) return 'the event is erased, but has a content';
  const expected = chainHash(orgId, row.position, row.digest, previous.hash);
  return expected.equals(row.hash) ? null : 'the event does not continue the chain';
}

/**
 * Returns why a row cannot follow the event before it, or null if it can. A segment leaves out the columns that follow
 * from the text, so a fault in one of them would leave no trace. Therefore, each row is checked as `log verify` does.
 */
export function rowFault(orgId: OrgId, previous: ChainEnd, row: UnsealedRow): RowFault | null {
  const position = previous.position + 1;
  if (row.position > position) return { position, detail: `the next event is at ${row.position}` };
  if (row.position < position) {
    return { position: row.position, detail: 'there are two events at that position' };
  }
  try {
    const detail = problemOf(orgId, previous, row);
    return detail === null ? null : { position, detail };
  } catch (error) {
    // A time may be one that the service never writes, such as `infinity`.
    if (error instanceof RangeError) return { position, detail: error.message };
    throw error;
  }
}

/** Reads search terms in the form in which PostgreSQL prints them, such as `{1,2,3}`. */
const termsIn = (tokens: string): Int32Array =>
  tokens === '{}' ? new Int32Array() : Int32Array.from(tokens.slice(1, -1).split(','), Number);

/** Makes the event that is packed. The row must have no fault. */
export function segmentEvent(orgId: OrgId, row: UnsealedRow): SegmentEvent {
  const { actorId, digest, erasedAt, eventType, salt, uuid } = row;
  return {
    position: row.position,
    persistedAt: microsecondsOf(row.persistedAt),
    published: microsecondsOf(row.published),
    eventType,
    severity: row.severity,
    outcomeResult: row.outcomeResult,
    body: Buffer.from(row.body),
    salt,
    hash: row.hash,
    terms:
      salt === null
        ? erasedTerms(orgId, eventType)
        : segmentTerms(orgId, { actorId, eventType, tokens: termsIn(row.tokens) }),
    kept: salt === null ? { uuid, digest, erasedAt: erasedAt === null ? null : microsecondsOf(erasedAt) } : null,
  };
}
