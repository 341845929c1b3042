import type { OrgId } from '../../kernel/ids.ts';
import { prepared, type Tx } from '../../platform/postgres/index.ts';

/**
 * Notes that what has this hash was used. False: it was used before, whichever process saw it; one that is being used
 * right now is waited for.
 */
export async function insertUsedAssertion(
  tx: Tx,
  orgId: OrgId,
  used: { readonly clientId: string; readonly hash: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  const text = `insert into used_assertions (org_id, client_id, jti_hash, expires_at) values ($1, $2, $3, $4)
    on conflict (org_id, client_id, jti_hash) do nothing returning 1 as inserted`;
  const rows = await prepared(tx, 'used_assertion_insert', text, [orgId, used.clientId, used.hash, used.expiresAt]);
  return rows.length > 0;
}
