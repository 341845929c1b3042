import type { OrgId } from '../../kernel/words/ids.ts';
import { constraintOf, failureCode, isUnavailable } from '../../platform/postgres/index.ts';
import { InputError } from '../rendering/event-text.ts';
import { UnknownFormatError } from '../rendering/ledger-batch.ts';
import { FenceError } from './outbox-drain-store.ts';
import type { WaitingEvent } from './quarantine-store.ts';

const CHECK_VIOLATION = '23514';
const QUERY_CANCELED = '57014';
const UNDEFINED_TABLE = '42P01';
const UNIQUE_VIOLATION = '23505';

/**
 * Tests whether a row may be at fault: an input cannot be rendered, or PostgreSQL refused the batch with a data error.
 */
export const isRowsFault = (error: unknown): boolean =>
  error instanceof InputError ||
  (!(error instanceof FenceError) && !isUnavailable(error) && /^(22|23|54|P0)/.test(failureCode(error) ?? ''));

/**
 * Tests whether a batch took longer than a statement may take, contains an event of a later release, or would take a
 * position that an event has already, because somebody has moved the head back. A smaller batch may succeed. A single
 * event is not quarantined but waits.
 */
export const mustWait = (error: unknown): boolean =>
  error instanceof UnknownFormatError || [QUERY_CANCELED, UNIQUE_VIOLATION].includes(failureCode(error) ?? '');

export const isMissingPartition = (error: unknown): boolean =>
  failureCode(error) === CHECK_VIOLATION && constraintOf(error) === undefined;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Tests whether a table no longer has the name by which a statement calls it. */
export const isRenamed = (error: unknown): boolean => failureCode(error) === UNDEFINED_TABLE;

export class OrgDrainError extends Error {
  readonly orgId: OrgId;
  readonly fault: unknown;
  /** The event of a batch of one event. */
  readonly first: WaitingEvent | null;

  constructor(orgId: OrgId, fault: unknown, first: WaitingEvent | null) {
    super(messageOf(fault));
    this.orgId = orgId;
    this.fault = fault;
    this.first = first;
  }
}

/**
 * This error is thrown if the table to which a drain appends was renamed after the drain had looked. The drain has
 * moved nothing then, and must look again (ADR 0081).
 */
export class RenamedError extends Error {}
