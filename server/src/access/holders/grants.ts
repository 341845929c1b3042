import type { HeldResource, HeldRole } from '../../kernel/words/held-role.ts';
import type { Exclusion, Grant, SomeGrant } from '../../platform/http/index.ts';
import { opens } from '../custom-permissions.ts';
import { isRoleType, kindOf, reachOf } from '../permissions.ts';
import { isResourceKind, RESOURCE_KINDS } from '../resource-kinds.ts';

/** The contribution of a role, or of one of its resources, to a grant; null for none. Absent members count as empty. */
type Part = 'all' | Partial<Omit<SomeGrant, 'kind'>> | null;

function partOfStandard({ type, targets }: HeldRole, permission: string): Part {
  if (!isRoleType(type)) return null;
  const reach = reachOf(type, permission, targets !== null);
  if (reach === 'nothing') return null;
  if (reach === 'all' || targets === null) return 'all';
  const { appIds, appNames, everyone, groupIds } = targets;
  if (kindOf(permission) === 'apps') return { appIds, appNames };
  // Every user is in the Everyone group.
  return everyone && kindOf(permission) === 'users' ? 'all' : { groupIds };
}

function exclusionOf({ excluded }: HeldResource): Exclusion {
  const keys = (...kinds: readonly string[]): string[] =>
    excluded.flatMap(({ key, kind }) => (key !== null && kinds.includes(kind) ? [key] : []));
  return { ids: keys('user', 'app'), groupIds: keys('group', 'groupUsers'), appNames: keys('appName') };
}

function partOfResource(resource: HeldResource, kind: string): Part {
  if (!isResourceKind(resource.kind)) return null;
  const { as, of } = RESOURCE_KINDS[resource.kind];
  if (of !== kind) return null;
  if (as === 'all') return resource.excluded.length === 0 ? 'all' : { allBut: [exclusionOf(resource)] };
  return resource.key === null ? null : { [as]: [resource.key] };
}

/** `isFirm` leaves out permissions that are narrowed to some profile attributes. */
function partsOf(role: HeldRole, permission: string, isFirm: boolean): readonly Part[] {
  const { custom } = role;
  if (custom === null) return [partOfStandard(role, permission)];
  const isHeld = custom.permissions.some(
    ({ conditions, name }) => opens(name, permission) && !(isFirm && conditions !== null),
  );
  if (!isHeld) return [];
  const kind = kindOf(permission);
  return custom.resources.map((resource) => partOfResource(resource, kind));
}

const MEMBERS = ['ids', 'groupIds', 'appIds', 'appNames'] as const;

function merged(parts: readonly Part[]): Grant | null {
  if (parts.includes('all')) return { kind: 'all' };
  const some = parts.filter((part) => part !== null && part !== 'all');
  const [ids, groupIds, appIds, appNames] = MEMBERS.map((member) => [
    ...new Set(some.flatMap((part) => part[member] ?? [])),
  ]) as [string[], string[], string[], string[]];
  const allBut = some.flatMap((part) => part.allBut ?? []);
  const isNothing = [ids, groupIds, appIds, appNames, allBut].every(({ length }) => length === 0);
  return isNothing ? null : { kind: 'some', ids, groupIds, appIds, appNames, allBut };
}

/** Returns the resources for which the roles give a permission, or null if there are none. */
export const grantOf = (roles: readonly HeldRole[], permission: string): Grant | null =>
  merged(roles.flatMap((role) => partsOf(role, permission, false)));

/** Returns the grant as `grantOf` does, but ignores permissions that are narrowed to some profile attributes. */
export const firmGrantOf = (roles: readonly HeldRole[], permission: string): Grant | null =>
  merged(roles.flatMap((role) => partsOf(role, permission, true)));

const isWithin = (small: readonly string[], large: readonly string[]): boolean =>
  small.every((one) => large.includes(one));

const isNarrower = (small: Exclusion, large: Exclusion): boolean =>
  isWithin(large.ids, small.ids) &&
  isWithin(large.groupIds, small.groupIds) &&
  isWithin(large.appNames, small.appNames);

/** Tells whether `small` is certainly part of `large`. False can also mean that only a query would show it. */
export function isPartOf(small: Grant, large: Grant): boolean {
  if (large.kind === 'all') return true;
  if (small.kind === 'all') return false;
  if (large.kind === 'ids') return small.kind === 'ids' && isWithin(small.ids, large.ids);
  if (small.kind === 'ids') return isWithin(small.ids, large.ids);
  return (
    MEMBERS.every((member) => isWithin(small[member], large[member])) &&
    small.allBut.every((one) => large.allBut.some((other) => isNarrower(one, other)))
  );
}

export interface Located {
  readonly id: string;
  /** The ids of the groups to which a user belongs, or the id of the group itself. */
  readonly groupIds?: readonly string[];
  readonly appName?: string;
}

/** Tells whether a grant covers a resource. Makes no query, so it knows only the groups in `groupIds`. */
export function covers(grant: Grant, { appName, groupIds = [], id }: Located): boolean {
  if (grant.kind === 'all') return true;
  if (grant.ids.includes(id)) return true;
  if (grant.kind === 'ids') return false;
  const isNamed = (names: readonly string[]): boolean => appName !== undefined && names.includes(appName);
  const isInOneOf = (groups: readonly string[]): boolean => groupIds.some((group) => groups.includes(group));
  if (isInOneOf(grant.groupIds) || grant.appIds.includes(id) || isNamed(grant.appNames)) return true;
  return grant.allBut.some((one) => !one.ids.includes(id) && !isInOneOf(one.groupIds) && !isNamed(one.appNames));
}

export const coversGroup = (grant: Grant, groupId: string): boolean =>
  covers(grant, { id: groupId, groupIds: [groupId] });

export const coversApp = (grant: Grant, app: { readonly id: string; readonly name: string }): boolean =>
  covers(grant, { id: app.id, appName: app.name });
