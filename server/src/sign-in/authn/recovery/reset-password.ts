import type { Context } from '../../../kernel/context.ts';
import { storeOwnPassword } from '../../../management/users/index.ts';
import type { Origin } from '../factors/complete-first-factor.ts';
import { assertAllowed, decideSignOn } from '../passwords/complete-sign-in.ts';
import { hashNewPassword } from '../passwords/new-password.ts';
import { signInAfterChange } from '../passwords/sign-in-after-change.ts';
import type { AuthnPorts } from '../ports.ts';
import type { FirstFactorAnswer } from '../transactions/authn-answer.ts';
import {
  actingAs,
  endTransaction,
  invalidToken,
  isAdmitted,
  lockOpened,
  type Opened,
  openTransaction,
} from '../transactions/transactions.ts';

/**
 * Tells what an activation proves. Only a link that was mailed shows that its user has the mailbox, and only before the
 * first sign-in does an account have nothing to protect. Otherwise, the new password stands for itself alone.
 */
const originOf = ({ transaction, user }: Opened): Origin =>
  transaction.details.isMailed === true && user.lastLoginAt === null ? 'activation' : 'password';

/** Sets the password at the end of an activation or a recovery, and signs the user in. */
export async function resetPassword(
  ports: AuthnPorts,
  given: Context,
  { newPassword, stateToken }: { readonly stateToken: string; readonly newPassword: string },
): Promise<FirstFactorAnswer> {
  const opened = await openTransaction(ports, given, stateToken, 'resetPassword');
  const context = actingAs(given, opened.user);
  const password = await hashNewPassword(ports, context, opened, newPassword);
  const decision = await decideSignOn(ports, context, opened.user.id);
  await assertAllowed(ports, context, opened, decision);
  const { policy, state, transaction, user } = opened;
  const origin = await ports.users.work(context, async (tx, record): Promise<Origin | null> => {
    const locked = await lockOpened(tx, record, context, opened, 'resetPassword');
    if (locked === null || !isAdmitted(locked)) return null;
    await endTransaction(tx, context, locked);
    const isActivation = locked.user.status === 'PROVISIONED';
    const action = isActivation ? 'completeActivation' : 'completeRecovery';
    await storeOwnPassword(tx, record, context, locked.user, { password, action, policy });
    return isActivation ? originOf(locked) : 'recovery';
  });
  if (origin === null) throw invalidToken();
  const { maker, relayState } = transaction.details;
  const changed = { userId: user.id, ordinal: state.ordinal + 1, decision, policy, relayState, origin };
  return signInAfterChange(ports, context, { ...changed, ...(maker === undefined ? {} : { maker }) });
}
