import type { AnyRoute } from '../../server/src/platform/http/route.ts';
import { byText, code, codes, page, table } from './markdown.ts';

const byAddress = (left: AnyRoute, right: AnyRoute): number =>
  byText(left.url, right.url) || byText(left.method, right.method);

/** docs/generated/routes.md: every operation. */
export function generateRoutes(routes: readonly AnyRoute[]): string {
  const rows = [...routes]
    .sort(byAddress)
    .map((route) => [
      route.method,
      code(route.url),
      code(route.operationId),
      route.access,
      codes(route.scopes),
      route.permission === undefined ? '-' : code(route.permission),
      route.bucket,
      route.cors ? 'yes' : 'no',
      codes([...route.errors].sort(byText)),
    ]);
  return page(
    'Routes',
    'Source: the `routes.ts` of every slice. Scopes are written without the namespace word.',
    table(['Method', 'Path', 'Operation', 'Access', 'Scopes', 'Permission', 'Bucket', 'CORS', 'Own errors'], rows),
  );
}

/** docs/generated/scopes.md: which operations a scope opens. */
export function generateScopes(routes: readonly AnyRoute[]): string {
  const scopes = [...new Set(routes.flatMap((route) => route.scopes))].sort(byText);
  const rows = scopes.map((scope) => [
    code(scope),
    codes(
      routes
        .filter((route) => route.scopes.includes(scope))
        .map((route) => route.operationId)
        .sort(byText),
    ),
  ]);
  return page(
    'Scopes',
    'Source: `scopes` in the `routes.ts` of every slice. On the wire each begins with the namespace word.',
    table(['Scope', 'Operations'], rows),
  );
}

/** What the role table of access/ answers: rows a role may touch with a permission. */
export interface RoleTable {
  readonly roles: readonly string[];
  readonly grants: (role: string, permission: string) => boolean;
}

/** docs/generated/permissions.md: role by route, so that a change of permission is seen in review. */
export function generatePermissions(routes: readonly AnyRoute[], { roles, grants }: RoleTable): string {
  const rows = [...routes].sort(byAddress).map((route) => {
    const mayCall = (role: string): boolean => {
      if (route.access === 'public' || route.permission === undefined) return true;
      return grants(role, route.permission);
    };
    const permission = route.permission === undefined ? `(${route.access})` : code(route.permission);
    return [`${route.method} ${code(route.url)}`, permission, ...roles.map((role) => (mayCall(role) ? 'yes' : ''))];
  });
  return page(
    'Permissions',
    'Source: the role table of `access/` and `permission` in the `routes.ts` of every slice.',
    table(['Route', 'Permission', ...roles], rows),
  );
}
