import { failureCode } from './connections/failures.ts';

const CHANGED = 'what a request had read has changed, so it decides again';
/** The SQLSTATE of a failed cast from a string to a number. */
const INVALID_TEXT = '22P02';

/**
 * Returns an SQL expression that fails unless the condition is true. The failure prevents the commit. Its message tells
 * operators who read PostgreSQL's log that it is intended.
 */
export const assumed = (condition: string): string =>
  `(case when ${condition} then '1' else '${CHANGED}' end)::integer`;

/**
 * Returns the SQL expression for a digest of 128 bits of the whole row, which changes with the value of any column. It
 * only tells whether a row has changed between two statements of a request, and is no proof against forgery. Unlike
 * the text of a row, it does not depend on settings of the session, so Citus accepts it in the condition of an update.
 */
export const digestOf = (alias: string): string =>
  `(hash_record_extended(${alias}, 1)::text || ' ' || hash_record_extended(${alias}, 2)::text)`;

const isChange = (error: unknown): boolean =>
  failureCode(error) === INVALID_TEXT && error instanceof Error && error.message.includes(CHANGED);

/**
 * Runs `decided`, a unit of work whose decision depends on earlier reads. It must use `assumed` to check everything
 * that the decision read. If any of it has changed, nothing is committed, and `otherwise` decides again under locks.
 */
export async function assuming<Result>(
  decided: () => Promise<Result>,
  otherwise: () => Promise<Result>,
): Promise<Result> {
  try {
    return await decided();
  } catch (error) {
    if (!isChange(error)) throw error;
    return otherwise();
  }
}
