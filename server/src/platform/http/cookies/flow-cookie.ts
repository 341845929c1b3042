import { randomBytes } from 'node:crypto';
import { type CookieHeaders, namesOfCookies, valuesOfCookie } from './cookie-values.ts';

/** The cookie that identifies a browser, signed in or not. Its prefix binds it to the host and to TLS. */
const FLOW_COOKIE = '__Host-flow';

/** The form of a flow cookie's value: 32 random bytes in base64url. */
const FLOW_VALUE = /^[A-Za-z0-9_-]{43}$/;

/** Names a flow cookie after its value, because tabs opened together would otherwise replace each other's cookies. */
const nameOfOwn = (value: string): string => `${FLOW_COOKIE}-${value.slice(0, 8)}`;

/** The lifetime of a cookie that is named after its value. */
const OWN_SECONDS = 60 * 60;
/** The maximum number of flow cookies that are used. */
const MAXIMUM_VALUES = 20;

/** Reads one cookie. A cookie that is sent twice or has an invalid value counts as absent. */
function readOne(headers: CookieHeaders, name: string): string | null {
  const values = valuesOfCookie(headers, name);
  const [value] = values;
  return values.length === 1 && value !== undefined && FLOW_VALUE.test(value) ? value : null;
}

/** Returns the values of the flow cookies of this browser. A new flow uses the first value. */
export function readFlowCookies(headers: CookieHeaders): readonly string[] {
  const common = readOne(headers, FLOW_COOKIE);
  const own = namesOfCookies(headers, `${FLOW_COOKIE}-`).flatMap((name) => {
    const value = readOne(headers, name);
    return value !== null && value !== common && nameOfOwn(value) === name ? [value] : [];
  });
  return [...(common === null ? [] : [common]), ...own].slice(0, MAXIMUM_VALUES);
}

export const readFlowCookie = (headers: CookieHeaders): string | null => readFlowCookies(headers)[0] ?? null;

export const newFlowCookie = (): string => randomBytes(32).toString('base64url');

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Makes the `Set-Cookie` lines for a new value: one cookie lasts for the browser session, the other for an hour. */
export const flowCookies = (value: string): readonly string[] => [
  `${FLOW_COOKIE}=${value}; ${ATTRIBUTES}`,
  `${nameOfOwn(value)}=${value}; Max-Age=${OWN_SECONDS}; ${ATTRIBUTES}`,
];
