import type { AnyRoute } from '../route.ts';

const patterns = new WeakMap<AnyRoute, RegExp>();

function patternOf(route: AnyRoute): RegExp {
  const known = patterns.get(route);
  if (known !== undefined) return known;
  const source = route.url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  const pattern = new RegExp(`^${source}$`);
  patterns.set(route, pattern);
  return pattern;
}

export const methodsAt = (routes: readonly AnyRoute[], path: string): string[] => [
  ...new Set(routes.filter((route) => patternOf(route).test(path)).map((route) => route.method)),
];

export const routeAt = (routes: readonly AnyRoute[], method: string | undefined, path: string): AnyRoute | null =>
  routes.find((route) => route.method === method && patternOf(route).test(path)) ?? null;
