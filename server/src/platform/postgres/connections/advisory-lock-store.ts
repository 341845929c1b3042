import type { Tx } from './database.ts';
import { prepared } from './statements.ts';

/**
 * Makes concurrent requests of an org for the same resource wait until this transaction ends, so that counts and
 * look-ups that follow stay true. `what` names a table, or a row of a table.
 */
export async function waitForOthers(tx: Tx, orgId: string, what: string): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'lock_in_org', text, [`${what}:${orgId}`]);
}
