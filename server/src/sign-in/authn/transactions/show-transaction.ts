import type { Context } from '../../../kernel/context.ts';
import { readShownFactors } from '../factors/shown-factors.ts';
import type { AuthnPorts } from '../ports.ts';
import { passwordAgeOf } from '../rules.ts';
import { deleteTransaction } from '../store.ts';
import type { UnderWay } from './authn-answer.ts';
import { actingAs, invalidToken, lockOpened, moveTransaction, openTransaction } from './transactions.ts';

/** Returns the state of a sign-in. With `slide`, also extends the lifetime of the state token. */
export async function showTransaction(
  ports: AuthnPorts,
  given: Context,
  stateToken: string,
  { slide }: { readonly slide: boolean },
): Promise<UnderWay> {
  const opened = await openTransaction(ports, given, stateToken, 'current');
  const { policy, user } = opened;
  const context = actingAs(given, user);
  const transaction = slide
    ? await ports.users.work(context, async (tx, record) => {
        const locked = await lockOpened(tx, record, context, opened, 'current');
        return locked === null ? null : moveTransaction(tx, context, locked, locked.transaction.status);
      })
    : opened.transaction;
  if (transaction === null) throw invalidToken();
  const { details, expiresAt, status } = transaction;
  const age = passwordAgeOf(policy.age, user.passwordChangedAt, context.now);
  const passwordExpireDays = status === 'PASSWORD_WARN' && age.kind === 'endsSoon' ? age.days : null;
  const { cause, relayState } = details;
  const factors = await readShownFactors(ports, ports.users.db, context, user, transaction);
  if (factors === undefined) throw invalidToken();
  return { status, stateToken, expiresAt, user, policy, cause, passwordExpireDays, relayState, factors };
}

export async function cancelTransaction(
  ports: AuthnPorts,
  context: Context,
  stateToken: string,
): Promise<{ readonly relayState: string | null }> {
  const { transaction } = await openTransaction(ports, context, stateToken, 'cancel');
  await ports.users.work(context, (tx) => deleteTransaction(tx, context.orgId, transaction.tokenHash));
  return { relayState: transaction.details.relayState };
}
