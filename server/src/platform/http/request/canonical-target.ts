export interface TargetOf {
  readonly method: string | undefined;
  /** The method that a CORS preflight announces. */
  readonly requestedMethod: string | undefined;
  readonly target: string;
}

/**
 * Returns the target by which a request is routed, counted, linked and logged. Some API clients double the slash at its
 * start or append a slash; the extra slash is removed. Targets outside `/api/` keep it. DELETE requests keep it too,
 * because without the slash after an empty id, they would name all objects.
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
