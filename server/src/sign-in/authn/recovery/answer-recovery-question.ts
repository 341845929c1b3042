import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { isRightAnswer, slowestProof, unlockOwnAccount, userTarget } from '../../../management/users/index.ts';
import type { AuthnPorts } from '../ports.ts';
import type { UnderWay, Unlocked } from '../transactions/authn-answer.ts';
import { admitGuess, countFailureOfClient } from '../transactions/limits.ts';
import {
  actingAs,
  countWrongTry,
  endTransaction,
  invalidToken,
  isAdmitted,
  lockOpened,
  moveTransaction,
  openTransaction,
} from '../transactions/transactions.ts';

const FAILED = { PASSWORD: 'user.account.reset_password', UNLOCK: 'user.account.unlock_token' } as const;

/**
 * Checks the answer to the recovery question. A right answer leads to PASSWORD_RESET or unlocks the account. After a
 * few wrong answers, the recovery must start again.
 */
export async function answerRecoveryQuestion(
  ports: AuthnPorts,
  given: Context,
  { answer, stateToken }: { readonly stateToken: string; readonly answer: string },
): Promise<UnderWay | Unlocked> {
  const opened = await openTransaction(ports, given, stateToken, 'answer');
  const context = actingAs(given, opened.user);
  await admitGuess(ports, context);
  const slowest = slowestProof(ports.users, context, answer);
  const isRight = await isRightAnswer(ports.users, context, opened.state.recoveryAnswer, answer);
  const outcome = await ports.users.work(
    context,
    async (tx, record): Promise<UnderWay | Unlocked | 'gone' | 'wrong'> => {
      const locked = await lockOpened(tx, record, context, opened, 'answer');
      if (locked === null || !isAdmitted(locked)) return 'gone';
      const { policy, transaction, user } = locked;
      const { cause, relayState } = transaction.details;
      const isUnlock = cause === 'UNLOCK';
      if (!isRight) {
        const failure = { result: 'FAILURE', reason: 'INVALID_ANSWER' } as const;
        record({ eventType: FAILED[isUnlock ? 'UNLOCK' : 'PASSWORD'], target: [userTarget(user)], outcome: failure });
        await countWrongTry(tx, context, locked);
        await countFailureOfClient(tx, record, context, null);
        return 'wrong';
      }
      if (isUnlock) {
        await endTransaction(tx, context, locked);
        await unlockOwnAccount(tx, record, context, user);
        return { status: 'UNLOCKED', relayState };
      }
      const { expiresAt, status } = await moveTransaction(tx, context, locked, 'PASSWORD_RESET');
      return {
        status,
        stateToken,
        expiresAt,
        user,
        policy,
        cause,
        passwordExpireDays: null,
        relayState,
        factors: null,
      };
    },
  );
  if (outcome === 'gone' || outcome === 'wrong') await slowest.passed();
  if (outcome === 'gone') throw invalidToken();
  if (outcome === 'wrong') throw apiError('E0000087');
  return outcome;
}
