import { AnswerLateError, failureCode, isUnavailable } from '../../platform/postgres/index.ts';
import { SLOW_PACKING } from './packing/packing.ts';

const QUERY_CANCELED = '57014';
/** The codes of a lock that is not available, of a deadlock, and of a conflict of two transactions. */
const CONFLICTS: ReadonlySet<string> = new Set(['55P03', '40P01', '40001']);
/** The codes of a statement that took too long, and of a packing thread that needed too much memory or time. */
const TOO_LARGE: ReadonlySet<string> = new Set([QUERY_CANCELED, 'ERR_WORKER_OUT_OF_MEMORY', SLOW_PACKING]);

/** An answer may not come in time, such as one to a large message over a slow link. */
const isAnswerLate = (error: unknown): boolean => error instanceof AnswerLateError;

/** Another transaction was at work on the same rows, which usually passes. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(failureCode(error) ?? '');

/** A smaller segment or page may succeed. */
export const isTooLarge = (error: unknown): boolean => TOO_LARGE.has(failureCode(error) ?? '') || isAnswerLate(error);

/**
 * Tests whether the database cannot serve any org now. `isUnavailable` also counts errors as outages that say something
 * about a single statement or row.
 */
export const isOutage = (error: unknown): boolean => isUnavailable(error) && !isConflict(error) && !isTooLarge(error);
