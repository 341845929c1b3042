/** A parsed compact JWS (RFC 7515 7.1). Nothing in it has been verified. */
export interface ParsedJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signingInput: string;
  readonly signature: Buffer;
}

/** A public key as a client presents or registers it (RFC 7517). */
export type Jwk = Readonly<Record<string, unknown>>;

const MAXIMUM_LENGTH = 16_384;
const SEGMENT = /^[\w-]+$/;

/** Decodes base64url without padding. Returns null unless the text is the canonical spelling of its bytes. */
function decodeSegment(segment: string): Buffer | null {
  if (!SEGMENT.test(segment)) return null;
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.toString('base64url') === segment ? bytes : null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeObject(segment: string): Readonly<Record<string, unknown>> | null {
  const bytes = decodeSegment(segment);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function parseJws(text: string): ParsedJws | null {
  if (text.length > MAXIMUM_LENGTH) return null;
  const segments = text.split('.');
  const [first, second, third] = segments;
  if (segments.length !== 3 || first === undefined || second === undefined || third === undefined) return null;
  const header = decodeObject(first);
  const claims = decodeObject(second);
  const signature = decodeSegment(third);
  if (header === null || claims === null || signature === null) return null;
  return { header, claims, signingInput: `${first}.${second}`, signature };
}

interface SignatureAlgorithm {
  readonly keyType: 'RSA' | 'EC';
  readonly curve?: string;
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  readonly pss?: true;
}

/** `none` and MACs are left out. For a MAC, an attacker could use a public key as the secret (RFC 8725 2.1). */
// biome-ignore format: the columns are the documentation
const SIGNATURE_ALGORITHMS = {
  RS256: { keyType: 'RSA', hash: 'sha256' },
  RS384: { keyType: 'RSA', hash: 'sha384' },
  RS512: { keyType: 'RSA', hash: 'sha512' },
  PS256: { keyType: 'RSA', hash: 'sha256', pss: true },
  PS384: { keyType: 'RSA', hash: 'sha384', pss: true },
  PS512: { keyType: 'RSA', hash: 'sha512', pss: true },
  ES256: { keyType: 'EC',  hash: 'sha256', curve: 'P-256' },
  ES384: { keyType: 'EC',  hash: 'sha384', curve: 'P-384' },
  ES512: { keyType: 'EC',  hash: 'sha512', curve: 'P-521' },
} as const satisfies Readonly<Record<string, SignatureAlgorithm>>;

/** The algorithms for clients that sign with their secret (OpenID Connect Core 9). */
const MAC_ALGORITHMS = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

export type MacAlgorithmName = keyof typeof MAC_ALGORITHMS;

export const MAC_ALGORITHM_NAMES = Object.keys(MAC_ALGORITHMS) as readonly MacAlgorithmName[];

export const isMacAlgorithm = (name: unknown): name is MacAlgorithmName =>
  typeof name === 'string' && Object.hasOwn(MAC_ALGORITHMS, name);

/** Returns the hash algorithm of a MAC, and the minimum length of a secret in bytes (RFC 7518 3.2). */
export const macAlgorithm = (name: MacAlgorithmName) => ({
  hash: MAC_ALGORITHMS[name],
  minimumBytes: Number(name.slice(2)) / 8,
});

export type SignatureAlgorithmName = keyof typeof SIGNATURE_ALGORITHMS;

export const SIGNATURE_ALGORITHM_NAMES = Object.keys(SIGNATURE_ALGORITHMS) as readonly SignatureAlgorithmName[];

export const isSignatureAlgorithm = (name: unknown): name is SignatureAlgorithmName =>
  typeof name === 'string' && Object.hasOwn(SIGNATURE_ALGORITHMS, name);

export const signatureAlgorithm = (name: SignatureAlgorithmName): SignatureAlgorithm => SIGNATURE_ALGORITHMS[name];

/** The header of a JWS must never by itself decide which algorithm a key is used with. */
export function fitsAlgorithm(jwk: Jwk, name: SignatureAlgorithmName): boolean {
  const { keyType, curve } = signatureAlgorithm(name);
  if (jwk['kty'] !== keyType || (curve !== undefined && jwk['crv'] !== curve)) return false;
  return jwk['alg'] === undefined || jwk['alg'] === name;
}

/** Returns whether the key's owner permits its use for signatures (RFC 7517 4.2, 4.3). */
export function isSigningKey(jwk: Jwk): boolean {
  if (jwk['use'] !== undefined && jwk['use'] !== 'sig') return false;
  const operations = jwk['key_ops'];
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

const REQUIRED_MEMBERS: Readonly<Record<string, readonly string[]>> = { RSA: ['e', 'n'], EC: ['crv', 'x', 'y'] };

/** Returns the required members of a public key (RFC 7638 3.2), or null if `jwk` is not a complete RSA or EC key. */
export function requiredMembers(jwk: Jwk): Readonly<Record<string, string>> | null {
  const { kty } = jwk;
  const names = typeof kty === 'string' && Object.hasOwn(REQUIRED_MEMBERS, kty) ? REQUIRED_MEMBERS[kty] : undefined;
  if (names === undefined) return null;
  const members: Record<string, string> = {};
  for (const name of [...names, 'kty'].toSorted()) {
    const value = jwk[name];
    if (typeof value !== 'string' || value === '') return null;
    members[name] = value;
  }
  return members;
}
