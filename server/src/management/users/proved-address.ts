import type { UserRow } from './user-row.ts';

/**
 * The address of a user that nobody proved, once his profile has changed; null: there is none. What its owner writes he
 * has not proved; what anybody else does (an administrator, an import) is said by whoever answers for the org's users.
 */
export function unprovedEmailAfter(
  before: Pick<UserRow, 'profile' | 'unprovedEmail'>,
  after: Pick<UserRow, 'profile'>,
  writer: 'owner' | 'administrator',
): string | null {
  const { email } = after.profile;
  if (email === before.profile.email) return before.unprovedEmail;
  return writer === 'owner' && typeof email === 'string' ? email : null;
}
