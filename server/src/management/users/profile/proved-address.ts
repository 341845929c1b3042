import type { UserRow } from '../records/user-row.ts';

/**
 * The address of a user that nobody proved, once his profile has changed; null: there is none. What an administrator or
 * an import writes is said by whoever answers for the org's users; what its owner wants waits until he has proved it.
 */
export function unprovedEmailAfter(
  before: Pick<UserRow, 'profile' | 'unprovedEmail'>,
  after: Pick<UserRow, 'profile'>,
): string | null {
  const { email } = after.profile;
  return email === before.profile.email ? before.unprovedEmail : null;
}
