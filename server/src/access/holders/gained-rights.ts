import { mayActOn } from '../decide.ts';
import type { RolesSince } from './held-roles-store.ts';

/** Returns equal strings for values that differ only in the order of their members or list items. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).toSorted().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`);
  return `{${members.toSorted().join()}}`;
}

/** Returns false if the current roles of a user certainly give no more rights than the earlier roles. */
export function hasGainedRights({ rolesBefore, rolesNow }: RolesSince): boolean {
  if (rolesNow.length === 0) return false;
  const known = new Set(rolesBefore.map(textOf));
  return !mayActOn(
    rolesBefore,
    rolesNow.filter((role) => !known.has(textOf(role))),
  );
}
