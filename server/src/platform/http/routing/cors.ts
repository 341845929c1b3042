export interface CorsInput {
  readonly origin: string | undefined;
  readonly method: string;
  /** `Access-Control-Request-Method`. */
  readonly requestedMethod: string | undefined;
  /** Serialised origins (scheme, host, port when not the scheme's own), as browsers send them. */
  readonly trustedOrigins: ReadonlySet<string>;
  /**
   * Tells whether the requested route may be called across origins (for a preflight, the route of `requestedMethod`).
   */
  readonly routeCors: boolean;
  /** `X-Svc-`. */
  readonly headerPrefix: string;
}

export interface CorsDecision {
  readonly headers: Readonly<Record<string, string>>;
  /** The request is a preflight that is allowed: 204, without a body, is its whole answer. */
  readonly preflight: boolean;
}

const PREFLIGHT_MAXIMUM_AGE_SECONDS = 600;

/**
 * Decides what a browser of another origin may do (Fetch standard 3.3). Origins are compared exactly; `null`, which
 * every sandboxed frame sends, never matches. A refusal has no Access-Control header at all. `Vary` is sent in any
 * case, because a cache must not give the answer for one origin to another.
 */
export function decideCors(input: CorsInput): CorsDecision {
  const { origin } = input;
  const isPreflight = input.method === 'OPTIONS' && input.requestedMethod !== undefined;
  const vary = {
    vary: isPreflight ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' : 'Origin',
  };
  const isAllowed = input.routeCors && origin !== undefined && origin !== 'null' && input.trustedOrigins.has(origin);
  if (!isAllowed) return { headers: vary, preflight: false };
  const allowed = {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  };
  if (!isPreflight) {
    const exposed = [
      `${input.headerPrefix}Request-Id, Link, ETag, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset`,
      'Retry-After, WWW-Authenticate, DPoP-Nonce',
    ].join(', ');
    return { headers: { ...allowed, 'access-control-expose-headers': exposed }, preflight: false };
  }
  return {
    headers: {
      ...allowed,
      'access-control-allow-methods': input.requestedMethod ?? '',
      'access-control-allow-headers': [
        'Authorization, Content-Type, Accept, Accept-Language, If-Match, If-None-Match, Idempotency-Key, Prefer, DPoP',
        `X-Device-Fingerprint, ${input.headerPrefix}User-Agent-Extended, ${input.headerPrefix}XsrfToken`,
      ].join(', '),
      'access-control-max-age': String(PREFLIGHT_MAXIMUM_AGE_SECONDS),
    },
    preflight: true,
  };
}
