/** The user and the password may contain a colon or an at sign. The last at sign before the path ends them. */
const URL_PARTS = /^[a-z]+:\/\/(?:[^/?#]*@)?((?:\[[\da-f:.]*\]|[^/?#@:[\]]*)(?::\d*)?)(\/[^/?#@]*)?(?:[?#]|$)/i;

/**
 * Returns only the host, port and database of a URL, because the rest may contain secrets. Shows nothing of a URL of
 * another form, such as one whose password contains a slash.
 */
export function databaseNameOf(databaseUrl: string): string {
  const match = URL_PARTS.exec(databaseUrl);
  if (match === null) return 'at the given address';
  return `${match[1] || 'the local socket'}${match[2] ?? ''}`;
}
