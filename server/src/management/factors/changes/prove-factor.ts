import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { lockUser, resolveUserId, userToSetCredentialsOf } from '../../users/index.ts';
import type { FactorProof } from '../contract.ts';
import { type FactorPath, factorNotFound, type OwnedFactor } from '../get-factors.ts';
import { assertInUse, assertNotWaiting } from '../guards.ts';
import type { FactorPorts } from '../ports.ts';
import { findFactor } from '../store.ts';
import { assertMayProve, type FactorAction, judgeOf, REFUSALS_OF_PROOF, settleProof } from './settle-proof.ts';

/**
 * Verifies a factor, or activates a pending one with the first code of its device. Throws 403 E0000068 for a wrong code
 * or answer and 403 E0000082 for a code that was used before. Both are counted, and too many in a row make the factor
 * wait (429 E0000047).
 */
export async function proveFactor(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  path: FactorPath,
  action: FactorAction,
  given: FactorProof,
): Promise<OwnedFactor> {
  const { db } = ports.users;
  const userId = await resolveUserId(db, context, path.userId, grant);
  // The rights are checked before the factor is looked up or anything is hashed, and again under the lock.
  const user = await userToSetCredentialsOf(ports.users, context, grant, userId);
  const seen = await findFactor(db, context.orgId, user.id, path.factorId);
  if (seen === undefined) throw factorNotFound(path.factorId);
  assertInUse(user);
  assertMayProve(seen, action);
  assertNotWaiting(context, seen);
  const judge = await judgeOf(ports, context, seen, given);
  const settled = await ports.users.work(context, async (tx, record): Promise<OwnedFactor | 'wrong' | 'replayed'> => {
    const locked = await lockUser(ports.users, tx, context, grant, user.id);
    const proof = { user: locked, factorId: seen.id, action, judge };
    const proved = await settleProof(ports, tx, record, context, proof);
    return typeof proved === 'string' ? proved : { user: locked, factor: proved };
  });
  if (typeof settled === 'string') throw apiError(REFUSALS_OF_PROOF[settled]);
  return settled;
}
