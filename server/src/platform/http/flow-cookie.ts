import { randomBytes } from 'node:crypto';
import { type CookieHeaders, valuesOfCookie } from './cookie-values.ts';

/** Names a browser before anybody has signed in with it; bound to the host and to TLS by its prefix. */
const FLOW_COOKIE = '__Host-flow';

/** 32 random bytes. */
const FLOW_VALUE = /^[A-Za-z0-9_-]{43}$/;

/**
 * What tells this browser from all others, or null. A cookie that comes twice, or holds anything else, counts as
 * absent: which of the two was meant is not ours to guess.
 */
export function readFlowCookie(headers: CookieHeaders): string | null {
  const values = valuesOfCookie(headers, FLOW_COOKIE);
  const [value] = values;
  return values.length === 1 && value !== undefined && FLOW_VALUE.test(value) ? value : null;
}

export const newFlowCookie = (): string => randomBytes(32).toString('base64url');

/** The `Set-Cookie` of a value; gone when the browser closes. */
export const flowCookie = (value: string): string => `${FLOW_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax`;
