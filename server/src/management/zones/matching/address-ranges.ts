import { BlockList, isIP } from 'node:net';

export const ADDRESS_TYPES = ['CIDR', 'RANGE'] as const;

/** Addresses as the contract writes them: `1.2.3.0/24`, a single address, or `1.2.3.4-1.2.3.9`. */
export interface ZoneAddress {
  readonly type: (typeof ADDRESS_TYPES)[number];
  readonly value: string;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' | null => {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
};

function addCidr(list: BlockList, value: string): void {
  const [network = '', length] = value.split('/');
  const family = familyOf(network);
  if (family === null) return;
  if (length === undefined) list.addAddress(network, family);
  else list.addSubnet(network, Number(length), family);
}

function addRange(list: BlockList, value: string): void {
  const [first = '', last = first] = value.split('-').map((part) => part.trim());
  const family = familyOf(first);
  if (family !== null) list.addRange(first, last, family);
}

const add = (list: BlockList, { type, value }: ZoneAddress): void =>
  type === 'CIDR' ? addCidr(list, value.trim()) : addRange(list, value);

/** The last four bytes of an IPv6 address may be written like an IPv4 address. */
const groupsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((part) => {
        if (!part.includes('.')) return [Number.parseInt(part, 16)];
        const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });

/** This function is much faster than an address library. */
function bitsOf(address: string): bigint {
  if (!address.includes(':')) return BigInt(address.split('.').reduce((bits, byte) => bits * 256 + Number(byte), 0));
  const [before = '', behind] = address.split('::');
  const head = groupsOf(before);
  const tail = behind === undefined ? [] : groupsOf(behind);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  const groups = [...head, ...zeros, ...tail];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n);
}

function isCidr(value: string): boolean {
  const [network = '', length, ...rest] = value.split('/');
  const family = familyOf(network);
  if (family === null || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 'ipv4' ? 32 : 128));
}

function isRange(value: string): boolean {
  const [first = '', last = first, ...rest] = value.split('-').map((part) => part.trim());
  const family = familyOf(first);
  if (family === null || family !== familyOf(last) || rest.length > 0) return false;
  return bitsOf(first) <= bitsOf(last);
}

export const isZoneAddress = ({ type, value }: ZoneAddress): boolean =>
  type === 'CIDR' ? isCidr(value.trim()) : isRange(value);

/** Returns the first and the last address of a valid range. */
function boundsOf({ type, value }: ZoneAddress): readonly [bigint, bigint] {
  const [first = '', second] = value.split(type === 'CIDR' ? '/' : '-').map((part) => part.trim());
  const bits = bitsOf(first);
  if (second === undefined) return [bits, bits];
  if (type === 'RANGE') return [bits, bitsOf(second)];
  const size = 1n << BigInt((first.includes(':') ? 128 : 32) - Number(second));
  const start = bits - (bits % size);
  return [start, start + size - 1n];
}

/** The IPv6 addresses that stand for IPv4 addresses (RFC 4291 2.5.5.2). `BlockList` matches both with one range. */
const MAPPED = [0xffff_0000_0000n, 0xffff_ffff_ffffn] as const;

/** Tells whether a valid range is larger than a /8 of IPv4, mapped or not, or than a /32 of IPv6. */
export function isWiderThanANetwork(address: ZoneAddress): boolean {
  const [first, last] = boundsOf(address);
  if (!address.value.includes(':')) return last - first >= 1n << 24n;
  const mappedFirst = first > MAPPED[0] ? first : MAPPED[0];
  const mappedLast = last < MAPPED[1] ? last : MAPPED[1];
  return last - first >= 1n << 96n || mappedLast - mappedFirst >= 1n << 24n;
}

/** A string that is not an address never matches. */
export function compileAddresses(addresses: readonly ZoneAddress[]): (address: string) => boolean {
  if (addresses.length === 0) return () => false;
  const list = new BlockList();
  for (const address of addresses) add(list, address);
  return (address) => {
    const family = familyOf(address);
    return family !== null && list.check(address, family);
  };
}

/** Ignores ranges that earlier releases stored although they are too wide for proxies. */
export const compileProxies = (proxies: readonly ZoneAddress[]): ((address: string) => boolean) =>
  compileAddresses(proxies.filter((proxy) => isZoneAddress(proxy) && !isWiderThanANetwork(proxy)));
