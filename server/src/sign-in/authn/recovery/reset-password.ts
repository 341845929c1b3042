import type { Context } from '../../../kernel/context.ts';
import { storeOwnPassword } from '../../../management/users/index.ts';
import { assertAllowed, decideSignOn, signInAfterChange } from '../passwords/complete-sign-in.ts';
import { hashNewPassword } from '../passwords/new-password.ts';
import type { AuthnPorts } from '../ports.ts';
import type { SignedIn } from '../transactions/authn-answer.ts';
import {
  actingAs,
  endTransaction,
  invalidToken,
  isAdmitted,
  lockOpened,
  openTransaction,
} from '../transactions/transactions.ts';

/** Sets the password at the end of an activation or a recovery, and signs the user in. */
export async function resetPassword(
  ports: AuthnPorts,
  given: Context,
  { newPassword, stateToken }: { readonly stateToken: string; readonly newPassword: string },
): Promise<SignedIn> {
  const opened = await openTransaction(ports, given, stateToken, 'resetPassword');
  const context = actingAs(given, opened.user);
  const password = await hashNewPassword(ports, context, opened, newPassword);
  const decision = await decideSignOn(ports, context, opened.user.id);
  await assertAllowed(ports, context, opened, decision);
  const { policy, state, transaction, user } = opened;
  const isReset = await ports.users.work(context, async (tx, record) => {
    const locked = await lockOpened(tx, record, context, opened, 'resetPassword');
    if (locked === null || !isAdmitted(locked)) return false;
    await endTransaction(tx, context, locked);
    const action = locked.user.status === 'PROVISIONED' ? 'completeActivation' : 'completeRecovery';
    await storeOwnPassword(tx, record, context, locked.user, { password, action, policy });
    return true;
  });
  if (!isReset) throw invalidToken();
  const { relayState } = transaction.details;
  const changed = { userId: user.id, ordinal: state.ordinal + 1, decision, policy, relayState };
  return signInAfterChange(ports, context, changed);
}
