import { type Context, userIdOf } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { UserMail, UsersPorts } from '../ports.ts';
import { shownProfile } from '../profile/attribute-limits.ts';
import type { UserRow } from '../records/user-row.ts';
import { findUserById } from '../store.ts';
import { displayNameOf, localeOf } from '../wire.ts';

/** Confirms a change by email to the administrator who made it. A service app gets no email. */
export async function mailAdministrator(
  { queueMail }: Pick<UsersPorts, 'queueMail'>,
  tx: Tx,
  context: Context,
  kind: Extract<UserMail['kind'], 'deactivation' | 'appRemoved'>,
  user: UserRow,
): Promise<void> {
  const administratorId = userIdOf(context.principal);
  const administrator = administratorId === null ? undefined : await findUserById(tx, context.orgId, administratorId);
  if (administrator === undefined) return;
  // The email must not show more of the user than the administrator may see.
  const { login } = shownProfile(context, user.id, user.profile);
  await queueMail(tx, context, {
    kind,
    userId: administrator.id,
    recipient: administrator.profile.email,
    displayName: displayNameOf(administrator.profile),
    locale: localeOf(administrator.profile),
    url: `${context.canonicalUrl}/account/sessions`,
    about: typeof login === 'string' ? login : user.id,
    validMinutes: null,
  });
}
