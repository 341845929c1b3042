import { opens } from './custom-permissions.ts';
import { OWN } from './decide.ts';
import { kindOf, type RoleType, reachOf } from './permissions.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';

/**
 * The resources that a caller with one role reaches through a route. `some` means the role's targets or resource set,
 * and `own` means the caller's own account.
 */
export type RouteReach = 'all' | 'some' | 'own' | 'nothing';

export interface ReachedRoute {
  readonly access: string;
  readonly permission?: string | undefined;
  readonly appliesGrant?: boolean | undefined;
}

const isOpenToAll = ({ access, permission }: ReachedRoute): boolean =>
  access !== 'authenticated' || permission === undefined;

const own = ({ appliesGrant, permission }: ReachedRoute): RouteReach =>
  appliesGrant === true && permission !== undefined && OWN.has(permission) ? 'own' : 'nothing';

/**
 * Returns the reach of a caller whose only role is this standard role. `isNarrowed` means that the assignment of the
 * role has targets.
 */
export function reachOfRole(type: RoleType, route: ReachedRoute, isNarrowed: boolean): RouteReach {
  if (isOpenToAll(route) || route.permission === undefined) return 'all';
  const reach = reachOf(type, route.permission, isNarrowed);
  if (reach === 'all') return 'all';
  return reach === 'targets' && route.appliesGrant === true ? 'some' : own(route);
}

/** `isNarrowed` means that the role's resource set names single resources or excludes some. */
export function reachOfCustomPermission(name: string, route: ReachedRoute, isNarrowed: boolean): RouteReach {
  const { permission } = route;
  if (isOpenToAll(route) || permission === undefined) return 'all';
  const kinds = Object.values(RESOURCE_KINDS).filter(({ of }) => of === kindOf(permission));
  if (!opens(name, permission) || kinds.length === 0) return own(route);
  if (!isNarrowed) return 'all';
  return route.appliesGrant === true && kinds.some(({ as }) => as !== 'all') ? 'some' : own(route);
}
