import { opens } from './custom-permissions.ts';
import { OWN } from './decide.ts';
import { kindOf, type RoleType, reachOf } from './permissions.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';

/** The reach of a role on a route: everything, the targets or set of the role, the user's own account, or nothing. */
export type RouteReach = 'all' | 'some' | 'own' | 'nothing';

/** The properties of a route that decide who may call it. */
export interface ReachedRoute {
  readonly access: string;
  readonly permission?: string | undefined;
  readonly appliesGrant?: boolean | undefined;
}

const isOpenToAll = ({ access, permission }: ReachedRoute): boolean =>
  access !== 'authenticated' || permission === undefined;

/** The reach that remains when a role opens nothing, or when the handler does not narrow itself to a grant. */
const own = ({ appliesGrant, permission }: ReachedRoute): RouteReach =>
  appliesGrant === true && permission !== undefined && OWN.has(permission) ? 'own' : 'nothing';

/** Returns the reach on a route of a caller who holds only one standard role, narrowed or not. */
export function reachOfRole(type: RoleType, route: ReachedRoute, isNarrowed: boolean): RouteReach {
  if (isOpenToAll(route) || route.permission === undefined) return 'all';
  const reach = reachOf(type, route.permission, isNarrowed);
  if (reach === 'all') return 'all';
  return reach === 'targets' && route.appliesGrant === true ? 'some' : own(route);
}

/**
 * Returns the reach of a custom role with one permission, either over everything or over a narrowed resource set (one
 * that names single resources or excludes some).
 */
export function reachOfCustomPermission(name: string, route: ReachedRoute, isNarrowed: boolean): RouteReach {
  const { permission } = route;
  if (isOpenToAll(route) || permission === undefined) return 'all';
  const kinds = Object.values(RESOURCE_KINDS).filter(({ of }) => of === kindOf(permission));
  if (!opens(name, permission) || kinds.length === 0) return own(route);
  if (!isNarrowed) return 'all';
  return route.appliesGrant === true && kinds.some(({ as }) => as !== 'all') ? 'some' : own(route);
}
