import ipaddr from 'ipaddr.js';

export type MmdbValue =
  | string
  | number
  | boolean
  | readonly MmdbValue[]
  | { readonly [name: string]: MmdbValue | undefined };

const TYPE = { string: 2, double: 3, unsigned: 6, map: 7, array: 11, boolean: 14 } as const;
const RECORD_BYTES = 3;
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/**
 * Encodes the type and size of a value: a control byte, and one more byte each for a type above 7 and a size above 28.
 */
function control(type: number, size: number): Buffer {
  const [bits, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from(type <= 7 ? [(type << 5) | bits, ...more] : [bits, type - 7, ...more]);
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Buffer.concat([control(TYPE.double, 8), bytes]);
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return Buffer.concat([control(TYPE.unsigned, 4), bytes]);
}

function encoded(value: MmdbValue): Buffer {
  if (typeof value === 'boolean') return control(TYPE.boolean, Number(value));
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? unsigned(value) : double(value);
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(TYPE.string, bytes.length), bytes]);
  }
  if (Array.isArray(value)) {
    const items = value as readonly MmdbValue[];
    return Buffer.concat([control(TYPE.array, items.length), ...items.map(encoded)]);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const parts = members.flatMap(([name, member]) => [encoded(name), encoded(member ?? '')]);
  return Buffer.concat([control(TYPE.map, members.length), ...parts]);
}

/** Returns the 128 bits of an address. The format puts 96 zeros in front of an IPv4 address. */
function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bits = address
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return bits.padStart(128, '0');
}

type Node = [left: Leaf, right: Leaf];
type Leaf = Node | number | null;

/** Builds a database of IPv6 and IPv4 networks in MaxMind DB format 2.0. The networks must not overlap. */
export function mmdbOf(networks: Readonly<Record<string, MmdbValue>>): Buffer {
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let length = 0;
  for (const [cidr, value] of Object.entries(networks)) {
    const [address, prefix] = ipaddr.parseCIDR(cidr);
    const path = bitsOf(address).slice(0, address.kind() === 'ipv4' ? 96 + prefix : prefix);
    let node = root;
    for (const bit of path.slice(0, -1)) {
      const side = Number(bit) as 0 | 1;
      const next = node[side];
      const inner: Node = Array.isArray(next) ? next : [null, null];
      node[side] = inner;
      node = inner;
    }
    node[Number(path.at(-1)) as 0 | 1] = length;
    const bytes = encoded(value);
    data.push(bytes);
    length += bytes.length;
  }
  const nodes: Node[] = [root];
  for (const node of nodes) nodes.push(...node.filter((leaf) => Array.isArray(leaf)));
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const recordOf = (leaf: Leaf): number => {
    if (leaf === null) return nodes.length;
    return typeof leaf === 'number' ? nodes.length + 16 + leaf : (numbers.get(leaf) ?? 0);
  };
  const tree = Buffer.alloc(nodes.length * 2 * RECORD_BYTES);
  for (const [index, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(recordOf(left), index * 6, RECORD_BYTES);
    tree.writeUIntBE(recordOf(right), index * 6 + RECORD_BYTES, RECORD_BYTES);
  }
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test',
    description: { en: 'Test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 8 * RECORD_BYTES,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, MARKER, metadata]);
}
