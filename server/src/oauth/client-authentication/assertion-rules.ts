import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import {
  fitsAlgorithm,
  isMacAlgorithm,
  isSignatureAlgorithm,
  isSigningKey,
  type Jwk,
  type MacAlgorithmName,
  type ParsedJws,
  type SignatureAlgorithmName,
} from './jws-rules.ts';

/** The only supported `client_assertion_type` (RFC 7523 2.2). */
export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const MAXIMUM_LIFETIME_SECONDS = 3_600;
/** The maximum time by which the client's clock may be ahead of ours. */
const MAXIMUM_SKEW_SECONDS = 60;
const MAXIMUM_JTI_LENGTH = 255;
/** The maximum number of keys that one check of a signature tries. */
const MAXIMUM_TRIED_KEYS = 50;

export interface ClientKey {
  readonly kid: string | null;
  readonly jwk: Jwk;
}

export type Read<Value> = { readonly value: Value } | { readonly refused: OAuthErrorCode };

/** Header parameters that would supply the key or change how the JWS is read (RFC 7515 4.1, RFC 7797). */
const REFUSED_HEADERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64'];
/** Permitted values of `typ`, in lower case because media types are case-insensitive (RFC 7515 4.1.9). */
export const ASSERTION_TYPES: ReadonlySet<string> = new Set(['jwt', 'client-authentication+jwt']);
/** Permitted values of `typ` in a request object (RFC 9101 10.8). */
export const REQUEST_OBJECT_TYPES: ReadonlySet<string> = new Set(['jwt', 'oauth-authz-req+jwt']);

function readAlgorithm<Name>(
  { header }: ParsedJws,
  types: ReadonlySet<string>,
  mayBe: (alg: unknown) => alg is Name,
): Read<Name> {
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) return { refused: 'assertionInvalidJwt' };
  const { alg, kid, typ } = header;
  if (typ !== undefined && (typeof typ !== 'string' || !types.has(typ.toLowerCase()))) {
    return { refused: 'assertionInvalidJwt' };
  }
  if (!mayBe(alg)) return { refused: 'assertionInvalidAlgorithm' };
  return kid === undefined || typeof kid === 'string' ? { value: alg } : { refused: 'assertionInvalidKid' };
}

/** Checks the header and returns its algorithm, which must be one that a key pair can sign with. */
export const readHeader = (jws: ParsedJws, types = ASSERTION_TYPES): Read<SignatureAlgorithmName> =>
  readAlgorithm(jws, types, isSignatureAlgorithm);

/** Checks the header and returns its algorithm, which must be one that a client's secret can sign with. */
export const readMacHeader = (jws: ParsedJws, types = ASSERTION_TYPES): Read<MacAlgorithmName> =>
  readAlgorithm(jws, types, isMacAlgorithm);

export const issuerOf = ({ claims }: ParsedJws): string | null =>
  typeof claims['iss'] === 'string' ? claims['iss'] : null;

/** If the header has a `kid`, only keys with this id fit. */
export function selectKeys(
  { header }: ParsedJws,
  algorithm: SignatureAlgorithmName,
  keys: readonly ClientKey[],
): Read<readonly Jwk[]> {
  if (keys.length === 0) return { refused: 'assertionKeysNotConfigured' };
  const { kid } = header;
  const named = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  if (named.length === 0) return { refused: 'assertionInvalidKid' };
  const signing = named.filter(({ jwk }) => isSigningKey(jwk));
  if (signing.length === 0) return { refused: 'assertionInvalidKeyUse' };
  const fitting = signing.filter(({ jwk }) => fitsAlgorithm(jwk, algorithm)).map(({ jwk }) => jwk);
  if (fitting.length === 0) return { refused: 'assertionInvalidAlgorithm' };
  return { value: fitting.slice(0, MAXIMUM_TRIED_KEYS) };
}

/**
 * Returns the audience of the assertion; null unless there is exactly one. Each of several audiences could use the
 * assertion at the others.
 */
export function audienceOfAssertion({ claims }: ParsedJws): string | null {
  const { aud } = claims;
  const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  return typeof audience === 'string' ? audience : null;
}

/**
 * Returns, for each of the paths that the address ends with, the address without that path. An empty path leaves the
 * whole address.
 */
export const originsBefore = (address: string, paths: readonly string[]): readonly string[] => [
  ...new Set(
    paths.filter((path) => address.endsWith(path)).map((path) => address.slice(0, address.length - path.length)),
  ),
];

const isAhead = (claim: unknown, nowSeconds: number): boolean =>
  typeof claim === 'number' && claim > nowSeconds + MAXIMUM_SKEW_SECONDS;

export function refusalOfClaims({ claims }: ParsedJws, now: Date): OAuthErrorCode | null {
  const nowSeconds = now.getTime() / 1_000;
  const { exp, iat, jti, nbf } = claims;
  if (typeof exp !== 'number') return 'assertionExpirationRequired';
  if (exp <= nowSeconds) return 'assertionExpired';
  if (exp > nowSeconds + MAXIMUM_LIFETIME_SECONDS) return 'assertionExpiresTooFar';
  if ([iat, nbf].some((claim) => claim !== undefined && typeof claim !== 'number')) return 'assertionInvalidJwt';
  if (isAhead(iat, nowSeconds) || isAhead(nbf, nowSeconds)) return 'assertionIssuedInFuture';
  const isId = typeof jti === 'string' && jti.length > 0 && jti.length <= MAXIMUM_JTI_LENGTH;
  return jti === undefined || isId ? null : 'assertionInvalidJwt';
}

/** Identifies the assertion for replay protection, by its `jti` or else by its signed content. */
export function singleUseName({ claims, signingInput }: ParsedJws): string {
  const { jti } = claims;
  return typeof jti === 'string' ? `jti:${jti}` : `jws:${signingInput}`;
}

/** Requires claims that `refusalOfClaims` accepted. */
export const expiryOf = ({ claims }: ParsedJws): Date => new Date(Number(claims['exp']) * 1_000);
