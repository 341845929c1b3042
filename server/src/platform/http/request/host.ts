import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { boundedCache } from '../../caches/index.ts';

export interface Host {
  /** The name in lower case, without a trailing dot. An IPv6 address is in canonical form and has no brackets. */
  readonly hostname: string;
  readonly port: number | null;
}

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

function hostnameOf(text: string): string | null {
  if (text.startsWith('[')) {
    const address = text.slice(1, -1);
    return text.endsWith(']') && !address.includes('%') && isIPv6(address)
      ? ipaddr.IPv6.parse(address).toRFC5952String()
      : null;
  }
  const name = text.toLowerCase().replace(/\.$/, '');
  if (name.length > 253) return null;
  const labels = name.split('.');
  if (!labels.every((label) => LABEL.test(label))) return null;
  // Many resolvers read a name whose last label is a number as an address (`127.1`, `2130706433`, `0x7f.1`). Such a
  // name is refused, unless it is a plain IPv4 address.
  return /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') && !isIPv4(name) ? null : name;
}

/** Tells whether a name always means the local machine. The name must be in lower case, without brackets. */
export const isLoopbackName = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '::1' || (isIPv4(hostname) && hostname.startsWith('127.'));

const hosts = boundedCache<string, Host>(2_000);

/** Reads a `Host` header strictly (RFC 9110 7.2). */
export function parseHost(header: string | undefined): Host | null {
  if (header === undefined || header.length > 300) return null;
  const known = hosts.get(header);
  if (known !== undefined) return known;
  const host = parseHeader(header);
  if (host !== null) hosts.set(header, Object.freeze(host));
  return host;
}

function parseHeader(header: string): Host | null {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(header);
  const hostname = match === null ? null : hostnameOf(match[1] ?? '');
  if (match === null || hostname === null) return null;
  if (match[2] === undefined) return { hostname, port: null };
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? { hostname, port } : null;
}
