import type { LinkMaker } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { SignOnDecision } from '../../../management/policies/index.ts';
import type { PasswordPolicy } from '../../../management/users/index.ts';
import { completeFirstFactor, type Origin } from '../factors/complete-first-factor.ts';
import type { AuthnPorts } from '../ports.ts';
import type { FirstFactorAnswer } from '../transactions/authn-answer.ts';
import { lockSubject } from '../transactions/transactions.ts';
import { authenticationFailed, refusalOfSubject } from './complete-sign-in.ts';
import { signInFailed, signOnEvaluated } from './sign-in-events.ts';

export interface ChangedPassword {
  readonly userId: string;
  /** The ordinal of the new password. A later one in the database means that the password has been changed again. */
  readonly ordinal: number;
  readonly decision: SignOnDecision;
  readonly policy: PasswordPolicy;
  readonly relayState: string | null;
  readonly origin: Origin;
  /** The maker of the one-time link by which the user has set the password. */
  readonly maker?: LinkMaker | null;
}

/** Signs in with the new password, in a unit of work of its own, because the change voids all earlier credentials. */
export async function signInAfterChange(
  ports: AuthnPorts,
  context: Context,
  { ordinal, userId, ...changed }: ChangedPassword,
): Promise<FirstFactorAnswer> {
  const answer = await ports.users.work(context, async (tx, record) => {
    const subject = await lockSubject(tx, record, context, userId, changed.policy);
    if (subject === null) return null;
    const refusal = subject.state.ordinal === ordinal ? refusalOfSubject(subject) : 'INVALID_CREDENTIALS';
    if (refusal !== null) {
      record(signInFailed(subject.user, refusal));
      return null;
    }
    record(signOnEvaluated(subject.user, changed.decision));
    const first = { ...changed, rehashed: null, passwordVerifiedAt: context.now };
    return completeFirstFactor(ports, tx, record, context, subject, first);
  });
  if (answer === null) throw authenticationFailed();
  return answer;
}
