export interface TargetOf {
  readonly method: string | undefined;
  /** The method that a CORS preflight announces. */
  readonly requestedMethod: string | undefined;
  readonly target: string;
}

/**
 * Returns the target by which a request is routed, counted, linked and logged. Some API clients double the slash before
 * `api/`, or append one to the path. Under `/api/`, this extra slash is removed, but several slashes at the end stay.
 * DELETE requests and their preflights keep every slash. Without the slash after an empty id, they would address the
 * whole collection.
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
