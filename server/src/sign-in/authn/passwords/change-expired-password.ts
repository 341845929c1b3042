import type { Context } from '../../../kernel/context.ts';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import {
  countFailure,
  signInBlockOf,
  slowestProof,
  storeOwnPassword,
  type UserRow,
  userTarget,
} from '../../../management/users/index.ts';
import { canBePassword } from '../../../platform/crypto/passwords/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import type { AuthnPorts } from '../ports.ts';
import { deleteTransaction } from '../store.ts';
import type { FirstFactorAnswer } from '../transactions/authn-answer.ts';
import { admitGuess, countFailureOfClient, countImpossible } from '../transactions/limits.ts';
import {
  actingAs,
  countWrongTry,
  invalidToken,
  isAdmitted,
  lockOpened,
  type Opened,
  openTransaction,
} from '../transactions/transactions.ts';
import { assertAllowed, decideSignOn } from './complete-sign-in.ts';
import { hashNewPassword } from './new-password.ts';
import { signInAfterChange } from './sign-in-after-change.ts';
import { verifyPassword } from './verify-password.ts';

export interface ExpiredPasswordChange {
  readonly stateToken: string;
  /**
   * Null means that a page does not ask for the password again, because the sign-in that issued the state token
   * verified it.
   */
  readonly oldPassword: string | null;
  readonly newPassword: string;
}

const wrongPassword = (): ApiError =>
  apiError('E0000014', { causes: ['oldPassword: The credentials provided were incorrect.'] });

const changeFailed = (user: UserRow): NewEvent => ({
  eventType: 'user.account.update_password',
  target: [userTarget(user)],
  outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
});

/**
 * A string that cannot be a password counts as a failure only for the client's address. It costs no hash, so it must
 * not be a cheap way to lock a user out.
 */
async function refuseImpossible({ users }: AuthnPorts, context: Context, { user }: Opened): Promise<never> {
  await users.work(context, async (tx, record) => {
    record(changeFailed(user));
    await countImpossible(tx, record, context);
  });
  throw wrongPassword();
}

/** A right password also counts as wrong if the user may no longer sign in. */
async function proveOldPassword(
  ports: AuthnPorts,
  context: Context,
  opened: Opened,
  oldPassword: string,
): Promise<void> {
  if (!canBePassword(oldPassword)) return refuseImpossible(ports, context, opened);
  const slowest = slowestProof(ports.users, context, oldPassword);
  const { isRight } = await verifyPassword(ports.users, context, opened.state.password, oldPassword);
  const proof = await ports.users.work(context, async (tx, record) => {
    const locked = await lockOpened(tx, record, context, opened, 'changePassword');
    if (locked === null) return 'gone';
    const { policy, state, user } = locked;
    if (isRight && isAdmitted(locked) && signInBlockOf(state) === null) return 'proved';
    record(changeFailed(user));
    await countFailure(ports.users, tx, record, context, { user, policy, state });
    await countWrongTry(tx, context, locked);
    await countFailureOfClient(tx, record, context, user.login);
    return 'wrong';
  });
  if (proof === 'proved') return;
  await slowest.passed();
  if (proof === 'gone') throw invalidToken();
  throw wrongPassword();
}

/** A user may change an expired password even if the policy does not let users change their passwords. */
async function assertMayChange({ users }: AuthnPorts, context: Context, { transaction, user }: Opened): Promise<void> {
  if (transaction.status === 'PASSWORD_EXPIRED') return;
  if (!(await users.selfServiceFor(context, user)).mayChangePassword) throw apiError('E0000035');
}

/** Changes a password that has expired or soon will, and signs the user in. A wrong password counts towards lockout. */
export async function changeExpiredPassword(
  ports: AuthnPorts,
  given: Context,
  { newPassword, oldPassword, stateToken }: ExpiredPasswordChange,
): Promise<FirstFactorAnswer> {
  const opened = await openTransaction(ports, given, stateToken, 'changePassword');
  const context = actingAs(given, opened.user);
  await assertMayChange(ports, context, opened);
  if (oldPassword !== null) {
    await admitGuess(ports, context);
    await proveOldPassword(ports, context, opened, oldPassword);
  }
  const password = await hashNewPassword(ports, context, opened, newPassword);
  const decision = await decideSignOn(ports, context, opened.user.id);
  await assertAllowed(ports, context, opened, decision);
  const { policy, state, transaction, user } = opened;
  const isChanged = await ports.users.work(context, async (tx, record) => {
    const locked = await lockOpened(tx, record, context, opened, 'changePassword');
    if (locked === null || !isAdmitted(locked) || signInBlockOf(locked.state) !== null) return false;
    await deleteTransaction(tx, context.orgId, transaction.tokenHash);
    await storeOwnPassword(tx, record, context, locked.user, { password, action: 'changePassword', policy });
    return true;
  });
  if (!isChanged) throw invalidToken();
  const { relayState } = transaction.details;
  const changed = {
    userId: user.id,
    ordinal: state.ordinal + 1,
    decision,
    policy,
    relayState,
    origin: 'password',
  } as const;
  return signInAfterChange(ports, context, changed);
}
