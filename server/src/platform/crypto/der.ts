/** This file writes ASN.1 types in DER (ITU-T X.690). */

const encodeLength = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

/** Encodes a value with any tag. A constructed value is given as its parts. */
export const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), encodeLength(content.length), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text, 'utf8'));
/** Encodes letters, digits and some punctuation. X.520 requires this type for country codes. */
export const printableString = (text: string): Buffer => tagged(0x13, Buffer.from(text, 'ascii'));
export const nothing = (): Buffer => tagged(0x05);
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.of(value ? 0xff : 0));

/** Encodes a bit string. `unusedBits` is the number of bits in the last byte that do not count. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer => tagged(0x03, Buffer.of(unusedBits), content);

/**
 * Encodes a non-negative whole number, given as big-endian bytes, in as few bytes as possible. If the first of
 * these bytes is 0x80 or more, a zero byte precedes them, because the number would otherwise be negative.
 */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const shortest = start === -1 ? Buffer.of(0) : Buffer.from(bytes.subarray(start));
  return tagged(0x02, (shortest[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.alloc(0), shortest);
}

const base128 = (number: number): number[] => {
  const digits = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
};

/** Encodes an object identifier that is given as dotted numbers: `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

/** Encodes a time to the second: as UTCTime until 2049, and as GeneralizedTime from 2050 on (RFC 5280 4.1.2.5). */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}
