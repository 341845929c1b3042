import { failureCode } from './connections/failures.ts';

const CHANGED = 'what a request had read has changed, so it decides again';
/** The SQLSTATE of a text that is no number. */
const INVALID_TEXT = '22P02';

/**
 * Returns an SQL expression that fails if the condition does not hold. Its failure prevents the commit and the events
 * that were sent in the same packet. The message of the error tells operators that it is meant.
 */
export const assumed = (condition: string): string =>
  `(case when ${condition} then '1' else '${CHANGED}' end)::integer`;

/** Returns the SQL expression for a digest of the whole row with this alias, by which any change of the row is noticed. */
export const digestOf = (alias: string): string => `encode(sha256(convert_to(${alias}::text, 'UTF8')), 'hex')`;

const isChange = (error: unknown): boolean =>
  failureCode(error) === INVALID_TEXT && error instanceof Error && error.message.includes(CHANGED);

/**
 * Runs a unit of work that has decided by what was read before it. The unit of work must send `assumed` with everything
 * that its decision read. If any of this has changed, nothing is committed, and `otherwise` decides again under locks.
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
