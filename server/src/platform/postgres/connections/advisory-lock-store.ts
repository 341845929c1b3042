import type { Tx } from './database.ts';
import { prepared } from './statements.ts';

/**
 * Makes those of an org who ask for the same wait until this transaction ends, so that what is counted or looked for
 * behind it holds. `what`: a table, or a row of one.
 */
export async function waitForOthers(tx: Tx, orgId: string, what: string): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'lock_in_org', text, [`${what}:${orgId}`]);
}
