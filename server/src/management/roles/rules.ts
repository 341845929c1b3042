const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes ASCII text as Base32 (RFC 4648 6) without padding. */
export function base32(text: string): string {
  let bits = '';
  for (const byte of Buffer.from(text, 'ascii')) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}
