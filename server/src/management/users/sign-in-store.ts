import type { OrgId } from '../../kernel/ids.ts';
import type { StoredPassword } from '../../platform/crypto/passwords/index.ts';
import { prepared, type Tx } from '../../platform/postgres/index.ts';

export type RecoveryTokenKind = 'ACTIVATION' | 'PASSWORD_RESET';

export async function storeRecoveryAnswer(tx: Tx, orgId: OrgId, userId: string, answer: StoredPassword): Promise<void> {
  const text = 'update user_sign_in set recovery_answer = $3 where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_recovery_answer_store', text, [orgId, userId, JSON.stringify(answer)]);
}

/** Counts a failed proof of the password and returns how many there are now. The user's row is locked by the caller. */
export async function countFailedAttempt(tx: Tx, orgId: OrgId, userId: string, now: Date): Promise<number> {
  const text = `update user_sign_in set failed_attempts = failed_attempts + 1, last_failed_at = $3
    where org_id = $1 and user_id = $2 returning failed_attempts as attempts`;
  const [row] = await prepared<{ attempts: number }>(tx, 'user_failed_attempt', text, [orgId, userId, now]);
  return row?.attempts ?? 0;
}

export async function noteLockout(tx: Tx, orgId: OrgId, userId: string, lockedAt: Date | null): Promise<void> {
  const text = `update user_sign_in set locked_at = $3,
      failed_attempts = case when $3::timestamptz is null then 0 else failed_attempts end
    where org_id = $1 and user_id = $2`;
  await prepared(tx, 'user_lockout', text, [orgId, userId, lockedAt]);
}

/** A new token replaces the user's earlier ones of its kind: only the last mail works. */
export async function replaceRecoveryToken(
  tx: Tx,
  orgId: OrgId,
  token: { userId: string; hash: Buffer; kind: RecoveryTokenKind; createdAt: Date; expiresAt: Date },
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

export async function dropRecoveryTokens(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_recovery_tokens_delete', text, [orgId, userId]);
}
