import type { Context } from '../../../kernel/context.ts';
import { findRecoveryToken, findUserById, proveAddress } from '../../../management/users/index.ts';
import { hashSecret } from '../../../platform/crypto/secrets.ts';
import type { AuthnPorts } from '../ports.ts';
import { admitGuess } from '../transactions/limits.ts';
import { actingAs } from '../transactions/transactions.ts';
import { refuseToken } from './redeem-token.ts';

/** Verifies a user's email address by the token that was sent there, without a sign-in. */
export async function redeemAddress(ports: AuthnPorts, given: Context, token: string): Promise<void> {
  await admitGuess(ports, given);
  const hash = hashSecret(token);
  const { db } = ports.users;
  const found = await findRecoveryToken(db, given.orgId, hash);
  const user = found === undefined ? undefined : await findUserById(db, given.orgId, found.userId);
  const isTaken = user !== undefined && (await proveAddress(ports.users, actingAs(given, user), user.id, hash));
  if (!isTaken) await refuseToken(ports, given);
}
