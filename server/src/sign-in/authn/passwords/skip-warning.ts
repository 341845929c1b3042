import type { Context } from '../../../kernel/context.ts';
import { completeFirstFactor } from '../factors/complete-first-factor.ts';
import type { AuthnPorts } from '../ports.ts';
import { deleteTransaction } from '../store.ts';
import type { FirstFactorAnswer } from '../transactions/authn-answer.ts';
import { actingAs, invalidToken, lockOpened, openTransaction } from '../transactions/transactions.ts';
import { assertAllowed, authenticationFailed, decideSignOn, refusalOfSubject } from './complete-sign-in.ts';
import { signInFailed, signOnEvaluated } from './sign-in-events.ts';

/** Signs in with a password that will expire soon, without changing it now. */
export async function skipWarning(ports: AuthnPorts, given: Context, stateToken: string): Promise<FirstFactorAnswer> {
  const opened = await openTransaction(ports, given, stateToken, 'skip');
  const context = actingAs(given, opened.user);
  const decision = await decideSignOn(ports, context, opened.user.id);
  await assertAllowed(ports, context, opened, decision);
  const outcome = await ports.users.work(
    context,
    async (tx, record): Promise<FirstFactorAnswer | 'gone' | 'refused'> => {
      const locked = await lockOpened(tx, record, context, opened, 'skip');
      if (locked === null) return 'gone';
      const { policy, transaction, user } = locked;
      const refusal = refusalOfSubject(locked);
      if (refusal !== null) {
        await deleteTransaction(tx, context.orgId, transaction.tokenHash);
        record(signInFailed(user, refusal));
        return 'refused';
      }
      record(signOnEvaluated(user, decision));
      const { issuedAt, details } = transaction;
      const when = { passwordVerifiedAt: issuedAt, authenticatedAt: issuedAt };
      const granted = { decision, rehashed: null, relayState: details.relayState, ...when };
      const first = { ...granted, policy, origin: 'password', opened: locked } as const;
      return completeFirstFactor(ports, tx, record, context, locked, first);
    },
  );
  if (outcome === 'gone') throw invalidToken();
  if (outcome === 'refused') throw authenticationFailed();
  return outcome;
}
