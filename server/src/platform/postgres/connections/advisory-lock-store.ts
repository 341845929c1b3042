import type { Tx } from './database.ts';
import { prepared } from './statements.ts';

/**
 * Takes the org's advisory lock on `what`, such as a table, and holds it until the transaction ends. Other callers wait
 * for the lock, so that they cannot change what this transaction reads under it.
 */
export async function waitForOthers(tx: Tx, orgId: string, what: string): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'lock_in_org', text, [`${what}:${orgId}`]);
}
