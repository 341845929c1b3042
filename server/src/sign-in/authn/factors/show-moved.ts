import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { AuthnPorts } from '../ports.ts';
import type { UnderWay } from '../transactions/authn-answer.ts';
import { invalidToken, type Opened } from '../transactions/transactions.ts';
import { readShownFactors } from './shown-factors.ts';

/** Renders a sign-in in a state of second factors. Throws 401 E0000011 if the factor of the state is gone. */
export async function showMoved(
  ports: AuthnPorts,
  db: Db,
  context: Context,
  { policy, transaction, user }: Opened,
  stateToken: string,
): Promise<UnderWay> {
  const { details, expiresAt, status } = transaction;
  const factors = await readShownFactors(ports, db, context, user, transaction);
  if (factors === undefined) throw invalidToken();
  const { cause, relayState } = details;
  return { status, stateToken, expiresAt, user, policy, cause, passwordExpireDays: null, relayState, factors };
}
