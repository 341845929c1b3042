import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { createOnce } from '../../resource/index.ts';
import { findUserForUpdate } from '../../users/index.ts';
import type { AppUserInput } from '../contract.ts';
import { grantedApp } from '../guards.ts';
import { lockAssignableAppForShare } from '../links/app-store.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { type AppUser, findAppUser, scopeOf } from './app-user.ts';
import { settleAppUser } from './settle-app-user.ts';
import { appUserVersion } from './versions.ts';

export interface AppUserPlace {
  readonly appId: AppId;
  readonly userId: string;
}

export async function lockAppUser(
  tx: Tx,
  context: Context,
  grant: Grant,
  { appId, userId }: AppUserPlace,
): Promise<AppUser> {
  const { orgId } = context;
  const user = await findUserForUpdate(tx, orgId, userId);
  const app = grantedApp(await lockAssignableAppForShare(tx, orgId, appId), appId, grant);
  if (user === undefined) throw notFound(userId, 'User');
  const appUser = await findAppUser(tx, orgId, app, userId);
  if (appUser === null) throw notFound(userId, 'User');
  return appUser;
}

export function assertLive({ user }: AppUser): void {
  if (user.status === 'DEPROVISIONED') throw apiError('E0000117');
}

/**
 * If an individual assignment is requested and the user already has one, `once` throws E0000062, and `again` changes
 * the existing one.
 */
export function assignUser(
  ports: AppAssignmentsPorts,
  context: Context,
  grant: Grant,
  place: AppUserPlace,
  input: AppUserInput,
  mode: 'once' | 'again',
): Promise<AppUser> {
  return ports.work(context, async (tx, record) => {
    const before = await lockAppUser(tx, context, grant, place);
    assertLive(before);
    assertVersion(context, scopeOf(before) === null ? null : appUserVersion(before));
    const findEarlier = async () => (scopeOf(before) === null ? undefined : before);
    return createOnce(tx, context, place.userId, findEarlier, async () => {
      const scope = input.scope ?? 'USER';
      if (mode === 'once' && scope === 'USER' && scopeOf(before) === 'USER') throw apiError('E0000062');
      return settleAppUser(ports.masterKey, tx, context, record, { before, scope, input });
    });
  });
}
