import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { eventOf } from '../lifecycle/change-status.ts';
import { refusalOf } from '../lifecycle/lifecycle.ts';
import type { UsersPorts } from '../ports.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import { issuePasswordResetToken } from '../recovery/recovery-tokens.ts';
import { lifecycleUserOf, userTarget } from '../wire.ts';
import type { ResetPassword } from './reset-password.ts';

/**
 * Starts a recovery without changing the password or the status. The link is sent by email, or returned when
 * `sendEmail` is false.
 */
export async function forgotPassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  options: { sendEmail: boolean },
): Promise<ResetPassword> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  const policy = await ports.passwordPolicyFor(context.orgId, { id: userId });
  const selfService = await ports.selfServiceFor(context, { id: userId });
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    const refusal = refusalOf(lifecycleUserOf(user), 'forgotPassword');
    if (refusal !== null) throw refusal;
    if (!selfService.mayResetPassword) throw apiError('E0000034');
    record({ eventType: eventOf('forgotPassword'), target: [userTarget(user)] });
    const permission = 'users.credentials.reset';
    const delivery = { sendMail: options.sendEmail, permission, path: 'signin/reset-password', policy } as const;
    const issued = await issuePasswordResetToken(ports, tx, context, user, delivery);
    return options.sendEmail ? {} : { resetPasswordUrl: issued.url };
  });
}
