import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

export type RecoveryTokenKind = 'ACTIVATION' | 'PASSWORD_RESET' | 'UNLOCK';

export interface RecoveryToken {
  readonly userId: string;
  readonly kind: RecoveryTokenKind;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A new token replaces the user's earlier ones of its kind: only the last mail works. */
export async function replaceRecoveryToken(
  tx: Tx,
  orgId: OrgId,
  token: RecoveryToken & { readonly hash: Buffer },
): Promise<void> {
  const earlier = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2 and kind = $3';
  await prepared(tx, 'user_recovery_token_drop', earlier, [orgId, token.userId, token.kind]);
  const text = `insert into user_recovery_tokens (org_id, token_hash, user_id, kind, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`;
  await prepared(tx, 'user_recovery_token_insert', text, [
    orgId,
    token.hash,
    token.userId,
    token.kind,
    token.createdAt,
    token.expiresAt,
  ]);
}

export async function findRecoveryToken(db: Db, orgId: OrgId, hash: Buffer): Promise<RecoveryToken | undefined> {
  const text = `select user_id as "userId", kind, created_at as "createdAt", expires_at as "expiresAt"
    from user_recovery_tokens where org_id = $1 and token_hash = $2`;
  const [row] = await prepared<RecoveryToken>(db, 'user_recovery_token_by_hash', text, [orgId, hash]);
  return row;
}

/** Takes a token out of use. False: someone else has used it, or it was voided. */
export async function useRecoveryToken(tx: Tx, orgId: OrgId, hash: Buffer): Promise<boolean> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and token_hash = $2 returning token_hash';
  const rows = await prepared(tx, 'user_recovery_token_use', text, [orgId, hash]);
  return rows.length > 0;
}

export async function dropRecoveryTokens(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_recovery_tokens_delete', text, [orgId, userId]);
}
