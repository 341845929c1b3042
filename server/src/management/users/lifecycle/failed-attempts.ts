import type { Context } from '../../../kernel/context.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import {
  countFailedAttempt,
  countUnknownDeviceFailure,
  noteLockout,
  noteUnknownDevicesBlocked,
  type SignInState,
} from '../account/sign-in-store.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange } from '../records/change-details.ts';
import type { UserRow } from '../records/user-row.ts';
import { updateUser } from '../store.ts';
import { displayNameOf, lifecycleUserOf, localeOf, userTarget } from '../wire.ts';
import { eventOf, movedTo } from './change-status.ts';
import { permits, userLifecycle } from './lifecycle.ts';

export type SignInBlock = 'FAILED_ATTEMPTS' | 'UNKNOWN_DEVICE';

type BlockState = Pick<SignInState, 'lockedAt' | 'unknownDevicesBlockedAt' | 'hasKnownDevices' | 'isKnownDevice'>;

export interface Failure {
  readonly user: UserRow;
  readonly policy: PasswordPolicy;
  readonly state: BlockState;
}

const isUnknownDevice = (state: BlockState): boolean => state.hasKnownDevices && !state.isKnownDevice;

/** A block of unknown devices affects neither known devices nor users without a known device. */
export function signInBlockOf(state: BlockState): SignInBlock | null {
  if (state.lockedAt !== null) return 'FAILED_ATTEMPTS';
  return isUnknownDevice(state) && state.unknownDevicesBlockedAt !== null ? 'UNKNOWN_DEVICE' : null;
}

/** An operation without a device must not count as coming from an unknown device. */
export const withoutDevices = (state: SignInState): SignInState => ({ ...state, hasKnownDevices: false });

/**
 * Blocks a user who has reached the limit of failed attempts. An active user becomes LOCKED_OUT; other users keep their
 * status, because an unlock would make them ACTIVE.
 */
async function lockOut(
  ports: Pick<UsersPorts, 'queueMail'>,
  tx: Tx,
  record: Record,
  context: Context,
  { policy, user }: Failure,
): Promise<UserRow> {
  await noteLockout(tx, context.orgId, user.id, context.now);
  const locks = permits(lifecycleUserOf(user), 'lockOut');
  const locked = locks ? await updateUser(tx, context.orgId, user, movedTo(user, 'LOCKED_OUT', context)) : user;
  record({ eventType: eventOf('lockOut'), target: [accountChange([user, locked])] });
  if (policy.lockout.userLockoutNotificationChannels.includes('EMAIL')) {
    const [displayName, locale] = [displayNameOf(user.profile), localeOf(user.profile)];
    const letter = { kind: 'lockout', userId: user.id, displayName, locale, validMinutes: null } as const;
    await ports.queueMail(tx, context, { ...letter, recipient: user.profile.email, url: `${context.canonicalUrl}/` });
  }
  return locked;
}

async function countUnknownDevice(
  tx: Tx,
  record: Record,
  context: Context,
  user: UserRow,
  maximum: number,
): Promise<void> {
  const failures = await countUnknownDeviceFailure(tx, context.orgId, user.id);
  if (maximum === 0 || failures < maximum) return;
  await noteUnknownDevicesBlocked(tx, context.orgId, user.id, context.now);
  record({
    eventType: eventOf('lockOut'),
    displayMessage: 'Sign-in from unknown devices blocked after failed attempts',
    target: [userTarget(user)],
    debugData: { scope: 'UNKNOWN_DEVICES' },
  });
}

/**
 * Counts a wrong password or recovery answer, and blocks the user at the policy's limit. A limit of 0 never blocks.
 * Needs the lock on the user's row. If the user has known devices, failures from an unknown device block only unknown
 * devices, so that a stranger cannot lock the owner out.
 */
export async function countFailure(
  ports: Pick<UsersPorts, 'queueMail'>,
  tx: Tx,
  record: Record,
  context: Context,
  failure: Failure,
): Promise<UserRow> {
  const { policy, state, user } = failure;
  const { maxAttempts } = policy.lockout;
  if (isUnknownDevice(state)) {
    await countUnknownDevice(tx, record, context, user, maxAttempts);
    return user;
  }
  const attempts = await countFailedAttempt(tx, context.orgId, user.id, context.now);
  const isHeld = state.lockedAt !== null || !userLifecycle.allows(user.status, 'liftFailures');
  if (maxAttempts === 0 || attempts < maxAttempts || isHeld) return user;
  return lockOut(ports, tx, record, context, failure);
}

/** Zero minutes means that the block never ends by itself. */
export const isOver = (since: Date | null, minutes: number, now: Date): boolean =>
  since !== null && minutes > 0 && since.getTime() + minutes * 60_000 <= now.getTime();

/**
 * Lifts blocks that have lasted for the policy's `autoUnlockMinutes`. A block of the user on all devices stays if the
 * user's status permits no unlock. Needs the lock on the user's row.
 */
export async function autoUnlock(
  tx: Tx,
  record: Record,
  context: Context,
  held: { readonly user: UserRow; readonly state: SignInState },
  policy: PasswordPolicy,
): Promise<{ user: UserRow; state: SignInState }> {
  let { state, user } = held;
  const { autoUnlockMinutes } = policy.lockout;
  if (isOver(state.unknownDevicesBlockedAt, autoUnlockMinutes, context.now)) {
    await noteUnknownDevicesBlocked(tx, context.orgId, user.id, null);
    state = { ...state, unknownDevicesBlockedAt: null };
  }
  if (!isOver(state.lockedAt, autoUnlockMinutes, context.now)) return { user, state };
  const unlocks = permits(lifecycleUserOf(user), 'autoUnlock');
  if (!unlocks && !userLifecycle.allows(user.status, 'liftFailures')) return { user, state };
  await noteLockout(tx, context.orgId, user.id, null);
  const before = user;
  if (unlocks) user = await updateUser(tx, context.orgId, user, movedTo(user, 'ACTIVE', context));
  record({ eventType: eventOf('autoUnlock'), target: [accountChange([before, user])] });
  return { user, state: { ...state, lockedAt: null, failedAttempts: 0 } };
}
