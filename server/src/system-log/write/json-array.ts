const OPENING = 0x5b;
const CLOSING = 0x5d;
const COMMA = 0x2c;

/** Joins JSON texts into the bytes of a JSON array, without first building one large string. */
export function jsonArray(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const commas = Math.max(0, texts.length - 1);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 2 + commas));
  let at = bytes.writeUInt8(OPENING, 0);
  for (const [index, text] of texts.entries()) {
    if (index > 0) at = bytes.writeUInt8(COMMA, at);
    // A string whose UTF-8 form has as many bytes as the string has code units is ASCII and needs no encoding.
    at += bytes.write(text, at, lengths[index] === text.length ? 'latin1' : 'utf8');
  }
  bytes.writeUInt8(CLOSING, at);
  return bytes;
}
