import type { OrgId } from '../../../kernel/words/ids.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { CLOCK, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { PasswordState } from '../records/user-row.ts';

export async function findPasswordState(
  db: Db,
  orgId: OrgId,
  userId: string,
  historyCount: number,
): Promise<PasswordState> {
  const text = `select s.password as current, s.failed_attempts as "failedAttempts",
      coalesce(h.entries, '[]') as history, coalesce(h.ordinal, 0) as ordinal
    from user_sign_in s left join lateral (
      select jsonb_agg(e.password order by e.ordinal desc) as entries, max(e.ordinal) as ordinal
      from (select password, ordinal from user_password_history where org_id = $1 and user_id = $2
            order by ordinal desc limit $3) e) h on true
    where s.org_id = $1 and s.user_id = $2`;
  const [row] = await prepared<PasswordState>(db, 'user_password_state', text, [
    orgId,
    userId,
    Math.max(1, historyCount),
  ]);
  return row ?? { current: null, history: [], ordinal: 0, failedAttempts: 0 };
}

interface PasswordStoring {
  readonly historyCount: number;
  /** Whether sessions and OAuth tokens that were issued under the former password stay valid. */
  readonly keepsSessions: boolean;
}

/** No user has this id. */
const NOBODY = '';

/**
 * Stores a new password and adds it to the history, which keeps the newest `historyCount` entries, but at least one.
 * Resets failed attempts and blocks, and voids recovery tokens.
 */
export async function storePassword(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  password: StoredPassword,
  now: Date,
  { historyCount, keepsSessions }: PasswordStoring,
): Promise<void> {
  const text = `with stored as (
      update user_sign_in set password = $3, failed_attempts = 0, last_failed_at = null, locked_at = null,
        unknown_device_failures = 0, unknown_devices_blocked_at = null
      where org_id = $1 and user_id = $2),
    voided as (delete from user_recovery_tokens where org_id = $1 and user_id = $2),
    marked as (update users set valid_after = clock.now from ${CLOCK}
      where org_id = $1 and id = $6),
    newest as (
      select coalesce(max(ordinal), 0) as ordinal from user_password_history where org_id = $1 and user_id = $2),
    forgotten as (
      delete from user_password_history h using newest
      where h.org_id = $1 and h.user_id = $2 and h.ordinal <= newest.ordinal + 1 - $5::bigint)
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
      select $1, $2, $4, ordinal + 1, $3 from newest`;
  await prepared(tx, 'user_password_store', text, [
    orgId,
    userId,
    JSON.stringify(password),
    now,
    Math.max(1, historyCount),
    // Citus refuses a condition that is false for every row, so there is always an id to compare.
    keepsSessions ? NOBODY : userId,
  ]);
}

/** Removes the password and voids sessions and OAuth tokens. */
export async function wipePassword(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = `with wiped as (update user_sign_in set password = null where org_id = $1 and user_id = $2)
    update users set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2`;
  await prepared(tx, 'user_password_wipe', text, [orgId, userId]);
}

/**
 * Deletes the password, its history and the recovery answer, as deactivation requires (contract section 4). Also resets
 * failed attempts and blocks.
 */
export async function wipeCredentials(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const volatile = `update user_sign_in
    set password = null, recovery_answer = null, failed_attempts = 0, locked_at = null,
      unknown_device_failures = 0, unknown_devices_blocked_at = null
    where org_id = $1 and user_id = $2`;
  await prepared(tx, 'user_credentials_wipe', volatile, [orgId, userId]);
  const history = 'delete from user_password_history where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_password_history_delete', history, [orgId, userId]);
}
