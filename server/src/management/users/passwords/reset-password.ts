import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { noteLockout } from '../account/sign-in-store.ts';
import { eventOf, movedTo } from '../lifecycle/change-status.ts';
import { nextStatus, refusalOf } from '../lifecycle/lifecycle.ts';
import type { UsersPorts } from '../ports.ts';
import { accountChange } from '../records/change-details.ts';
import { lockUser, resolveUserId } from '../records/guards.ts';
import type { UserRow } from '../records/user-row.ts';
import { dropRecoveryTokens } from '../recovery/recovery-token-store.ts';
import { issuePasswordResetToken } from '../recovery/recovery-tokens.ts';
import { updateUser } from '../store.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';
import { wipePassword } from './password-store.ts';

export interface ResetPassword {
  readonly resetPasswordUrl?: string;
}

/** Turns a user of a federated or social provider into a user of this service (OpenAPI: resetPassword). */
const takenBack = (user: UserRow, context: Context): UserRow =>
  lifecycleUserOf(user).signsInElsewhere
    ? { ...user, providerType: 'INTERNAL', providerName: '', lastUpdatedAt: wholeSecond(context.now) }
    : user;

/** Resets a password; the user goes to RECOVERY. The link is sent by email, or returned when `sendEmail` is false. */
export async function resetPassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  options: { sendEmail: boolean },
): Promise<ResetPassword> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  const policy = await ports.passwordPolicyFor(context.orgId, { id: userId });
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    const status = nextStatus(lifecycleUserOf(user), 'resetPassword') ?? user.status;
    const after = takenBack(movedTo(user, status, context), context);
    const changed = after === user ? user : await updateUser(tx, context.orgId, user, after);
    await noteLockout(tx, context.orgId, user.id, null);
    record({ eventType: eventOf('resetPassword'), target: [accountChange([user, changed])] });
    const permission = 'users.credentials.reset';
    const delivery = { sendMail: options.sendEmail, permission, path: 'reset_password', policy } as const;
    const issued = await issuePasswordResetToken(ports, tx, context, changed, delivery);
    return options.sendEmail ? {} : { resetPasswordUrl: issued.url };
  });
}

/**
 * Makes another provider authenticate the user, and removes the password. Refuses the last super administrator, whom
 * the other provider could lock out.
 */
export async function moveToFederation(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  provider: string,
): Promise<ResetPassword> {
  if (provider !== 'FEDERATION') throw invalid('provider', 'must be FEDERATION.');
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, userId);
    assertVersion(context, userVersion(user));
    const refusal = refusalOf(lifecycleUserOf(user), 'resetPasswordFederation');
    if (refusal !== null) throw refusal;
    await ports.assertNotLastSuperAdmin(tx, context.orgId, user.id);
    await wipePassword(tx, context.orgId, user.id);
    await dropRecoveryTokens(tx, context.orgId, user.id);
    const provided = { providerType: 'FEDERATION', providerName: 'FEDERATION' } as const;
    const lastUpdatedAt = wholeSecond(context.now);
    const after = { ...user, ...provided, hasPassword: false, passwordChangedAt: null, lastUpdatedAt };
    const changed = await updateUser(tx, context.orgId, user, after);
    record({ eventType: eventOf('resetPasswordFederation'), target: [accountChange([user, changed])] });
    return {};
  });
}
