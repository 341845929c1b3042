export interface CorsInput {
  readonly origin: string | undefined;
  readonly method: string;
  /** The value of `Access-Control-Request-Method`. */
  readonly requestedMethod: string | undefined;
  /** Serialised origins as browsers send them: scheme, host, and the port if it is not the scheme's default. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Whether other origins may call the requested route. For a preflight, this is the route of `requestedMethod`. */
  readonly routeCors: boolean;
  /** The prefix of our own header names, such as `X-Svc-`. */
  readonly headerPrefix: string;
}

export interface CorsDecision {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request is an allowed preflight. */
  readonly preflight: boolean;
}

const PREFLIGHT_MAXIMUM_AGE_SECONDS = 600;

/**
 * Decides what a browser may do on behalf of a page on another origin (Fetch standard 3.3). If nothing is allowed, no
 * Access-Control header is set. `Vary` is always set, because a cache must not serve the response for one origin to
 * another.
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
