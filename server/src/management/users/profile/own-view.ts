import { isDeepStrictEqual } from 'node:util';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { ProfileAttribute, ProfileInput, ProfileSchema } from '../../schemas/index.ts';
import { wrongPassword } from '../passwords/prove-password.ts';
import type { UsersPorts } from '../ports.ts';
import type { UserRow } from '../records/user-row.ts';
import type { UserProfile } from './profile.ts';

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

/** Whether users may write an attribute of themselves (`permissions` READ_WRITE), as far as anybody may. */
export const isOwnToWrite = ({ mutability, permissions }: ProfileAttribute): boolean =>
  permissions[0].action === 'READ_WRITE' && mutability !== 'READ_ONLY';

/** Who somebody is known by, and where a mail reaches them that sets a new password. */
const WAYS_IN: ReadonlySet<string> = new Set(['login', 'email', 'secondEmail']);

/** Names of attributes that a change of the profile gives another value. */
export const changedNames = (before: UserProfile, given: ProfileInput): string[] =>
  Object.keys(given).filter((name) => !isDeepStrictEqual(before[name] ?? null, given[name] ?? null));

/** Whether a change needs more than a session: a browser left open must not become a way in for ever. */
export const needsProof = (before: UserProfile, given: ProfileInput): boolean =>
  changedNames(before, given).some((name) => WAYS_IN.has(name));

/** How somebody changes the own profile. */
export interface Owner {
  readonly hasProvedPassword: boolean;
}

/** 403 E0000006 for a change of what users may not write themselves, E0000014 for a way in without the password. */
export function assertOwnWrite(owner: Owner, before: UserProfile, given: ProfileInput, schema: ProfileSchema): void {
  const isClosed = (name: string): boolean => {
    const definition = schema.get(name);
    return definition !== undefined && !isOwnToWrite(definition);
  };
  if (changedNames(before, given).some(isClosed)) throw apiError('E0000006');
  if (!owner.hasProvedPassword && needsProof(before, given)) throw wrongPassword('password');
}
