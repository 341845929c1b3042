/** The address of a database server as the URL gives it. */
export interface DatabaseServer {
  readonly host: string;
  readonly port: number;
}

interface UrlParts {
  /** The scheme with the user. */
  readonly start: string;
  readonly servers: string;
  readonly rest: string;
}

/** Divides a URL. The last at sign before the path ends the user. */
function partsOf(databaseUrl: string): UrlParts | null {
  const [scheme] = /^postgres(?:ql)?:\/\//i.exec(databaseUrl) ?? [];
  if (scheme === undefined) return null;
  const length = databaseUrl.slice(scheme.length).search(/[/?#]/);
  const end = length === -1 ? databaseUrl.length : scheme.length + length;
  const begin = Math.max(scheme.length, databaseUrl.lastIndexOf('@', end - 1) + 1);
  return { start: databaseUrl.slice(0, begin), servers: databaseUrl.slice(begin, end), rest: databaseUrl.slice(end) };
}

const SERVER = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 5432;
/** The words of `target_session_attrs` for a server that changes can be sent to. */
const PRIMARY_WORDS: ReadonlySet<string> = new Set(['primary', 'read-write']);
const ATTRIBUTES = /[?&]target_session_attrs=([^&#]*)/i;

function serverOf(text: string): DatabaseServer | null {
  const [, host, port] = SERVER.exec(text) ?? [];
  if (host === undefined) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
}

/** Returns the servers of a URL that lists several, and an empty list for any other. */
export function serversIn(databaseUrl: string): readonly DatabaseServer[] {
  const { servers = '' } = partsOf(databaseUrl) ?? {};
  if (!servers.includes(',')) return [];
  return servers.split(',').flatMap((one) => serverOf(one) ?? []);
}

/** Returns the URL with the first of its servers only, as the PostgreSQL driver needs it. */
export function withFirstServer(databaseUrl: string): string {
  const { rest, servers = '', start } = partsOf(databaseUrl) ?? {};
  return servers.includes(',') ? `${start}${servers.split(',')[0]}${rest}` : databaseUrl;
}

/** Returns what is wrong with a database URL, or null. */
export function databaseUrlProblem(databaseUrl: string): string | null {
  const { servers = '' } = partsOf(databaseUrl) ?? {};
  if (servers.includes(',') && servers.split(',').some((one) => serverOf(one) === null))
    return 'must have a host, and optionally a port, for each of its servers';
  // A PostgreSQL URL may omit the host after a user (`postgresql://user@/db`), but the URL class refuses that.
  const first = partsOf(withFirstServer(databaseUrl));
  const parsable = first === null ? '' : `${first.start}${first.servers || 'socket'}${first.rest}`;
  if (!/^postgres(?:ql)?:\/\//.test(databaseUrl) || !URL.canParse(parsable))
    return 'must be a URL that begins with postgres:// or postgresql://';
  const [, wanted] = ATTRIBUTES.exec(databaseUrl) ?? [];
  if (wanted !== undefined && !PRIMARY_WORDS.has(wanted))
    return 'must not have a target_session_attrs other than primary or read-write, because only a primary is used';
  return null;
}
