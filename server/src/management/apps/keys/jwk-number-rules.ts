/** The maximum length of an encoded number, in characters. */
const MAXIMUM_LENGTH = 1_400;

const MODULUS_BITS = { minimum: 2_048, maximum: 8_192 };
const SMALLEST_EXPONENT = 65_537n;
/** The cost of a verification grows with the size of the exponent. */
const MAXIMUM_EXPONENT_BYTES = 8;

/**
 * Decodes base64url without padding. Returns null if the text is empty, too long, or not the canonical spelling of its
 * bytes.
 */
function decode(text: unknown): Buffer | null {
  if (typeof text !== 'string' || text === '' || text.length > MAXIMUM_LENGTH || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

/** Returns whether a text encodes an odd number of 2,048 (RFC 7518 3.3) to 8,192 bits. */
export function isSoundModulus(text: unknown): boolean {
  const bytes = decode(text);
  if (bytes === null) return false;
  const modulus = toNumber(bytes);
  const bits = modulus.toString(2).length;
  return bits >= MODULUS_BITS.minimum && bits <= MODULUS_BITS.maximum && modulus % 2n === 1n;
}

/** Returns whether a text encodes an odd number of at least 65,537 (FIPS 186-5 A.1.1) and at most 64 bits. */
export function isSoundExponent(text: unknown): boolean {
  const bytes = decode(text);
  if (bytes === null || bytes.length > MAXIMUM_EXPONENT_BYTES) return false;
  const exponent = toNumber(bytes);
  return exponent >= SMALLEST_EXPONENT && exponent % 2n === 1n;
}

interface Curve {
  readonly bytes: number;
  readonly prime: bigint;
  readonly b: bigint;
}

/** The parameters of the curves y² = x³ - 3x + b (NIST SP 800-186 3.2.1). */
const CURVES: ReadonlyMap<string, Curve> = new Map([
  [
    'P-256',
    {
      bytes: 32,
      prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
      b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    },
  ],
  [
    'P-384',
    {
      bytes: 48,
      prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
      b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    },
  ],
  [
    'P-521',
    {
      bytes: 66,
      prime: 2n ** 521n - 1n,
      b: BigInt(
        '0x051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109' +
          'e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00',
      ),
    },
  ],
]);

/** Returns whether two coordinates, each of the full length (RFC 7518 6.2.1.2), describe a point on the curve. */
export function isPointOnCurve(curveName: string, xText: unknown, yText: unknown): boolean {
  const curve = CURVES.get(curveName);
  const xBytes = decode(xText);
  const yBytes = decode(yText);
  if (curve === undefined || xBytes?.length !== curve.bytes || yBytes?.length !== curve.bytes) return false;
  const { b, prime } = curve;
  const x = toNumber(xBytes);
  const y = toNumber(yBytes);
  if (x >= prime || y >= prime) return false;
  return (y * y - (x * x * x - 3n * x + b)) % prime === 0n;
}
