import { loginKey } from '../../../kernel/texts/text.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { assumed, type Db, prepared, sendAhead, type Tx } from '../../../platform/postgres/index.ts';
import type { UserRow } from '../records/user-row.ts';
import { USER_COLUMNS } from '../store.ts';

export interface SignInState {
  readonly password: StoredPassword | null;
  readonly recoveryAnswer: StoredPassword | null;
  /**
   * The ordinal of the newest password. If a second reading returns another one, the password has changed in between.
   */
  readonly ordinal: number;
  readonly failedAttempts: number;
  /** The time since which failed attempts block the user, whatever the status. */
  readonly lockedAt: Date | null;
  readonly unknownDevicesBlockedAt: Date | null;
  readonly hasKnownDevices: boolean;
  readonly isKnownDevice: boolean;
}

// All statements with these parts have the org as their first parameter.
const ORDINAL = `coalesce((select max(h.ordinal) from user_password_history h
  where h.org_id = $1 and h.user_id = s.user_id), 0)`;

/** `device` names the parameter that contains the hash of the device. */
const isKnownDevice = (device: string): string => `exists (select from known_devices d
  where d.org_id = $1 and d.user_id = s.user_id and d.device_hash = ${device}::bytea)`;

const stateColumns = (device: string): string => `s.password, s.recovery_answer as "recoveryAnswer",
  s.failed_attempts as "failedAttempts", s.locked_at as "lockedAt",
  s.unknown_devices_blocked_at as "unknownDevicesBlockedAt", ${ORDINAL} as ordinal,
  exists (select from known_devices d where d.org_id = $1 and d.user_id = s.user_id) as "hasKnownDevices",
  ${isKnownDevice(device)} as "isKnownDevice"`;

/** `deviceHash` is the SHA-256 of the device's fingerprint, or null if there is none. */
export async function findSignInState(
  db: Db,
  orgId: OrgId,
  userId: string,
  deviceHash: Buffer | null,
): Promise<SignInState | undefined> {
  const text = `select ${stateColumns('$3')} from user_sign_in s where s.org_id = $1 and s.user_id = $2`;
  const [row] = await prepared<SignInState>(db, 'user_sign_in_state', text, [orgId, userId, deviceHash]);
  return row;
}

export interface SignInSubject {
  readonly user: UserRow;
  readonly state: SignInState;
}

export type SubjectRow = UserRow & SignInState;

/**
 * This statement selects a user and the user's sign-in state. It finds the user by login, or else by a short login that
 * only one user has. The parameters are the org and the values of `loginValues`.
 */
export const SUBJECT_BY_LOGIN = `select ${USER_COLUMNS}, ${stateColumns('$4')}
  from users u join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id
  where u.org_id = $1 and u.id = coalesce(
    (select id from users where org_id = $1 and login_key = $2::text),
    (select max(o.id) from (
        select id from users where org_id = $1 and short_login_key = $2::text and $3::boolean limit 2) o
      having count(*) = 1))`;

export const loginValues = (login: string, deviceHash: Buffer | null) => [
  loginKey(login),
  !login.includes('@'),
  deviceHash,
];

export function subjectOf(row: SubjectRow): SignInSubject {
  const { failedAttempts, hasKnownDevices, isKnownDevice: isKnown, lockedAt, ordinal, password, ...others } = row;
  const { recoveryAnswer, unknownDevicesBlockedAt, ...user } = others;
  const attempts = { failedAttempts, lockedAt, unknownDevicesBlockedAt };
  const state = { password, recoveryAnswer, ordinal, ...attempts, hasKnownDevices, isKnownDevice: isKnown };
  return { user, state };
}

/**
 * Tells whether `assumeSubject` can be used, which requires a password and no block. A block may end before the lock is
 * granted, so a blocked user has to be read again under the lock.
 */
export const canAssume = ({ state }: SignInSubject): boolean =>
  state.password !== null && state.lockedAt === null && state.unknownDevicesBlockedAt === null;

/**
 * Locks a user for a sign-in that was decided by an earlier reading, without awaiting the result. The unit of work
 * fails if the user, the password, the blocks or the device are no longer as they were read (see `assuming`).
 */
export function assumeSubject(tx: Tx, orgId: OrgId, { state, user }: SignInSubject, deviceHash: Buffer | null): void {
  const lock = 'select from users where org_id = $1 and id = $2 for update';
  sendAhead(tx, { name: 'user_lock', text: lock, values: [orgId, user.id] });
  // This is a second statement, because it must see the changes that the lock waited for.
  const isAsRead = `exists (
    select from users u join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id
    where u.org_id = $1 and u.id = $2 and u.revision = $3 and s.password is not null and ${ORDINAL} = $4
      and s.locked_at is null and s.unknown_devices_blocked_at is null and ${isKnownDevice('$5')} = $6)`;
  const values = [orgId, user.id, user.revision, state.ordinal, deviceHash, state.isKnownDevice];
  sendAhead(tx, { name: 'user_sign_in_assume', text: `select ${assumed(isAsRead)}`, values });
}

export async function storeRecoveryAnswer(tx: Tx, orgId: OrgId, userId: string, answer: StoredPassword): Promise<void> {
  const text = 'update user_sign_in set recovery_answer = $3 where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_recovery_answer_store', text, [orgId, userId, JSON.stringify(answer)]);
}

/** Counts a wrong password or recovery answer. */
export async function countFailedAttempt(tx: Tx, orgId: OrgId, userId: string, now: Date): Promise<number> {
  const text = `update user_sign_in set failed_attempts = failed_attempts + 1, last_failed_at = $3
    where org_id = $1 and user_id = $2 returning failed_attempts as attempts`;
  const [row] = await prepared<{ attempts: number }>(tx, 'user_failed_attempt', text, [orgId, userId, now]);
  return row?.attempts ?? 0;
}

export async function countUnknownDeviceFailure(tx: Tx, orgId: OrgId, userId: string): Promise<number> {
  const text = `update user_sign_in set unknown_device_failures = unknown_device_failures + 1
    where org_id = $1 and user_id = $2 returning unknown_device_failures as failures`;
  const [row] = await prepared<{ failures: number }>(tx, 'user_unknown_device_failure', text, [orgId, userId]);
  return row?.failures ?? 0;
}

export async function noteLockout(tx: Tx, orgId: OrgId, userId: string, lockedAt: Date | null): Promise<void> {
  const text = `update user_sign_in set locked_at = $3,
      failed_attempts = case when $3::timestamptz is null then 0 else failed_attempts end
    where org_id = $1 and user_id = $2`;
  await prepared(tx, 'user_lockout', text, [orgId, userId, lockedAt]);
}

/**
 * Sets the time since which unknown devices are refused. Null admits them again and resets the count of their failures.
 */
export async function noteUnknownDevicesBlocked(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  blockedAt: Date | null,
): Promise<void> {
  const text = `update user_sign_in set unknown_devices_blocked_at = $3,
      unknown_device_failures = case when $3::timestamptz is null then 0 else unknown_device_failures end
    where org_id = $1 and user_id = $2`;
  await prepared(tx, 'user_unknown_devices_blocked', text, [orgId, userId, blockedAt]);
}

export interface ProvedPassword {
  /** Null keeps the stored time, because the sign-in still lacks a step. */
  readonly lastLoginAt: Date | null;
  /** Null keeps the stored hash. */
  readonly rehashed: StoredPassword | null;
  readonly isUnknownDevice: boolean;
}

/**
 * Resets the failed attempts and ends a lockout after the user gave the right password, and stores the given changes.
 * This function does not wait for the result (see `sendAhead`).
 */
export function noteProvedPassword(tx: Tx, orgId: OrgId, userId: string, proved: ProvedPassword): void {
  const text = `update user_sign_in set failed_attempts = 0, last_failed_at = null, locked_at = null,
      last_login_at = coalesce($3::timestamptz, last_login_at), password = coalesce($4::jsonb, password),
      unknown_device_failures = case when $5::boolean then 0 else unknown_device_failures end
    where org_id = $1 and user_id = $2`;
  const { isUnknownDevice, lastLoginAt, rehashed } = proved;
  const password = rehashed === null ? null : JSON.stringify(rehashed);
  const values = [orgId, userId, lastLoginAt, password, isUnknownDevice];
  sendAhead(tx, { name: 'user_password_proved', text, values });
}

/** Clients choose their fingerprints, so without a limit one user could fill the table. */
const KNOWN_DEVICES_OF_A_USER = 50;

/** Remembers a device, and forgets the least recently used one when there are too many. */
export function rememberDevice(tx: Tx, orgId: OrgId, userId: string, deviceHash: Buffer, now: Date): void {
  const text = `with remembered as (
      insert into known_devices (org_id, user_id, device_hash, last_used_at) values ($1, $2, $3, $4)
      on conflict (org_id, user_id, device_hash) do update set last_used_at = excluded.last_used_at)
    delete from known_devices k where k.org_id = $1 and k.user_id = $2 and k.device_hash in (
      select d.device_hash from known_devices d where d.org_id = $1 and d.user_id = $2 and d.device_hash <> $3
      order by d.last_used_at desc offset ${KNOWN_DEVICES_OF_A_USER - 1})`;
  sendAhead(tx, { name: 'known_device_remember', text, values: [orgId, userId, deviceHash, now] });
}

export async function forgetKnownDevices(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from known_devices where org_id = $1 and user_id = $2';
  await prepared(tx, 'known_devices_forget', text, [orgId, userId]);
}
