import type { UserRow } from '../records/user-row.ts';

/**
 * Returns the unverified email address of a user after a change to the profile; null when there is none. Addresses that
 * administrators set count as verified.
 */
export function unprovedEmailAfter(
  before: Pick<UserRow, 'profile' | 'unprovedEmail'>,
  after: Pick<UserRow, 'profile'>,
): string | null {
  const { email } = after.profile;
  return email === before.profile.email ? before.unprovedEmail : null;
}
