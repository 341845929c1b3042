import { hasGainedRights, heldRoles, type LinkMaker, type RolesSince, rolesSince } from '../../access/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { AuthnState } from './lifecycle.ts';
import type { Cause } from './rules.ts';

/** The part of a sign-in that concerns second factors. */
export interface FactorDetails {
  /** The factor that is being proved or activated, in the states MFA_CHALLENGE and MFA_ENROLL_ACTIVATE. */
  readonly factorId?: string | null;
  /** This member is present if the user must prove their mailbox before they may enroll their first factor. */
  readonly mailbox?: MailboxProof | null;
  /** Whether the user may enroll their first factor, because they have proved more than a password. */
  readonly mayEnroll?: boolean;
  /** Whether the one-time link that started the sign-in was sent to the user's mailbox. */
  readonly isMailed?: boolean;
  /** The time, in ISO 8601, at which an earlier sign-in in progress has verified the password. */
  readonly provedAt?: string | null;
}

export interface TransactionDetails extends FactorDetails {
  readonly cause: Cause;
  readonly relayState: string | null;
  /** An ISO 8601 time that the expiry of the token never exceeds. */
  readonly endsAt: string;
  readonly wrongTries: number;
  /** The ordinal of the password when the sign-in started. The sign-in is void once the password has changed. */
  readonly ordinal: number;
  /**
   * The maker of the one-time link. This member is absent if a password started the sign-in, and null if an older
   * version made the link without recording its maker.
   */
  readonly maker?: LinkMaker | null;
}

/** A code that was sent by email, as its digest with the state token. */
export interface MailboxProof {
  readonly factorId: string;
  readonly codeDigest: string | null;
  /** An ISO 8601 time. */
  readonly codeExpiresAt: string | null;
}

export interface AuthnTransaction {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly status: AuthnState;
  /** The time is taken from the database's clock. */
  readonly issuedAt: Date;
  /**
   * Whether the sign-in started after the user's `valid_after`, and the user has gained no rights since. A new password
   * that keeps sessions leaves `valid_after` as it is, so compare `ordinal`, too.
   */
  readonly isCurrent: boolean;
  readonly expiresAt: Date;
  readonly details: TransactionDetails;
}

const TRANSACTIONS = columns<AuthnTransaction, Omit<AuthnTransaction, 'issuedAt' | 'isCurrent'>>(
  'authentication_transactions',
  {
    tokenHash: 'key',
    userId: 'fixed',
    status: 'changes',
    issuedAt: 'read',
    isCurrent: { is: 'read', reads: 't.issued_at > u.valid_after' },
    expiresAt: 'changes',
    details: 'json',
  },
);
const COLUMNS = `${TRANSACTIONS.select('t')}, ${rolesSince('t')}`;
const INSERT = TRANSACTIONS.insert(({ of }) => ({ held_roles: heldRoles(of('userId')) }));
const UPDATE = TRANSACTIONS.update();
const FROM = `from authentication_transactions t join users u on u.org_id = t.org_id and u.id = t.user_id
  where t.org_id = $1 and t.token_hash = $2`;

export async function insertTransaction(
  tx: Tx,
  orgId: OrgId,
  transaction: Omit<AuthnTransaction, 'issuedAt' | 'isCurrent'>,
): Promise<void> {
  const values = INSERT.values(orgId, transaction);
  await prepared(tx, 'authentication_transaction_insert', INSERT.text, values);
}

const transactionOf = ({ rolesBefore, rolesNow, ...transaction }: AuthnTransaction & RolesSince): AuthnTransaction => ({
  ...transaction,
  isCurrent: transaction.isCurrent && !hasGainedRights({ rolesBefore, rolesNow }),
});

export async function findTransaction(db: Db, orgId: OrgId, tokenHash: Buffer): Promise<AuthnTransaction | undefined> {
  const text = `select ${COLUMNS} ${FROM}`;
  const [row] = await prepared<AuthnTransaction & RolesSince>(db, 'authentication_transaction_by_hash', text, [
    orgId,
    tokenHash,
  ]);
  return row === undefined ? undefined : transactionOf(row);
}

/** Locks the sign-in, so that no step is taken twice. The caller must have locked the user's row first. */
export async function findTransactionForUpdate(
  tx: Tx,
  orgId: OrgId,
  tokenHash: Buffer,
): Promise<AuthnTransaction | undefined> {
  const text = `select ${COLUMNS} ${FROM} for update of t`;
  const [row] = await prepared<AuthnTransaction & RolesSince>(tx, 'authentication_transaction_lock', text, [
    orgId,
    tokenHash,
  ]);
  return row === undefined ? undefined : transactionOf(row);
}

export async function updateTransaction(tx: Tx, orgId: OrgId, transaction: AuthnTransaction): Promise<void> {
  const values = UPDATE.values(orgId, transaction);
  await prepared(tx, 'authentication_transaction_update', UPDATE.text, values);
}

export async function deleteTransaction(tx: Tx, orgId: OrgId, tokenHash: Buffer): Promise<void> {
  const text = 'delete from authentication_transactions where org_id = $1 and token_hash = $2';
  await prepared(tx, 'authentication_transaction_delete', text, [orgId, tokenHash]);
}
