import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface Networks {
  /** Returns false for a string that is not an address. IPv4 blocks contain no IPv4 addresses in IPv6 form. */
  has(address: string): boolean;
}

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
