import type { Context } from '../../../kernel/context.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { lockUser, resolveUserId, userTarget } from '../../users/index.ts';
import { type FactorPath, factorNotFound } from '../get-factors.ts';
import { assertMayRemove } from '../guards.ts';
import type { FactorPorts } from '../ports.ts';
import { deleteFactor, deleteFactors, type Factor, findFactorForUpdate } from '../store.ts';
import { factorChange } from '../wire.ts';
import { tellUser } from './tell-user.ts';

const isActive = ({ status }: Factor): boolean => status === 'ACTIVE';

export async function unenrollFactor(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  path: FactorPath,
): Promise<void> {
  const { users } = ports;
  const userId = await resolveUserId(users.db, context, path.userId, grant);
  await users.work(context, async (tx, record) => {
    const user = await lockUser(users, tx, context, grant, userId);
    assertMayRemove(context, user);
    const factor = await findFactorForUpdate(tx, context.orgId, user.id, path.factorId);
    if (factor === undefined) throw factorNotFound(path.factorId);
    await deleteFactor(tx, context.orgId, factor);
    record({ eventType: 'user.mfa.factor.deactivate', target: [userTarget(user), factorChange([factor, null])] });
    if (isActive(factor)) await tellUser(ports, tx, context, 'factorsRemoved', user);
  });
}

/** Removes all factors of a user. Nothing is recorded for a user without factors. */
export async function resetFactors(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
): Promise<void> {
  const { users } = ports;
  const userId = await resolveUserId(users.db, context, idOrLogin, grant);
  await users.work(context, async (tx, record) => {
    const user = await lockUser(users, tx, context, grant, userId);
    assertMayRemove(context, user);
    const removed = await deleteFactors(tx, context.orgId, user.id);
    if (removed.length === 0) return;
    const changes = removed.map((factor) => factorChange([factor, null]));
    record({ eventType: 'user.mfa.factor.reset_all', target: [userTarget(user), ...changes] });
    if (removed.some(isActive)) await tellUser(ports, tx, context, 'factorsRemoved', user);
  });
}

/** Removes the factors of a user who is deactivated, together with their other credentials. */
export async function wipeFactors(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  await deleteFactors(tx, orgId, userId);
}
