import { databaseNameOf } from './database-name.ts';

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
/** The words of `target_session_attrs` for a server that changes can be sent to, and for one that only reads. */
const SESSION_WORDS = { primary: ['primary', 'read-write'], replica: ['standby', 'read-only'] } as const;
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

/** A server of a URL, with the text that names it in logs and metrics. */
export interface NamedServer {
  readonly name: string;
  /** This is null if the URL has the only address. */
  readonly address: DatabaseServer | null;
}

/** Returns each server of a URL. */
export function namedServersIn(databaseUrl: string): readonly NamedServer[] {
  const servers = serversIn(databaseUrl);
  if (servers.length === 0) return [{ name: databaseNameOf(databaseUrl), address: null }];
  return servers.map((address) => ({ name: `${address.host}:${address.port}`, address }));
}

/** Returns what is wrong with the URL of a primary or of replicas, or null. */
export function databaseUrlProblem(databaseUrl: string, role: keyof typeof SESSION_WORDS = 'primary'): string | null {
  const { servers = '' } = partsOf(databaseUrl) ?? {};
  if (servers.includes(',') && servers.split(',').some((one) => serverOf(one) === null))
    return 'must have a host, and optionally a port, for each of its servers';
  // A PostgreSQL URL may omit the host after a user (`postgresql://user@/db`), but the URL class refuses that.
  const first = partsOf(withFirstServer(databaseUrl));
  const parsable = first === null ? '' : `${first.start}${first.servers || 'socket'}${first.rest}`;
  if (!/^postgres(?:ql)?:\/\//.test(databaseUrl) || !URL.canParse(parsable))
    return 'must be a URL that begins with postgres:// or postgresql://';
  const [, wanted] = ATTRIBUTES.exec(databaseUrl) ?? [];
  const words: readonly string[] = SESSION_WORDS[role];
  if (wanted !== undefined && !words.includes(wanted))
    return `must not have a target_session_attrs other than ${words.join(' or ')}, because only a ${role} is used`;
  return null;
}
