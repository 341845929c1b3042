import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { causesAgainst, findPasswordState, hashFor, reuseCauses } from '../../../management/users/index.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { AuthnPorts } from '../ports.ts';
import { invalidToken, type Opened } from '../transactions/transactions.ts';

export async function hashNewPassword(
  { users }: AuthnPorts,
  context: Context,
  { policy, state: seen, user }: Opened,
  newPassword: string,
): Promise<StoredPassword> {
  const causes = await causesAgainst(users, context, policy, newPassword, user);
  if (causes.length === 0) {
    const state = await findPasswordState(users.db, context.orgId, user.id, policy.age.historyCount);
    if (state.ordinal !== seen.ordinal) throw invalidToken();
    causes.push(...(await reuseCauses(users, context, policy, state, newPassword)));
  }
  if (causes.length > 0) throw apiError('E0000080', { causes });
  return hashFor(users, context, newPassword);
}
