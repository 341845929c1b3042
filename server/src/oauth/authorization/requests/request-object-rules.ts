import type { ClientId } from '../../../kernel/words/ids.ts';
import {
  isParameter,
  isRefused,
  type Lengths,
  type Parameters,
  type Refusal,
  readParameters,
} from './parameter-rules.ts';

type Claims = Readonly<Record<string, unknown>>;

const MAXIMUM_LIFETIME_SECONDS = 3_600;
/** The maximum time by which the client's clock may be ahead of ours. */
const MAXIMUM_SKEW_SECONDS = 60;
const MAXIMUM_JTI_LENGTH = 255;

const isFor = (aud: unknown, issuer: string): boolean => aud === issuer || (Array.isArray(aud) && aud.includes(issuer));

function refusalOfTimes({ exp, iat, nbf }: Claims, nowSeconds: number): Refusal | null {
  if (typeof exp !== 'number' || [iat, nbf].some((claim) => claim !== undefined && typeof claim !== 'number')) {
    return { refused: 'invalidRequestObject' };
  }
  if (exp <= nowSeconds) return { refused: 'requestObjectExpired' };
  if (exp > nowSeconds + MAXIMUM_LIFETIME_SECONDS) {
    return { refused: 'requestObjectExpiresTooFar' };
  }
  const isAhead = [iat, nbf].some((claim) => typeof claim === 'number' && claim > nowSeconds + MAXIMUM_SKEW_SECONDS);
  return isAhead ? { refused: 'requestObjectIssuedInFuture' } : null;
}

export function refusalOfRequestClaims(
  claims: Claims,
  expected: { readonly clientId: ClientId; readonly issuer: string; readonly now: Date },
): Refusal | null {
  const { aud, client_id: clientId, iss, jti } = claims;
  if (iss !== expected.clientId) return { refused: 'requestObjectIssuer' };
  if (clientId !== undefined && clientId !== expected.clientId) return { refused: 'requestObjectIssuer' };
  if (!isFor(aud, expected.issuer)) return { refused: 'requestObjectAudience' };
  const isId = typeof jti === 'string' && jti.length > 0 && jti.length <= MAXIMUM_JTI_LENGTH;
  if (jti !== undefined && !isId) return { refused: 'invalidRequestObject' };
  // A request object must not contain these claims (RFC 9101 4).
  if (claims['request'] !== undefined || claims['request_uri'] !== undefined)
    return { refused: 'invalidRequestObject' };
  return refusalOfTimes(claims, expected.now.getTime() / 1_000);
}

export interface SignedWords {
  /** By default, these are the maximum lengths of the parameters of an authorization request. */
  readonly lengths?: Lengths;
  /** Parameters that may be written as a number of seconds. */
  readonly numbers: readonly string[];
}

/** Converts numbers of seconds to text. Ignores `sessionToken` and claims that are not parameters. */
export function parametersOf(claims: Claims, { lengths, numbers }: SignedWords): Parameters | Refusal {
  const said = Object.entries(claims).filter(([name]) => isParameter(name, lengths) && name !== 'sessionToken');
  const entries: [string, string][] = [];
  for (const [name, value] of said) {
    if (typeof value === 'string') entries.push([name, value]);
    else if (numbers.includes(name) && Number.isSafeInteger(value)) entries.push([name, String(value)]);
    else return { refused: 'invalidRequestObject' };
  }
  const parameters = readParameters(entries, lengths);
  return isRefused(parameters) ? { refused: 'invalidRequestObject' } : parameters;
}

/** Requires claims that `refusalOfRequestClaims` accepted. */
export function singleUseOf({ exp, jti }: Claims): { readonly name: string; readonly expiresAt: Date } | null {
  if (typeof jti !== 'string' || typeof exp !== 'number') return null;
  return { name: `request:${jti}`, expiresAt: new Date(exp * 1_000) };
}
