import type { HeldRole } from '../kernel/words/held-role.ts';
import type { Grant } from '../platform/http/index.ts';
import { firmGrantOf, grantOf, isPartOf } from './holders/grants.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';

const PERMISSION_SET: ReadonlySet<string> = new Set(PERMISSIONS);

/** The permissions that every user has for their own account, without any role. */
export const OWN: ReadonlySet<string> = new Set<Permission>(['users.read']);

export interface Subject {
  /** The user whose own account a grant may cover. It is null if there is no such user. */
  readonly userId: string | null;
  readonly roles: readonly HeldRole[];
  /** The scopes of an OAuth token, such as `users.read`. The member is absent or null for other credentials. */
  readonly scopes?: readonly string[] | null;
}

const isAll = (grant: Grant | null): boolean => grant !== null && grant.kind === 'all';

/** Tells whether the roles give every permission, for all resources and all profile attributes. */
export const holdsEverything = (roles: readonly HeldRole[]): boolean =>
  roles.some(({ type }) => type === 'SUPER_ADMIN') ||
  PERMISSIONS.every((permission) => isAll(firmGrantOf(roles, permission)));

const isScopeHeld = (held: readonly string[], scope: string): boolean =>
  held.includes(scope) || (scope.endsWith('.read') && held.includes(scope.replace(/\.read$/, '.manage')));

/** A `.manage` scope includes the `.read` scope of the same resource. */
export const lacksScope = ({ scopes }: Pick<Subject, 'scopes'>, asked: readonly string[]): boolean =>
  scopes !== undefined && scopes !== null && !asked.every((scope) => isScopeHeld(scopes, scope));

function withOwn(grant: Grant | null, own: string): Grant {
  if (grant === null) return { kind: 'ids', ids: [own] };
  return grant.kind === 'all' ? grant : { ...grant, ids: [...new Set([...grant.ids, own])] };
}

/**
 * Returns the grant that a subject's scopes and roles give for a permission, or null if they give no grant. For a
 * permission in `OWN`, the grant also covers the user's own account. Without a `permission`, any credential with the
 * scopes is enough.
 */
export function decide(subject: Subject, permission: string | undefined, scopes: readonly string[] = []): Grant | null {
  if (permission !== undefined && !PERMISSION_SET.has(permission)) throw new Error(`no such permission: ${permission}`);
  if (lacksScope(subject, scopes)) return null;
  if (permission === undefined) return { kind: 'all' };
  const grant = grantOf(subject.roles, permission);
  return OWN.has(permission) && subject.userId !== null ? withOwn(grant, subject.userId) : grant;
}

/**
 * Tells whether a caller certainly holds every permission of `targetRoles`, with at least the same reach. A caller who
 * does not hold them could gain rights, for example by resetting an administrator's password.
 */
export function mayActOn(actorRoles: readonly HeldRole[], targetRoles: readonly HeldRole[]): boolean {
  if (targetRoles.length === 0 || holdsEverything(actorRoles)) return true;
  return PERMISSIONS.every((permission) => {
    const theirs = grantOf(targetRoles, permission);
    if (theirs === null) return true;
    const ours = firmGrantOf(actorRoles, permission);
    return ours !== null && isPartOf(theirs, ours);
  });
}
