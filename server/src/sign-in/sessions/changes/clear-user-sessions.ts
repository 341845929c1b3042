import type { Context } from '../../../kernel/context.ts';
import {
  forgetKnownDevices,
  lockUser,
  resolveUserId,
  type UsersPorts,
  userTarget,
  voidCredentials,
} from '../../../management/users/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Sessions } from '../sessions.ts';
import { removeSessionsOfUser } from '../store.ts';

export interface ClearUserSessions {
  /** Whether the authorization codes and OAuth tokens that were issued to the user also become void. */
  readonly oauthTokens: boolean;
  readonly forgetDevices: boolean;
}

/** Ends a user's sessions and sign-ins in progress. */
export async function clearUserSessions(
  { sessions, users }: { readonly users: UsersPorts; readonly sessions: Pick<Sessions, 'ending'> },
  context: Context,
  grant: Grant,
  idOrLogin: string,
  options: ClearUserSessions,
): Promise<void> {
  const userId = await resolveUserId(users.db, context, idOrLogin, grant);
  await users.work(context, async (tx, record) => {
    const user = await lockUser(users, tx, context, grant, userId);
    await sessions.ending(tx, context, { userId: user.id });
    await removeSessionsOfUser(tx, context.orgId, user.id);
    if (options.oauthTokens) await voidCredentials(tx, context.orgId, user.id);
    if (options.forgetDevices) await forgetKnownDevices(tx, context.orgId, user.id);
    record({ eventType: 'user.session.clear', target: [userTarget(user)] });
  });
}
