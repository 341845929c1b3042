import type { Context } from '../../../kernel/context.ts';
import type { AuthnPorts } from '../ports.ts';
import type { UnderWay } from '../transactions/authn-answer.ts';
import {
  actingAs,
  invalidToken,
  lockAdmitted,
  moveTransaction,
  openTransaction,
} from '../transactions/transactions.ts';
import { showMoved } from './show-moved.ts';

/** Returns to the choice of a factor, or of the kind of factor to enroll. */
export async function goBack(ports: AuthnPorts, given: Context, stateToken: string): Promise<UnderWay> {
  const opened = await openTransaction(ports, given, stateToken, 'previous');
  const context = actingAs(given, opened.user);
  const shown = await ports.users.work(context, async (tx, record) => {
    const locked = await lockAdmitted(tx, record, context, opened, 'previous');
    if (locked === null) return null;
    const status = locked.transaction.status === 'MFA_CHALLENGE' ? 'MFA_REQUIRED' : 'MFA_ENROLL';
    const transaction = await moveTransaction(tx, context, locked, status, { factorId: null });
    return showMoved(ports, tx, context, { ...locked, transaction }, stateToken);
  });
  if (shown === null) throw invalidToken();
  return shown;
}
