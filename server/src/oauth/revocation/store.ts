import type { OrgId } from '../../kernel/words/ids.ts';
import { prepared, type Tx } from '../../platform/postgres/index.ts';

/** `jtiHash` is the SHA-256 of the `jti`. Returns false if the revocation was already recorded. */
export async function insertRevokedToken(
  tx: Tx,
  orgId: OrgId,
  revoked: { readonly jtiHash: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  const text = `insert into revoked_tokens (org_id, jti_hash, expires_at) values ($1, $2, $3)
    on conflict (org_id, jti_hash) do nothing returning 1 as inserted`;
  const rows = await prepared(tx, 'revoked_token_insert', text, [orgId, revoked.jtiHash, revoked.expiresAt]);
  return rows.length > 0;
}
