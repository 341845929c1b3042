import type { AnyRoute } from '../../server/src/platform/http/route.ts';
import { byText, code, codes, page, table } from './markdown.ts';

const byAddress = (left: AnyRoute, right: AnyRoute): number =>
  byText(left.url, right.url) || byText(left.method, right.method);

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

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function generateServedMethods(routes: readonly AnyRoute[]): string {
  const methods = new Map<string, Set<string>>();
  for (const { method, url } of routes) methods.set(url, (methods.get(url) ?? new Set()).add(method));
  const lines = [...methods]
    .filter(([url, served]) => url.startsWith('/api/v1/') && served.size > 1)
    .sort(([left], [right]) => byText(left, right))
    .map(
      ([url, served]) =>
        `  '${url}': [${METHODS.filter((one) => served.has(one))
          .map((one) => `'${one}'`)
          .join(', ')}],`,
    );
  const head = '/** The methods of each path that serves several. The hints in links are built from them. */';
  return `${[head, 'export const SERVED_METHODS = {', ...lines, '} as const;'].join('\n')}\n`;
}
