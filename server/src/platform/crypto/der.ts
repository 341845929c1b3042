/** Writes the few ASN.1 types that an X.509 certificate is made of, in DER (ITU-T X.690). */

const encodeLength = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

/** A value with any tag; a constructed one is given as its parts. */
export const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), encodeLength(content.length), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text, 'utf8'));
/** Letters, digits and some punctuation; X.520 requires this for country codes. */
export const printableString = (text: string): Buffer => tagged(0x13, Buffer.from(text, 'ascii'));
export const nothing = (): Buffer => tagged(0x05);
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.of(value ? 0xff : 0));

/** `unusedBits` of the last byte do not count. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer => tagged(0x03, Buffer.of(unusedBits), content);

/** A positive whole number, big-endian: without superfluous zeros, but with one if the sign bit would be set. */
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

/** Dotted numbers: `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

/** UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280 section 4.1.2.5). To the second. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}
