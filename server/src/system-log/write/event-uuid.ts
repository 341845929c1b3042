import { randomBytes } from 'node:crypto';

export type UuidGenerator = (now: Date) => string;

/** The 100-nanosecond ticks from 1582-10-15, when version 1 UUIDs start to count, to 1970-01-01. */
const TICKS_BEFORE_1970 = 122_192_928_000_000_000n;
const MASK_32 = 0xffff_ffffn;

const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');

/** Makes a generator of version 1 UUIDs (RFC 9562 5.1), whose times always rise, even if the clock goes back. */
export function createUuidGenerator(random: (size: number) => Buffer = randomBytes): UuidGenerator {
  const seed = random(8);
  // The multicast bit marks a node that is not the address of a network card. The bits 10xx are the variant.
  seed.writeUInt8(seed.readUInt8(2) | 0x01, 2);
  seed.writeUInt8((seed.readUInt8(0) & 0x3f) | 0x80, 0);
  const clockSequence = seed.toString('hex', 0, 2);
  const node = seed.toString('hex', 2, 8);
  let last = 0n;
  return (now) => {
    const ticks = BigInt(now.getTime()) * 10_000n + TICKS_BEFORE_1970;
    last = ticks > last ? ticks : last + 1n;
    const high = (last >> 48n) & 0x0fffn;
    return `${hex(last & MASK_32, 8)}-${hex((last >> 32n) & 0xffffn, 4)}-1${hex(high, 3)}-${clockSequence}-${node}`;
  };
}
