import { type Context, userIdOf } from '../../kernel/context.ts';
import type { Grant } from '../../platform/http/index.ts';
import type { UsersPorts } from './ports.ts';
import type { UserRow } from './user-row.ts';

/** Whether a caller sees nobody but itself: no role opens users to it. */
export const seesOnlyItself = (context: Context, grant: Grant): boolean =>
  grant.kind === 'ids' && grant.ids.every((id) => id === userIdOf(context.principal));

/** Attributes that users may not see of themselves (`permissions` HIDE), in any of the org's user types. */
export async function hiddenFromSelf(
  ports: Pick<UsersPorts, 'db' | 'schemasOf'>,
  context: Context,
): Promise<ReadonlySet<string>> {
  const schemas = await ports.schemasOf(ports.db, context.orgId);
  return new Set(
    schemas.flatMap(({ schema }) =>
      [...schema].flatMap(([name, { permissions }]) => (permissions[0].action === 'HIDE' ? [name] : [])),
    ),
  );
}

/** A user without the attributes that are hidden. */
export function withoutHidden(user: UserRow, hidden: ReadonlySet<string>): UserRow {
  const shown = Object.entries(user.profile).filter(([name]) => !hidden.has(name));
  const { email, login } = user.profile;
  return { ...user, profile: { ...Object.fromEntries(shown), login, email } };
}
