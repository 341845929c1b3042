import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { Grant } from '../../platform/http/index.ts';
import { getUser, type UserRow } from '../users/index.ts';
import type { FactorPorts } from './ports.ts';
import { type Factor, findFactor, readFactors } from './store.ts';

export interface OwnedFactor {
  readonly user: UserRow;
  readonly factor: Factor;
}

export interface FactorPath {
  readonly userId: string;
  readonly factorId: string;
}

export const factorNotFound = (id: string) => notFound(id, 'UserFactor');

export async function listFactors(
  { users }: FactorPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
): Promise<{ readonly user: UserRow; readonly factors: readonly Factor[] }> {
  const user = await getUser(users, context, grant, idOrLogin);
  return { user, factors: await readFactors(users.db, context.orgId, user.id) };
}

export async function getFactor(
  { users }: FactorPorts,
  context: Context,
  grant: Grant,
  path: FactorPath,
): Promise<OwnedFactor> {
  const user = await getUser(users, context, grant, path.userId);
  const factor = await findFactor(users.db, context.orgId, user.id, path.factorId);
  if (factor === undefined) throw factorNotFound(path.factorId);
  return { user, factor };
}
