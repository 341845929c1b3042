import type { AnyRoute } from '../../server/src/platform/http/route.ts';
import { byText, code, codes, page, table } from './markdown.ts';

type Reach = 'all' | 'some' | 'own' | 'nothing';

export interface RoleTable {
  readonly roles: readonly string[];
  /** Returns the kind of target that can narrow assignments of a role, or null if there is none. */
  readonly targets: (role: string) => string | null;
  readonly reach: (role: string, route: AnyRoute, isNarrowed: boolean) => Reach;
  readonly customPermissions: readonly string[];
  readonly customReach: (permission: string, route: AnyRoute, isNarrowed: boolean) => Reach;
}

const byAddress = (left: AnyRoute, right: AnyRoute): number =>
  byText(left.url, right.url) || byText(left.method, right.method);

const addressOf = ({ method, url }: AnyRoute): string => `${method} ${code(url)}`;
const permissionOf = ({ access, permission }: AnyRoute): string =>
  access !== 'authenticated' || permission === undefined ? `(${access})` : code(permission);

/** Returns how far a role opens a route. If targets change this, the narrowed reach follows after a slash. */
function cell(route: AnyRoute, { reach, targets }: RoleTable, role: string): string {
  const whole = reach(role, route, false);
  if (targets(role) === null) return whole;
  const narrowed = reach(role, route, true);
  return narrowed === whole ? whole : `${whole} / ${narrowed === 'some' ? 'targets' : narrowed}`;
}

const ROLES_TEXT =
  'Source: the role table of `access/`, `permission` and `appliesGrant` in the `routes.ts` of every slice. `all`: of ' +
  'everything. `own`: of the own user alone. `nothing`: 403. Behind a stroke: what is left of it once the role has ' +
  'targets, with `targets`: of what they name. Held against the running service by ' +
  '`server/test/sweeps/permissions.test.ts`.';

export function generatePermissions(routes: readonly AnyRoute[], roleTable: RoleTable): string {
  const { roles } = roleTable;
  const rows = [...routes]
    .sort(byAddress)
    .map((route) => [addressOf(route), permissionOf(route), ...roles.map((role) => cell(route, roleTable, role))]);
  return page('Permissions', ROLES_TEXT, table(['Route', 'Permission', ...roles], rows));
}

const CUSTOM_TEXT =
  'Source: `access/custom-permissions.ts` and `access/resource-kinds.ts`. A custom role with any of these ' +
  'permissions, on a resource set of everything, opens the whole route. On a set that names some resources, or ' +
  'leaves some out, it opens `some`: those; `own`: the own user alone; `nothing`: 403. Held against the running ' +
  'service by `server/test/sweeps/permissions-custom.test.ts`.';

export function generateCustomRoles(routes: readonly AnyRoute[], roleTable: RoleTable): string {
  const { customPermissions, customReach } = roleTable;
  const guarded = routes.filter(({ access, permission }) => access === 'authenticated' && permission !== undefined);
  const rows = guarded.sort(byAddress).map((route) => {
    const opening = customPermissions.filter((name) => customReach(name, route, false) === 'all').sort(byText);
    const narrowed = new Set(opening.map((name) => customReach(name, route, true)));
    return [addressOf(route), permissionOf(route), codes(opening), [...narrowed].join(' ') || '-'];
  });
  const closed = customPermissions.filter((name) =>
    guarded.every((route) => customReach(name, route, false) !== 'all'),
  );
  return page(
    'Custom roles',
    CUSTOM_TEXT,
    table(['Route', 'Permission', 'Opened by', 'On a set of some'], rows),
    `Can be held and open nothing yet: ${codes([...closed].sort(byText))}`,
  );
}
