import { mayActOn } from '../decide.ts';
import type { RolesSince } from './held-roles-store.ts';

/** Equal roles get equal texts, in whatever order the database returns their members. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).toSorted().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`);
  return `{${members.toSorted().join()}}`;
}

/**
 * Whether somebody may do more now than what these roles came to before. By what is held and not by which change gave
 * it: a role, a role of a group, a membership, a binding, a wider target and whatever comes later are one.
 */
export function hasGainedRights({ rolesBefore, rolesNow }: RolesSince): boolean {
  if (rolesNow.length === 0) return false;
  const known = new Set(rolesBefore.map(textOf));
  return !mayActOn(
    rolesBefore,
    rolesNow.filter((role) => !known.has(textOf(role))),
  );
}
