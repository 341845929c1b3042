import { SERVED_METHODS } from '../served-methods.generated.ts';

/** A path that serves several methods, written as in its routes, for example `/api/v1/apps/:appId`. */
export type ServedPath = keyof typeof SERVED_METHODS;

interface HintedLink {
  readonly href: string;
  readonly hints: { readonly allow: readonly string[] };
}

/** Builds a link with the methods that its address serves, except those that the state of the resource forbids. */
export const linkTo = (href: string, path: ServedPath, ...forbidden: readonly string[]): HintedLink => ({
  href,
  hints: { allow: SERVED_METHODS[path].filter((method) => !forbidden.includes(method)) },
});

export const linkKept = (href: string, path: ServedPath, isKept: boolean): HintedLink =>
  isKept ? linkTo(href, path, 'DELETE') : linkTo(href, path);
