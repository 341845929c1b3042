import type { Actor, Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { eventOf, movedTo } from '../lifecycle/change-status.ts';
import { nextStatus } from '../lifecycle/lifecycle.ts';
import { answerForm, fairnessKeyOf, keepsSessions, providerAfter } from '../passwords/password-changes.ts';
import { storePassword } from '../passwords/password-store.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange, passwordChange } from '../records/change-details.ts';
import type { UserRow } from '../records/user-row.ts';
import { updateUser } from '../store.ts';
import { displayNameOf, lifecycleUserOf } from '../wire.ts';
import {
  noteLockout,
  noteProvedPassword,
  noteUnknownDevicesBlocked,
  rememberDevice,
  type SignInState,
} from './sign-in-store.ts';

export const userActor = (user: UserRow): Actor => ({
  id: user.id,
  type: 'User',
  alternateId: user.login,
  displayName: displayNameOf(user.profile),
});

export interface OwnPassword {
  readonly password: StoredPassword;
  readonly action: 'changePassword' | 'completeActivation' | 'completeRecovery';
  readonly policy: PasswordPolicy;
  /** Sessions can survive only if this is false (see `keepsSessions`). */
  readonly revokeSessions?: boolean | undefined;
}

/** Stores a password that a user chose. Needs the lock on the user's row. */
export async function storeOwnPassword(
  tx: Tx,
  record: Record,
  context: Context,
  user: UserRow,
  { action, password, policy, revokeSessions }: OwnPassword,
): Promise<UserRow> {
  const status = nextStatus(lifecycleUserOf(user), action) ?? user.status;
  await storePassword(tx, context.orgId, user.id, password, context.now, {
    historyCount: policy.age.historyCount,
    keepsSessions: keepsSessions(user, revokeSessions),
  });
  const changedAt = wholeSecond(context.now);
  const dates = { passwordChangedAt: changedAt, lastUpdatedAt: changedAt };
  const after = { ...movedTo(user, status, context), ...providerAfter(user), ...dates, hasPassword: true };
  const changed = await updateUser(tx, context.orgId, user, after);
  record({ eventType: eventOf(action), target: [passwordChange([user, changed])] });
  return changed;
}

/** Sets the status of an active user to PASSWORD_EXPIRED, because the password is too old. */
export async function expireOldPassword(tx: Tx, record: Record, context: Context, user: UserRow): Promise<UserRow> {
  const status = nextStatus(lifecycleUserOf(user), 'passwordTooOld') ?? user.status;
  const expired = await updateUser(tx, context.orgId, user, movedTo(user, status, context));
  record({ eventType: eventOf('passwordTooOld'), target: [accountChange([user, expired])] });
  return expired;
}

/** Unlocks a user who has proved ownership of the account. */
export async function unlockOwnAccount(tx: Tx, record: Record, context: Context, user: UserRow): Promise<UserRow> {
  const status = nextStatus(lifecycleUserOf(user), 'unlockOwn') ?? user.status;
  await noteLockout(tx, context.orgId, user.id, null);
  await noteUnknownDevicesBlocked(tx, context.orgId, user.id, null);
  const unlocked = await updateUser(tx, context.orgId, user, movedTo(user, status, context));
  const displayMessage = 'User account unlocked by its owner';
  record({ eventType: eventOf('unlockOwn'), displayMessage, target: [accountChange([user, unlocked])] });
  return unlocked;
}

export interface ProvedSignIn {
  readonly state: SignInState;
  readonly rehashed: StoredPassword | null;
  readonly deviceHash: Buffer | null;
}

/**
 * Records a right password in the user's state, before or without a sign-in. A rehashed password replaces the stored
 * one, and an imported user then becomes a user of this service.
 */
export async function noteFirstFactor(
  tx: Tx,
  context: Context,
  user: UserRow,
  { rehashed, state }: Omit<ProvedSignIn, 'deviceHash'>,
  lastLoginAt: Date | null = null,
): Promise<UserRow> {
  const isUnknownDevice = !state.isKnownDevice;
  noteProvedPassword(tx, context.orgId, user.id, { lastLoginAt, rehashed, isUnknownDevice });
  const seen = lastLoginAt === null ? user : { ...user, lastLoginAt };
  if (user.providerType !== 'IMPORT' || rehashed === null) return seen;
  const after = { ...seen, ...providerAfter(user), lastUpdatedAt: wholeSecond(context.now) };
  return updateUser(tx, context.orgId, user, after);
}

/** Records a sign-in in the user's state and remembers the device. */
export async function noteSignIn(
  tx: Tx,
  context: Context,
  user: UserRow,
  { deviceHash, ...proved }: ProvedSignIn,
): Promise<UserRow> {
  if (deviceHash !== null) rememberDevice(tx, context.orgId, user.id, deviceHash, context.now);
  return noteFirstFactor(tx, context, user, proved, wholeSecond(context.now));
}

/** Returns false if the user has no question, or if the answer cannot be normalized. */
export async function isRightAnswer(
  ports: UsersPorts,
  context: Context,
  stored: StoredPassword | null,
  answer: string,
): Promise<boolean> {
  if (stored === null) return false;
  const form = answerForm(answer);
  if (form === null) return false;
  const { ok } = await ports.passwords.verify(stored, form, fairnessKeyOf(context));
  return ok;
}
