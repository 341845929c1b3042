import type { Context } from '../../../kernel/context.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange } from '../records/change-details.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import { issueActivationToken, issueWelcomeToken } from '../recovery/recovery-tokens.ts';
import { updateUser } from '../store.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { eventOf, movedTo } from './change-status.ts';
import { nextStatus } from './lifecycle.ts';

/** The token and its link, for a caller who passes them on. Both are absent if the caller asked for an email. */
export interface Activation {
  readonly activationUrl?: string;
  readonly activationToken?: string;
}

/**
 * Activates a user, or renews the activation. Without `sendEmail`, the result contains a token. Recordings show this
 * even for users who become ACTIVE. With `sendEmail`, the token is sent by email, but users who become ACTIVE get none.
 */
export async function activateUser(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  action: 'activate' | 'reactivate',
  options: { sendEmail: boolean },
): Promise<Activation> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    const status = nextStatus(lifecycleUserOf(user), action) ?? user.status;
    // A process of a version without factors deactivates users and keeps their factors.
    if (user.status === 'DEPROVISIONED') await ports.wipeFactors(tx, context.orgId, user.id);
    const after = movedTo(user, status, context);
    const changed = after === user ? user : await updateUser(tx, context.orgId, user, after);
    record({ eventType: eventOf(action), target: [accountChange([user, changed])] });
    if (status === 'ACTIVE') {
      if (options.sendEmail) return {};
      const { token, url } = await issueWelcomeToken(ports, tx, context, changed);
      return { activationUrl: url, activationToken: token };
    }
    const delivery = { sendMail: options.sendEmail, permission: 'users.lifecycle.activate' } as const;
    const issued = await issueActivationToken(ports, tx, context, changed, delivery);
    return options.sendEmail ? {} : { activationUrl: issued.url, activationToken: issued.token };
  });
}
