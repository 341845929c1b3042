import type { Context } from '../../../kernel/context.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { ProfileInput } from '../../schemas/index.ts';
import { findPasswordState } from '../passwords/password-store.ts';
import { provePassword } from '../passwords/prove-password.ts';
import type { UsersPorts } from '../ports.ts';
import { getUser } from '../records/get-user.ts';
import { updateUserProfile } from '../records/update-user.ts';
import type { UserRow } from '../records/user-row.ts';
import { needsProof } from './self-view.ts';

export interface OwnProfileChange {
  /** Null removes an attribute or restores its default. */
  readonly profile: ProfileInput;
  /** The password that a change of the login or an address requires; empty if the caller gave none. */
  readonly password: string;
}

export async function updateOwnProfile(
  ports: UsersPorts,
  context: Context,
  grant: Grant,
  { password, profile }: OwnProfileChange,
): Promise<UserRow> {
  const user = await getUser(ports, context, grant, 'me');
  const hasProvedPassword = needsProof(user.profile, profile);
  if (hasProvedPassword) {
    if (password === '') throw required('password');
    const policy = await ports.passwordPolicyFor(context.orgId, user);
    const state = await findPasswordState(ports.db, context.orgId, user.id, policy.age.historyCount);
    const proof = { user, state, policy, action: 'changePassword', field: 'password', password } as const;
    await provePassword(ports, context, grant, { ...proof, eventType: 'user.account.update_profile' });
  }
  const options = { mode: 'merge', strict: false, owner: { hasProvedPassword } } as const;
  return updateUserProfile(ports, context, grant, user.id, { profile }, options);
}
