import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export const ADDRESS_TYPES = ['CIDR', 'RANGE'] as const;

/** Addresses as the contract writes them: `1.2.3.0/24`, one address, or `1.2.3.4-1.2.3.9`. */
export interface ZoneAddress {
  readonly type: (typeof ADDRESS_TYPES)[number];
  readonly value: string;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' | null => {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
};

function addCidr(list: BlockList, value: string): boolean {
  const [network = '', length, ...rest] = value.split('/');
  const family = familyOf(network);
  if (family === null || rest.length > 0) return false;
  const bits = family === 'ipv4' ? 32 : 128;
  if (length === undefined) list.addAddress(network, family);
  else if (/^\d{1,3}$/.test(length) && Number(length) <= bits) list.addSubnet(network, Number(length), family);
  else return false;
  return true;
}

function addRange(list: BlockList, value: string): boolean {
  const [first = '', last = first, ...rest] = value.split('-').map((part) => part.trim());
  const family = familyOf(first);
  if (family === null || family !== familyOf(last) || rest.length > 0) return false;
  try {
    list.addRange(first, last, family);
    return true;
  } catch {
    // The last address stands before the first.
    return false;
  }
}

const add = (list: BlockList, { type, value }: ZoneAddress): boolean =>
  type === 'CIDR' ? addCidr(list, value.trim()) : addRange(list, value);

/** Whether an address is one that a zone can hold. */
export const isZoneAddress = (address: ZoneAddress): boolean => add(new BlockList(), address);

const bitsOf = (address: string): bigint =>
  ipaddr
    .parse(address.trim())
    .toByteArray()
    .reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);

/** More than a /8 of IPv4, or a /32 of IPv6, is nobody's network. Of an address that a zone can hold. */
export function isWiderThanANetwork({ type, value }: ZoneAddress): boolean {
  const [network = '', length] = value.split('/').map((part) => part.trim());
  const [first = '', last = first] = value.split('-').map((part) => part.trim());
  if (type === 'CIDR') return length !== undefined && Number(length) < (familyOf(network) === 'ipv4' ? 8 : 32);
  return bitsOf(last) - bitsOf(first) >= 1n << (familyOf(first) === 'ipv4' ? 24n : 96n);
}

/** Compiles addresses into a question; what is no address lies in none of them. */
export function compileAddresses(addresses: readonly ZoneAddress[]): (address: string) => boolean {
  if (addresses.length === 0) return () => false;
  const list = new BlockList();
  for (const address of addresses) add(list, address);
  return (address) => {
    const family = familyOf(address);
    return family !== null && list.check(address, family);
  };
}
