import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { isRightAnswer, storeOwnPassword } from '../account/self-service.ts';
import { findSignInState } from '../account/sign-in-store.ts';
import { refusalOf } from '../lifecycle/lifecycle.ts';
import { assertAcceptable, assertNotReused, changedMeanwhile, hashFor } from '../passwords/password-changes.ts';
import { findPasswordState } from '../passwords/password-store.ts';
import { assertProved } from '../passwords/prove-password.ts';
import { slowestProof } from '../passwords/slowest-proof.ts';
import type { UsersPorts } from '../ports.ts';
import { getUser } from '../records/get-user.ts';
import { lockUser } from '../records/guards.ts';
import { ownsPassword, type UserRow } from '../records/user-row.ts';
import { lifecycleUserOf, userVersion } from '../wire.ts';

export interface PasswordRecovery {
  readonly answer: string;
  readonly newPassword: string;
}

/** Sets a new password for a user who answers the recovery question. */
export async function recoverPassword(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  { answer, newPassword }: PasswordRecovery,
): Promise<UserRow> {
  const seen = await getUser(ports, context, grant, idOrLogin);
  const early = refusalOf(lifecycleUserOf(seen), 'forgotPassword');
  if (early !== null) throw early;
  const { mayResetPassword, question } = await ports.selfServiceFor(context, seen);
  if (!mayResetPassword || question === 'never' || !ownsPassword(seen)) throw apiError('E0000034');
  const policy = await ports.passwordPolicyFor(context.orgId, seen);
  const signIn = await findSignInState(ports.db, context.orgId, seen.id, null);
  const state = await findPasswordState(ports.db, context.orgId, seen.id, policy.age.historyCount);
  const slowest = slowestProof(ports, context, answer);
  const isRight = await isRightAnswer(ports, context, signIn?.recoveryAnswer ?? null, answer);
  const proof = { user: seen, policy, action: 'forgotPassword', reason: 'INVALID_ANSWER' } as const;
  await assertProved(ports, context, grant, { ...proof, isRight, refusal: apiError('E0000087'), slowest });
  await assertAcceptable(ports, context, policy, newPassword, seen);
  await assertNotReused(ports, context, policy, state, newPassword);
  const password = await hashFor(ports, context, newPassword);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, seen.id);
    assertVersion(context, userVersion(user));
    const refusal = refusalOf(lifecycleUserOf(user), 'forgotPassword');
    if (refusal !== null) throw refusal;
    const now = await findSignInState(tx, context.orgId, seen.id, null);
    if (now?.ordinal !== state.ordinal || !isDeepStrictEqual(now.recoveryAnswer, signIn?.recoveryAnswer)) {
      throw changedMeanwhile();
    }
    return storeOwnPassword(tx, record, context, user, { password, action: 'completeRecovery', policy });
  });
}
