import { failureCode } from '../../../platform/postgres/index.ts';
import { DamagedSegmentError } from '../segments/bytes.ts';

// Readers of segments meet damage in several ways. The callers need one error for all of them, which tells the place.

/** This error is thrown if a segment has left the ledger since it was looked up, unless it left by tampering. */
export class MissingSegmentError extends DamagedSegmentError {}

/** PostgreSQL refuses a value, a size or a broken page with a code that begins with one of these. */
const REFUSED_VALUES = ['22', '0A', '54', 'XX001', 'XX002'];

/** Runs a statement over segments. A value that PostgreSQL refuses is damage, because readers ask for valid ones. */
export async function asDamage<Result>(statement: () => Promise<Result>): Promise<Result> {
  try {
    return await statement();
  } catch (error) {
    const code = failureCode(error);
    if (code === undefined || !REFUSED_VALUES.some((start) => code.startsWith(start))) throw error;
    throw new DamagedSegmentError('the database cannot read a value of a segment', { cause: error });
  }
}

/** Reads segments, and adds the place to an error, because whoever reads the error knows no other. */
export async function tellingPlace<Result>(place: () => string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedSegmentError) || error instanceof MissingSegmentError) throw error;
    throw new DamagedSegmentError(`${error.message} (${place()})`, { cause: error });
  }
}

/** Retention deletes a few segments at a time, so a look-up that starts over this often meets something else. */
const MOST_TRIES = 20;

/** Looks something up in segments, and starts over if a segment leaves the ledger meanwhile. */
export async function despiteRetention<Result>(lookUp: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await lookUp();
    } catch (error) {
      if (!(error instanceof MissingSegmentError) || tries === MOST_TRIES) throw error;
    }
  }
}
