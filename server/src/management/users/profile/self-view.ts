import { isDeepStrictEqual } from 'node:util';
import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { type ProfileAttribute, type ProfileInput, type ProfileSchema, readUserSchemas } from '../../schemas/index.ts';
import { wrongPassword } from '../passwords/prove-password.ts';
import type { UsersPorts } from '../ports.ts';
import type { UserRow } from '../records/user-row.ts';
import type { UserProfile } from './profile.ts';

export const seesOnlyItself = (context: Context, grant: Grant): boolean =>
  grant.kind === 'ids' && grant.ids.every((id) => id === userIdOf(context.principal));

/** Finds the attributes that any of the org's user types hides from its users (`permissions` HIDE). */
export async function hiddenFromSelf(ports: Pick<UsersPorts, 'db'>, context: Context): Promise<ReadonlySet<string>> {
  const schemas = await readUserSchemas(ports.db, context.orgId);
  return new Set(
    schemas.flatMap(({ schema }) =>
      [...schema].flatMap(([name, { permissions }]) => (permissions[0].action === 'HIDE' ? [name] : [])),
    ),
  );
}

/** `login` and `email` always stay. */
export function withoutHidden(user: UserRow, hidden: ReadonlySet<string>): UserRow {
  const shown = Object.entries(user.profile).filter(([name]) => !hidden.has(name));
  const { email, login } = user.profile;
  return { ...user, profile: { ...Object.fromEntries(shown), login, email } };
}

export const isOwnToWrite = ({ mutability, permissions }: ProfileAttribute): boolean =>
  permissions[0].action === 'READ_WRITE' && mutability !== 'READ_ONLY';

/** The attributes by which a user signs in or is reached. */
const WAYS_IN: ReadonlySet<string> = new Set(['login', 'email', 'secondEmail']);

export const changedNames = (before: UserProfile, given: ProfileInput): string[] =>
  Object.keys(given).filter((name) => !isDeepStrictEqual(before[name] ?? null, given[name] ?? null));

/**
 * Returns whether a change needs the password. Without this rule, somebody who finds a signed-in browser could change
 * the login or an address, and keep access for good.
 */
export const needsProof = (before: UserProfile, given: ProfileInput): boolean =>
  changedNames(before, given).some((name) => WAYS_IN.has(name));

export interface Owner {
  readonly hasProvedPassword: boolean;
}

export function assertOwnWrite(owner: Owner, before: UserProfile, given: ProfileInput, schema: ProfileSchema): void {
  const isClosed = (name: string): boolean => {
    const definition = schema.get(name);
    return definition !== undefined && !isOwnToWrite(definition);
  };
  if (changedNames(before, given).some(isClosed)) throw apiError('E0000006');
  if (!owner.hasProvedPassword && needsProof(before, given)) throw wrongPassword('password');
}
