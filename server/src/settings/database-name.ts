/** The user and the password may contain a colon or an at sign. The last at sign before the path ends them. */
const URL_PARTS = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]*)(\/[^/?#@]*)?(?:[?#]|$)/i;
const SERVER = /^(?:\[[\da-f:.]*\]|[^:[\]]*)(?::\d*)?$/i;

/**
 * Returns only the hosts, ports and database of a URL, because the rest may contain secrets. Shows nothing of a URL of
 * another form, such as one whose password contains a slash.
 */
export function databaseNameOf(databaseUrl: string): string {
  const [, servers, path] = URL_PARTS.exec(databaseUrl) ?? [];
  if (servers === undefined || !servers.split(',').every((one) => SERVER.test(one))) return 'at the given address';
  return `${servers || 'the local socket'}${path ?? ''}`;
}
