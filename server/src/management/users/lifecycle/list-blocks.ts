import type { Context } from '../../../kernel/context.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { findSignInState } from '../account/sign-in-store.ts';
import type { UsersPorts } from '../ports.ts';
import { getUser } from '../records/get-user.ts';
import type { UserRow } from '../records/user-row.ts';
import { isOver } from './failed-attempts.ts';

/**
 * A block after failed attempts. It affects the user on all devices, or only on unknown ones (contract: `UserBlock`).
 */
export interface UserBlock {
  readonly type: 'DEVICE_BASED';
  readonly appliesTo: 'ANY_DEVICES' | 'UNKNOWN_DEVICES';
}

/** A block ends by itself after `autoUnlockMinutes`, or never if this is 0. */
export async function listBlocks(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
): Promise<UserBlock[]> {
  return blocksOf(ports, context, await getUser(ports, context, grant, idOrLogin));
}

export async function blocksOf(ports: UsersPorts, context: Context, user: UserRow): Promise<UserBlock[]> {
  const { lockout } = await ports.passwordPolicyFor(context.orgId, user);
  const state = await findSignInState(ports.db, context.orgId, user.id, null);
  const holds = (since: Date | null): boolean =>
    since !== null && !isOver(since, lockout.autoUnlockMinutes, context.now);
  const lockedAt = state?.lockedAt ?? null;
  // A lockout without a time never ends by itself.
  const isHeld = holds(lockedAt) || (lockedAt === null && user.status === 'LOCKED_OUT');
  const areUnknownBlocked = state?.hasKnownDevices === true && holds(state.unknownDevicesBlockedAt);
  return [
    ...(isHeld ? [{ type: 'DEVICE_BASED', appliesTo: 'ANY_DEVICES' } as const] : []),
    ...(areUnknownBlocked ? [{ type: 'DEVICE_BASED', appliesTo: 'UNKNOWN_DEVICES' } as const] : []),
  ];
}
