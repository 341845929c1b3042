import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * A `private` address is in a private network or on this machine. A `forbidden` address is one for metadata, or is
 * neither public nor private.
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

/**
 * Addresses at which clouds serve a machine's credentials. Link-local ones are missing, because that whole range is
 * forbidden.
 */
const METADATA: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal']);

/** Tells whether an address is in 2000::/3, the IPv6 range for public hosts, but not in 3fff::/20 (documentation). */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  const [first = 0, second = 0] = address.parts;
  const isDocumentation = first === 0x3fff && second < 0x1000;
  return first >> 13 === 1 && !isDocumentation;
}

/** Classifies an IP address. Any other text is `forbidden`, because software differs in how it reads unusual forms. */
export function addressKind(text: string): AddressKind {
  if (isIP(text) === 0 || text.includes('%')) return 'forbidden';
  const address = ipaddr.parse(text);
  const normal = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
  if (METADATA.has(normal)) return 'forbidden';
  const range = address.range();
  if (PRIVATE_RANGES.has(range)) return 'private';
  if (range !== 'unicast') return 'forbidden';
  return address instanceof ipaddr.IPv4 || isGlobalUnicast(address) ? 'public' : 'forbidden';
}
