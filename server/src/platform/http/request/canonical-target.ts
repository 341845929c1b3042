/** A request as it came, as far as its path depends on it. */
export interface TargetOf {
  readonly method: string | undefined;
  /** The method that a CORS preflight announces. */
  readonly requestedMethod: string | undefined;
  readonly target: string;
}

/**
 * The target by which a request is routed, counted, linked and logged. Clients of the API double the slash at its
 * beginning (an org's address that ends with one) or put one at its end: both mean the route without. Not for DELETE,
 * where an id that was left empty would mean all of them, and nowhere but below `/api/`: addresses of OAuth and pages
 * are compared to the letter. Encoded slashes and dot segments stay what they are.
 */
export function canonicalTarget({ method, requestedMethod, target }: TargetOf): string {
  if ((method === 'OPTIONS' ? requestedMethod : method) === 'DELETE') return target;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const begun = path.startsWith('//api/') ? path.slice(1) : path;
  if (!begun.startsWith('/api/')) return target;
  const ended = begun.endsWith('/') && !begun.endsWith('//') ? begun.slice(0, -1) : begun;
  return mark < 0 ? ended : ended + target.slice(mark);
}
