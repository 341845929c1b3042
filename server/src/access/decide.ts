import type { Grant } from '../platform/http/index.ts';
import { isRoleType, PERMISSIONS, type Permission, ROLE_TYPES, ROLES } from './permissions.ts';

const PERMISSION_SET: ReadonlySet<string> = new Set(PERMISSIONS);

/** What everyone may do to the own user, without any role. */
const OWN: ReadonlySet<string> = new Set<Permission>(['users.read']);

export interface Subject {
  /** Null: a service app, which is no user and owns no profile. */
  readonly userId: string | null;
  readonly roles: readonly string[];
  /** Neutral scopes of an OAuth token; absent or null for API tokens and sessions, which are not asked for any. */
  readonly scopes?: readonly string[] | null;
}

/** Permissions of a set of roles; an unknown role grants nothing. */
export function permissionsOf(roles: readonly string[]): ReadonlySet<Permission> {
  const permissions = new Set<Permission>();
  for (const role of roles) {
    if (isRoleType(role)) for (const permission of ROLES[role].permissions) permissions.add(permission);
  }
  return permissions;
}

const PERMISSIONS_OF_ROLE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ROLE_TYPES.map((role) => [role, new Set<string>(ROLES[role].permissions)]),
);

const isHeld = (roles: readonly string[], permission: string): boolean =>
  roles.some((role) => PERMISSIONS_OF_ROLE.get(role)?.has(permission) === true);

/** Whether the roles hold all there is: then nobody holds more, and whom they may act on needs no look-up. */
export const holdsEverything = (roles: readonly string[]): boolean =>
  PERMISSIONS.every((permission) => isHeld(roles, permission));

const isScopeHeld = (held: readonly string[], scope: string): boolean =>
  held.includes(scope) || (scope.endsWith('.read') && held.includes(scope.replace(/\.read$/, '.manage')));

/** Whether a token lacks a scope that an operation asks for. A `.manage` scope includes `.read` of its resource. */
export const lacksScope = ({ scopes }: Subject, asked: readonly string[]): boolean =>
  scopes !== undefined && scopes !== null && !asked.every((scope) => isScopeHeld(scopes, scope));

/**
 * The one decision: what of a resource a subject's scopes and roles open to it. Null = nothing (403). An unknown
 * permission is a fault of ours and refused loudly. Routes, lists and single resources all ask here. Without a
 * `permission` any credential is enough that has the scopes.
 */
export function decide(subject: Subject, permission: string | undefined, scopes: readonly string[] = []): Grant | null {
  if (permission !== undefined && !PERMISSION_SET.has(permission)) throw new Error(`no such permission: ${permission}`);
  if (lacksScope(subject, scopes)) return null;
  if (permission === undefined || isHeld(subject.roles, permission)) return { kind: 'all' };
  return OWN.has(permission) && subject.userId !== null ? { kind: 'ids', ids: [subject.userId] } : null;
}

/** Whether one resource lies inside a grant. */
export const grantCovers = (grant: Grant, id: string): boolean => grant.kind === 'all' || grant.ids.includes(id);

/**
 * Whoever changes an administrator must hold every permission that administrator holds; otherwise a password reset
 * would be a promotion (security.md 4.2, privilege escalation by admins).
 */
export function mayActOn(actorRoles: readonly string[], targetRoles: readonly string[]): boolean {
  const held = permissionsOf(actorRoles);
  for (const permission of permissionsOf(targetRoles)) if (!held.has(permission)) return false;
  return true;
}
