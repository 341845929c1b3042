import type { Tx } from './database.ts';
import { prepared } from './statements.ts';

/** Makes requests for the same table or row (`what`) wait for this transaction, so that later counts stay true. */
export async function waitForOthers(tx: Tx, orgId: string, what: string): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await prepared(tx, 'lock_in_org', text, [`${what}:${orgId}`]);
}
