import type { Logger } from 'pino';
import { type DatabaseChange, failureCode, outageOf } from '../../platform/postgres/index.ts';
import { createRepeatedLines } from '../../platform/repeated-lines.ts';

export interface DatabaseLog {
  changed(change: DatabaseChange): void;
  /**
   * Logs a failure, which `what` describes in words. During an outage, and within 10 s of a similar failure, database
   * failures are counted instead of logged.
   */
  failed(error: unknown, what: string): void;
}

const LEVELS = { well: 'info', away: 'warn', stalled: 'error', unconfirmed: 'error' } as const;

const WORDS = {
  well: 'the database is reachable again',
  away: 'the database is unreachable',
  stalled:
    'the database does not respond: its connections were closed, and requests that need it are refused until it does',
  unconfirmed: 'no standby confirms commits: changes are refused until one does, and reads are served',
} as const;

/**
 * The SQLSTATEs of failures of a single statement, such as time-outs and conflicts. They say nothing about the database
 * as a whole, so each kind of work gets its own log line.
 */
const OF_STATEMENTS = /^(?:57014|55P03|40)/;

export function createDatabaseLog(log: Logger): DatabaseLog {
  const lines = createRepeatedLines();
  let isAway = false;
  /** The number of failures that were counted but not logged since the last outage ended. */
  let untold = 0;
  return {
    changed({ code, milliseconds, reason, state }) {
      isAway = state !== 'well';
      const facts = isAway ? { code, reason } : { milliseconds: Math.round(milliseconds), untold };
      log[LEVELS[state]](facts, WORDS[state]);
      if (!isAway) untold = 0;
    },
    failed(error, what) {
      const outage = outageOf(error);
      if (outage === null) {
        log.warn({ err: error }, what);
        return;
      }
      const code = failureCode(outage) ?? null;
      const kind = code !== null && OF_STATEMENTS.test(code) ? `${code} ${what}` : (code ?? outage.message);
      if (isAway || lines.isRepeated(kind)) untold += 1;
      else log.warn({ code, reason: outage.message }, what);
    },
  };
}
