import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import {
  isSignatureAlgorithm,
  type Jwk,
  type ParsedJws,
  type SignatureAlgorithmName,
} from '../client-authentication/jws-rules.ts';

const MAXIMUM_SKEW_SECONDS = 60;
/** A nonce shows that a proof is recent, so the proof may have an older `iat` than without a nonce. */
const MAXIMUM_AGE_WITH_NONCE_SECONDS = 300;
const MAXIMUM_JTI_LENGTH = 255;

/** Header parameters that supply another key or change how a proof is read. The key may only be in `jwk`. */
const REFUSED_HEADERS = ['jku', 'x5u', 'x5c', 'crit', 'b64'];
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

type ReadKey = { readonly algorithm: SignatureAlgorithmName; readonly jwk: Jwk } | { readonly refused: OAuthErrorCode };

/** Checks a proof's header (RFC 9449 4.2). */
export function readProofHeader({ header }: ParsedJws): ReadKey {
  const { alg, jwk, typ } = header;
  if (typeof typ !== 'string' || typ.toLowerCase() !== 'dpop+jwt') return { refused: 'dpopInvalidType' };
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) return { refused: 'dpopInvalidJwt' };
  if (!isSignatureAlgorithm(alg)) return { refused: 'dpopInvalidAlgorithm' };
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return { refused: 'dpopInvalidJwt' };
  const key = jwk as Jwk;
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(key, name))) return { refused: 'dpopInvalidJwt' };
  return { algorithm: alg, jwk: key };
}

/** Returns the parts of a URL that RFC 9449 4.3 compares. */
function normalisedTarget(uri: unknown): string | null {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return null;
  const { origin, pathname } = new URL(uri);
  return origin + pathname;
}

export interface ProofExpectation {
  readonly method: string;
  /** The address of the request without its query. */
  readonly uri: string;
  readonly now: Date;
  /** The SHA-256, in base64url, of the accompanying access token; null if there is none. */
  readonly accessTokenHash: string | null;
  /** The check of the nonce; absent if the proof need not contain one. */
  readonly isFreshNonce?: (nonce: string) => boolean;
}

function refusalOfTime(iat: number, nowSeconds: number, hasNonce: boolean): OAuthErrorCode | null {
  if (iat > nowSeconds + MAXIMUM_SKEW_SECONDS) return 'dpopIssuedInFuture';
  const maximumAge = hasNonce ? MAXIMUM_AGE_WITH_NONCE_SECONDS : MAXIMUM_SKEW_SECONDS;
  return iat < nowSeconds - maximumAge ? 'dpopTooOld' : null;
}

/** Checks the claims of a proof (RFC 9449 4.3). */
export function refusalOfProof({ claims }: ParsedJws, expected: ProofExpectation): OAuthErrorCode | null {
  const { ath, htm, htu, iat, jti, nonce } = claims;
  if (htm !== expected.method) return 'dpopInvalidHtm';
  const target = normalisedTarget(htu);
  if (target === null || target !== normalisedTarget(expected.uri)) return 'dpopInvalidHtu';
  if (typeof jti !== 'string' || jti === '' || jti.length > MAXIMUM_JTI_LENGTH) return 'dpopInvalidJti';
  if (typeof iat !== 'number') return 'dpopInvalidIat';
  if (expected.accessTokenHash !== null && ath !== expected.accessTokenHash) return 'dpopInvalidAth';
  const { isFreshNonce } = expected;
  if (isFreshNonce !== undefined && (typeof nonce !== 'string' || !isFreshNonce(nonce))) return 'useDpopNonce';
  return refusalOfTime(iat, expected.now.getTime() / 1_000, isFreshNonce !== undefined);
}

/**
 * Returns the time after which the proof is refused even with a nonce. Requires claims that `refusalOfProof` accepted.
 */
export const expiryOfProof = ({ claims }: ParsedJws): Date =>
  new Date((Number(claims['iat']) + MAXIMUM_AGE_WITH_NONCE_SECONDS) * 1_000);
