import type { Context } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { displayNameOf, localeOf, type UserRow } from '../../users/index.ts';
import type { FactorPorts } from '../ports.ts';

/** Tells a user by email that a factor of theirs was activated or removed, whoever did it. */
export async function tellUser(
  { users }: FactorPorts,
  tx: Tx,
  context: Context,
  kind: 'factorEnrolled' | 'factorsRemoved',
  user: UserRow,
): Promise<void> {
  await users.queueMail(tx, context, {
    kind,
    userId: user.id,
    recipient: user.profile.email,
    displayName: displayNameOf(user.profile),
    locale: localeOf(user.profile),
    url: `${context.canonicalUrl}/`,
    validMinutes: null,
  });
}
