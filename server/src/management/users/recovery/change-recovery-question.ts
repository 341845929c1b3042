import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { storeRecoveryAnswer } from '../account/sign-in-store.ts';
import { eventOf } from '../lifecycle/change-status.ts';
import { refusalOf } from '../lifecycle/lifecycle.ts';
import { readCredentials } from '../passwords/new-credentials.ts';
import { findPasswordState } from '../passwords/password-store.ts';
import { provePassword } from '../passwords/prove-password.ts';
import type { UsersPorts } from '../ports.ts';
import { profileChange } from '../records/change-details.ts';
import { getUser } from '../records/get-user.ts';
import { lockUser } from '../records/guards.ts';
import type { UserRow } from '../records/user-row.ts';
import { updateUser } from '../store.ts';
import { lifecycleUserOf, userTarget, userVersion } from '../wire.ts';

export interface RecoveryQuestionChange {
  readonly password: string;
  readonly question: string;
  readonly answer: string;
}

/** Sets the recovery question and its answer after verifying the password. */
export async function changeRecoveryQuestion(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  change: RecoveryQuestionChange,
): Promise<UserRow> {
  const seen = await getUser(ports, context, grant, idOrLogin);
  const early = refusalOf(lifecycleUserOf(seen), 'changeRecoveryQuestion');
  if (early !== null) throw early;
  const policy = await ports.passwordPolicyFor(context.orgId, seen);
  const state = await findPasswordState(ports.db, context.orgId, seen.id, policy.age.historyCount);
  const proof = { user: seen, state, policy, action: 'changeRecoveryQuestion', field: 'password' } as const;
  await provePassword(ports, context, grant, { ...proof, password: change.password });
  const input = { recovery_question: { question: change.question, answer: change.answer } };
  const { recoveryAnswer, recoveryQuestion } = await readCredentials(ports, context, policy, input, seen);
  return ports.work(context, async (tx, record) => {
    const user = await lockUser(ports, tx, context, grant, seen.id);
    assertVersion(context, userVersion(user));
    const refusal = refusalOf(lifecycleUserOf(user), 'changeRecoveryQuestion');
    if (refusal !== null) throw refusal;
    if (recoveryAnswer !== null) await storeRecoveryAnswer(tx, context.orgId, user.id, recoveryAnswer);
    const after = { ...user, recoveryQuestion, lastUpdatedAt: wholeSecond(context.now) };
    const changed = await updateUser(tx, context.orgId, user, after);
    const target = profileChange(user, changed) ?? userTarget(changed);
    record({ eventType: eventOf('changeRecoveryQuestion'), target: [target] });
    return changed;
  });
}
