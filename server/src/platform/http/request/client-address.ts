import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { sizedCache } from '../../caches/index.ts';

/** The maximum number of hops that are read from the end of one X-Forwarded-For header. */
const MAXIMUM_HOPS = 32;

export interface CidrMatcher {
  /** Returns false if `address` is not an IP address. */
  matches(address: string): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * The maximum size of the cache. The characters of its keys count, because the IPv6 zone after an address can have any
 * length.
 */
const MAXIMUM_KEPT_SIZE = 1_000_000;
const ADDRESS_SIZE = 160;

interface KnownAddress {
  readonly address: Address;
  /** The canonical form (RFC 5952 for IPv6). */
  readonly text: string;
  /** The limiter's key: the address itself for IPv4, the /64 prefix (one subscriber) for IPv6. */
  readonly prefix: string;
}

const addresses = sizedCache<KnownAddress>(MAXIMUM_KEPT_SIZE, () => ADDRESS_SIZE);

/** Returns null if `text` is not an IP address. */
function readAddress(text: string): KnownAddress | null {
  const known = addresses.get(text);
  if (known !== undefined) return known;
  const address = parseNewAddress(text);
  if (address === null) return null;
  const read = { address, text: textOf(address), prefix: prefixOf(address) };
  addresses.set(text, read);
  return read;
}

// net.isIP comes first: ipaddr.js also accepts octal and shortened forms, which other software reads differently.
function parseNewAddress(text: string): Address | null {
  const zone = text.indexOf('%');
  const bare = zone < 0 ? text : text.slice(0, zone);
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

const textOf = (address: Address): string =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();

const prefixOf = (address: Address): string =>
  address instanceof ipaddr.IPv6
    ? `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toRFC5952String()}/64`
    : address.toString();

function parseRange(text: string): Range | null {
  const [network = '', length, ...rest] = text.trim().split('/');
  const family = network.includes('%') ? 0 : isIP(network);
  if (family === 0 || rest.length > 0) return null;
  const parsed = ipaddr.parse(network);
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return null;
  const prefix = length === undefined ? bits : Number(length);
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  if (!isMapped) return [parsed, prefix];
  return prefix < 96 ? null : [parsed.toIPv4Address(), prefix - 96];
}

/** Compiles addresses and CIDR ranges; IPv4-mapped ones count as IPv4. */
export function compileCidrs(list: readonly string[]): CidrMatcher {
  const parsed = list.map((text) => ({ text, range: parseRange(text) }));
  const bad = parsed.filter(({ range }) => range === null).map(({ text }) => JSON.stringify(text));
  if (bad.length > 0) throw new Error(`not an IP address or CIDR range: ${bad.join(', ')}`);
  const ranges = parsed.flatMap(({ range }) => (range === null ? [] : [range]));
  return {
    matches(text) {
      if (ranges.length === 0) return false;
      const read = readAddress(text);
      return read !== null && ranges.some(([network, prefix]) => matchesRange(read.address, network, prefix));
    },
  };
}

function matchesRange(address: Address, network: Address, prefix: number): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

/** Reads one hop of X-Forwarded-For: an address, with or without a port or brackets. */
function readHop(hop: string): KnownAddress | null {
  const text = hop.trim();
  if (text.length > 60) return null;
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return isIP(bracketed[1] ?? '') === 6 ? readAddress(bracketed[1] ?? '') : null;
  return readAddress(/^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text);
}

export interface ClientAddressInput {
  readonly socketAddress: string;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: CidrMatcher;
}

/**
 * Returns the client's address and the addresses on the request's path, client first. X-Forwarded-For is read from its
 * end, and only while the sender and each hop are trusted. Reading stops at an invalid address, or after
 * `MAXIMUM_HOPS`.
 */
export function resolveClientAddress(input: ClientAddressInput): { ipAddress: string | null; ipChain: string[] } {
  const socket = readAddress(input.socketAddress);
  if (socket === null) return { ipAddress: null, ipChain: [] };
  let ipAddress = socket.text;
  const chain = [ipAddress];
  const forwardedFor = input.forwardedFor ?? '';
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAXIMUM_HOPS && end > 0 && input.trustedProxies.matches(ipAddress); hops += 1) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const hop = readHop(forwardedFor.slice(comma + 1, end));
    if (hop === null) break;
    ipAddress = hop.text;
    chain.push(ipAddress);
    end = comma;
  }
  return { ipAddress, ipChain: chain.reverse() };
}

/**
 * Returns the limiter's key for a client: an IPv4 address, the /64 prefix of an IPv6 address (one subscriber), or
 * `unknown`.
 */
export const addressPrefix = (ip: string): string => readAddress(ip)?.prefix ?? 'unknown';
