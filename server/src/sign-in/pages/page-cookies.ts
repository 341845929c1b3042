import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type CookieHeaders, valuesOfCookie } from '../../platform/http/index.ts';

/** The cookie contains the state token of the sign-in in progress. */
const STATE_COOKIE = '__Host-state';
const STATE_TOKEN = /^[0-9A-Za-z]{43}$/;
/** The cookie identifies a browser in which somebody has signed in. */
const DEVICE_COOKIE = '__Host-device';
const DEVICE_VALUE = /^[A-Za-z0-9_-]{43}$/;
/** The maximum time for which browsers keep a cookie (RFC 6265bis 5.6.2). */
const DEVICE_SECONDS = 400 * 24 * 60 * 60;
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** With two values, the result is null, because nobody can know which one was meant. */
function single(headers: CookieHeaders, name: string, pattern: RegExp): string | null {
  const [value, ...others] = valuesOfCookie(headers, name);
  return value !== undefined && others.length === 0 && pattern.test(value) ? value : null;
}

export const readStateCookie = (headers: CookieHeaders): string | null => single(headers, STATE_COOKIE, STATE_TOKEN);
export const stateCookie = (token: string): string => `${STATE_COOKIE}=${token}; ${ATTRIBUTES}`;
export const clearedStateCookie = (): string => `${STATE_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;

export interface Device {
  /** Events contain this hash instead of the cookie's value. */
  readonly fingerprint: string;
  readonly cookie: string;
}

export function deviceOf(headers: CookieHeaders): Device {
  const value = single(headers, DEVICE_COOKIE, DEVICE_VALUE) ?? randomBytes(32).toString('base64url');
  return {
    fingerprint: hashSecret(value).toString('hex'),
    cookie: `${DEVICE_COOKIE}=${value}; Max-Age=${DEVICE_SECONDS}; ${ATTRIBUTES}`,
  };
}
