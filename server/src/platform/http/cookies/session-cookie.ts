import { type CookieHeaders, valuesOfCookie } from './cookie-values.ts';

/** The cookie that browsers get. The prefix binds the cookie to the host and to TLS (RFC 6265bis 4.1.3.2). */
const SESSION_COOKIE = '__Host-sid';
/** The cookie that API clients set by hand. */
const BARE_COOKIE = 'sid';

export interface SessionCookie {
  readonly value: string;
  readonly source: 'host' | 'bare';
}

const SESSION_ID = /^102[A-Za-z0-9_-]{22}$/;

export const isSessionId = (text: string): boolean => SESSION_ID.test(text);

/**
 * Reads the session id from `__Host-sid` or, if that cookie is absent, from `sid`. A `sid` counts only in a request
 * with neither Origin nor Sec-Fetch-Site.
 */
export function readSessionCookie(headers: CookieHeaders): SessionCookie | null {
  const fromHost = valuesOfCookie(headers, SESSION_COOKIE);
  const source = fromHost.length > 0 ? 'host' : 'bare';
  if (source === 'bare' && (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)) return null;
  const values = source === 'host' ? fromHost : valuesOfCookie(headers, BARE_COOKIE);
  const [value] = values;
  return values.length === 1 && value !== undefined && isSessionId(value) ? { value, source } : null;
}

/** Returns the session id from `__Host-sid`. */
export function readBrowserSession(headers: CookieHeaders): string | null {
  const cookie = readSessionCookie(headers);
  return cookie?.source === 'host' ? cookie.value : null;
}

/** A `persistent` cookie lasts at most 400 days (RFC 6265bis 5.6.2). */
export function sessionCookie(
  value: string,
  persistent: false | { readonly maximumAgeSeconds: number | null },
): string {
  const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';
  if (persistent === false) return `${SESSION_COOKIE}=${value}; ${attributes}`;
  const seconds = Math.min(persistent.maximumAgeSeconds ?? Number.POSITIVE_INFINITY, 400 * 24 * 60 * 60);
  return `${SESSION_COOKIE}=${value}; Max-Age=${Math.floor(seconds)}; ${attributes}`;
}

export const clearedSessionCookie = (): string => sessionCookie('', { maximumAgeSeconds: 0 });

export interface CookieWrite {
  readonly method: string;
  readonly headers: CookieHeaders;
  readonly source: SessionCookie['source'];
  /** The origin to which the request was sent. */
  readonly baseUrl: string;
  /** Trusted origins with the scope `CORS`, in the form that browsers send. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Whether the route may be called from other origins. */
  readonly routeCors: boolean;
  /** Whether the Content-Type is that of JSON, which no form can send. */
  readonly isJson: boolean;
  /** The prefix of our header names, such as `X-Svc-`. */
  readonly headerPrefix: string;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Tells whether another site may have caused this request, which has a session cookie. A write with `__Host-sid` needs
 * an Origin that is the org's own, or a trusted one if the route allows it. The write also needs something that only a
 * script of that origin can add: the Content-Type of JSON or a custom header.
 */
export function isForgedWrite(write: CookieWrite): boolean {
  const { baseUrl, headers, headerPrefix, isJson, method, routeCors, source, trustedOrigins } = write;
  if (source === 'bare' || READS.has(method)) return false;
  const { origin } = headers;
  if (typeof origin !== 'string' || origin === 'null') return true;
  if (origin !== baseUrl && !(routeCors && trustedOrigins.has(origin))) return true;
  const ownHeaders = ['x-requested-with', `${headerPrefix}XsrfToken`.toLowerCase()];
  const hasOwnHeader = ownHeaders.some((name) => headers[name] !== undefined && headers[name] !== '');
  return !isJson && !hasOwnHeader;
}

/**
 * Tells whether a session from a cookie conveys its user's roles. It does not if a header shows that another origin
 * sent the request (ADR 0048).
 */
export function mayUseRoles({ origin, 'sec-fetch-site': site }: CookieHeaders, baseUrl: string): boolean {
  if (origin !== undefined && origin !== baseUrl) return false;
  return site === undefined || site === 'same-origin' || site === 'none';
}
