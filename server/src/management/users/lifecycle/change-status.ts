import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { UserStatus } from '../../../kernel/user-statuses.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type EventType, isEventType } from '../../../system-log/index.ts';
import {
  findSignInState,
  forgetKnownDevices,
  noteLockout,
  noteUnknownDevicesBlocked,
} from '../account/sign-in-store.ts';
import { wipeCredentials } from '../passwords/password-store.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange } from '../records/change-details.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import type { UserRow } from '../records/user-row.ts';
import { dropRecoveryTokens } from '../recovery/recovery-token-store.ts';
import { updateUser } from '../store.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { nextStatus, type UserAction, userLifecycle } from './lifecycle.ts';
import { mailAdministrator } from './mail-administrator.ts';

export function eventOf(action: UserAction): EventType {
  const name = userLifecycle.transition(action).event;
  if (!isEventType(name)) throw new Error(`${name} is not in the catalogue`);
  return name;
}

/** Returns the same object if the user has this status already. */
export function movedTo(user: UserRow, status: UserStatus, context: Context): UserRow {
  if (user.status === status) return user;
  const now = wholeSecond(context.now);
  const suspending = status === 'SUSPENDED';
  return {
    ...user,
    status,
    statusBeforeSuspension: suspending ? user.status : null,
    statusChangedAt: now,
    lastUpdatedAt: now,
    activatedAt: user.activatedAt ?? (status === 'STAGED' ? null : now),
  };
}

/** Wipes the credentials (contract section 4). */
async function deactivated(ports: UsersPorts, tx: Tx, context: Context, user: UserRow): Promise<UserRow> {
  await ports.assertNotLastSuperAdmin(tx, context.orgId, user.id);
  await wipeCredentials(tx, context.orgId, user.id);
  await ports.wipeFactors(tx, context.orgId, user.id);
  await dropRecoveryTokens(tx, context.orgId, user.id);
  await forgetKnownDevices(tx, context.orgId, user.id);
  return { ...user, hasPassword: false, recoveryQuestion: null, passwordChangedAt: null };
}

/**
 * Returns whether failed attempts block the user or unknown devices without a change of the user's status. An unlock
 * then ends the block and keeps the status (`liftFailures`).
 */
async function isHeldBack(tx: Tx, context: Context, user: UserRow): Promise<boolean> {
  if (!userLifecycle.allows(user.status, 'liftFailures')) return false;
  const state = await findSignInState(tx, context.orgId, user.id, null);
  return state !== undefined && (state.lockedAt ?? state.unknownDevicesBlockedAt) !== null;
}

/** Checks and applies a status change. Needs the row's lock. The caller records the event. */
export async function applyStatusChange(
  ports: UsersPorts,
  tx: Tx,
  context: Context,
  user: UserRow,
  action: 'deactivate' | 'suspend' | 'unsuspend' | 'unlock',
): Promise<UserRow> {
  const isHeld = action === 'unlock' && (await isHeldBack(tx, context, user));
  const status = nextStatus(lifecycleUserOf(user), isHeld ? 'liftFailures' : action) ?? user.status;
  let after = movedTo(user, status, context);
  if (action === 'deactivate') after = await deactivated(ports, tx, context, after);
  if (action === 'suspend') await ports.assertNotLastSuperAdmin(tx, context.orgId, user.id);
  if (action === 'unlock') {
    await noteLockout(tx, context.orgId, user.id, null);
    await noteUnknownDevicesBlocked(tx, context.orgId, user.id, null);
  }
  if (after === user) return user;
  return updateUser(tx, context.orgId, user, after);
}

export async function changeUserStatus(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  action: 'deactivate' | 'suspend' | 'unsuspend' | 'unlock',
  { sendEmail }: { readonly sendEmail: boolean } = { sendEmail: false },
): Promise<UserRow> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    const changed = await applyStatusChange(ports, tx, context, user, action);
    record({ eventType: eventOf(action), target: [accountChange([user, changed])] });
    if (sendEmail) await mailAdministrator(ports, tx, context, 'deactivation', user);
    return changed;
  });
}
