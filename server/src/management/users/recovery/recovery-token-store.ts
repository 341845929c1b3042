import { heldRoles, type LinkMaker, type RolesSince, rolesSince } from '../../../access/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';

export type RecoveryTokenKind = 'ACTIVATION' | 'WELCOME' | 'PASSWORD_RESET' | 'UNLOCK' | 'EMAIL' | 'SECOND_EMAIL';

export interface RecoveryToken {
  readonly userId: string;
  readonly kind: RecoveryTokenKind;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The email address to which the token was sent; null when it was returned to the caller. */
  readonly mailedTo: string | null;
  /** This is null in tokens from older releases. */
  readonly maker: LinkMaker | null;
}

/** A stored token, with the roles that its user held when the token was made and the roles that the user holds now. */
export interface StoredRecoveryToken extends RecoveryToken, RolesSince {
  /** The hash of the state token of the latest sign-in that the token opened; null before the first. */
  readonly ledTo: Buffer | null;
  readonly wrongAnswers: number;
}

const TOKENS = columns<Omit<StoredRecoveryToken, keyof RolesSince>, RecoveryToken & { readonly hash: Buffer }>(
  'user_recovery_tokens',
  {
    hash: { is: 'key', name: 'token_hash', reads: null },
    userId: 'fixed',
    kind: 'fixed',
    createdAt: 'fixed',
    expiresAt: 'fixed',
    maker: 'fixed json',
    mailedTo: 'fixed',
    ledTo: 'read',
    wrongAnswers: 'read',
  },
);
const TOKEN = `${TOKENS.select('t')}, ${rolesSince('t')}`;
const INSERT = TOKENS.insert(({ of }) => ({ held_roles: heldRoles(of('userId')) }));

/** Replaces the user's earlier tokens of the same kind, so that only the latest link works. */
export async function replaceRecoveryToken(
  tx: Tx,
  orgId: OrgId,
  token: RecoveryToken & { readonly hash: Buffer },
): Promise<void> {
  const earlier = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2 and kind = $3';
  await prepared(tx, 'user_recovery_token_drop', earlier, [orgId, token.userId, token.kind]);
  await prepared(tx, 'user_recovery_token_insert', INSERT.text, INSERT.values(orgId, token));
}

export async function findRecoveryToken(db: Db, orgId: OrgId, hash: Buffer): Promise<StoredRecoveryToken | undefined> {
  const text = `select ${TOKEN} from user_recovery_tokens t where t.org_id = $1 and t.token_hash = $2`;
  const [row] = await prepared<StoredRecoveryToken>(db, 'user_recovery_token_by_hash', text, [orgId, hash]);
  return row;
}

export async function findMailedTo(
  db: Db,
  orgId: OrgId,
  userId: string,
  { kinds, now }: { readonly kinds: readonly RecoveryTokenKind[]; readonly now: Date },
): Promise<{ readonly kind: RecoveryTokenKind; readonly mailedTo: string }[]> {
  const text = `select t.kind, t.mailed_to as "mailedTo" from user_recovery_tokens t
    where t.org_id = $1 and t.user_id = $2 and t.kind = any($3::text[]) and t.expires_at > $4
      and t.mailed_to is not null order by t.kind`;
  return prepared(db, 'user_recovery_tokens_mailed_to', text, [orgId, userId, kinds, now]);
}

export async function dropRecoveryTokensOf(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  kinds: readonly RecoveryTokenKind[],
): Promise<void> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2 and kind = any($3::text[])';
  await prepared(tx, 'user_recovery_tokens_drop_kinds', text, [orgId, userId, kinds]);
}

export async function hasMailedTokens(tx: Tx, orgId: OrgId, now: Date): Promise<boolean> {
  const text = `select 1 as found from user_recovery_tokens t
    where t.org_id = $1 and t.mailed_to is not null and t.expires_at > $2 limit 1`;
  return (await prepared(tx, 'user_recovery_token_mailed_any', text, [orgId, now])).length > 0;
}

export type MailedToken = StoredRecoveryToken & { readonly hash: Buffer };

export async function findMailedTokens(
  db: Db,
  orgId: OrgId,
  { after, limit, now }: { readonly after: Buffer; readonly now: Date; readonly limit: number },
): Promise<MailedToken[]> {
  const text = `select t.token_hash as hash, ${TOKEN} from user_recovery_tokens t
    where t.org_id = $1 and t.mailed_to is not null and t.token_hash > $2 and t.expires_at > $3
    order by t.token_hash limit $4`;
  return prepared<MailedToken>(db, 'user_recovery_tokens_mailed', text, [orgId, after, now, limit]);
}

export async function noteLedTo(tx: Tx, orgId: OrgId, hash: Buffer, stateTokenHash: Buffer): Promise<void> {
  const text = 'update user_recovery_tokens set led_to = $3 where org_id = $1 and token_hash = $2';
  await prepared(tx, 'user_recovery_token_led_to', text, [orgId, hash, stateTokenHash]);
}

export interface LedTo {
  readonly userId: string;
  readonly stateTokenHash: Buffer;
}

/** Counts a wrong answer for the token, so that opening the token again gives no more attempts. */
export async function countWrongAnswer(tx: Tx, orgId: OrgId, { stateTokenHash, userId }: LedTo): Promise<void> {
  const text = `update user_recovery_tokens set wrong_answers = wrong_answers + 1
    where org_id = $1 and user_id = $2 and led_to = $3`;
  await prepared(tx, 'user_recovery_token_wrong_answer', text, [orgId, userId, stateTokenHash]);
}

/** Consumes the token that led to a sign-in, because the sign-in has ended. */
export async function useTokenThatLedTo(tx: Tx, orgId: OrgId, { stateTokenHash, userId }: LedTo): Promise<void> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2 and led_to = $3';
  await prepared(tx, 'user_recovery_token_use_led_to', text, [orgId, userId, stateTokenHash]);
}

/** Returns false when the token no longer exists. */
export async function useRecoveryToken(tx: Tx, orgId: OrgId, hash: Buffer): Promise<boolean> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and token_hash = $2 returning token_hash';
  const rows = await prepared(tx, 'user_recovery_token_use', text, [orgId, hash]);
  return rows.length > 0;
}

export async function dropRecoveryTokens(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from user_recovery_tokens where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_recovery_tokens_delete', text, [orgId, userId]);
}
