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

/** Returns the methods that routes serve at a path. */
export const methodsAt = (routes: readonly AnyRoute[], path: string): string[] => [
  ...new Set(routes.filter((route) => patternOf(route).test(path)).map((route) => route.method)),
];

/** Returns the route that would serve a method at a path, or null. */
export const routeAt = (routes: readonly AnyRoute[], method: string | undefined, path: string): AnyRoute | null =>
  routes.find((route) => route.method === method && patternOf(route).test(path)) ?? null;
