import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Networks of the operator's own. */
export interface Networks {
  /** False for what is not an address, and for IPv4 addresses in the clothes of IPv6. */
  has(address: string): boolean;
}

/** Compiles CIDR blocks. Throws for what is none. */
export function networksOf(blocks: readonly string[]): Networks {
  const ranges = blocks.map((block) => ipaddr.parseCIDR(block));
  return {
    has: (text) => {
      if (isIP(text) === 0) return false;
      const address = ipaddr.parse(text);
      return ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
    },
  };
}
