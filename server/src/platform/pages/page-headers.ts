import { randomBytes } from 'node:crypto';

export const newNonce = (): string => randomBytes(18).toString('base64');

export interface PageHeaderOptions {
  /**
   * Whether the answer to a form may redirect to an app. Chromium applies `form-action` to redirects, so true omits the
   * directive: only our own markup then decides where forms go. A text lists the known targets as its sources.
   */
  readonly formLeavesOrigin?: boolean | string;
  /**
   * Whether the page's own address is a secret, which no request may carry in its Referer. `no-referrer` is never used:
   * browsers then send `Origin: null` with forms, which does not show where the forms come from.
   */
  readonly hasSecretAddress?: boolean;
  /**
   * Whether a script with the nonce of the style submits the page's only form. If scripts are off, a click submits it.
   */
  readonly sendsItself?: boolean;
}

/** Returns the headers of every HTML answer (design section 8). `nonce` is the nonce of the page's only style. */
export function pageHeaders(
  nonce: string,
  { hasSecretAddress = false, formLeavesOrigin = false, sendsItself = false }: PageHeaderOptions = {},
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(sendsItself ? [`script-src 'nonce-${nonce}'`] : []),
    "img-src 'self' data:",
    "base-uri 'none'",
    ...(formLeavesOrigin === true ? [] : [`form-action ${formLeavesOrigin === false ? "'self'" : formLeavesOrigin}`]),
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': hasSecretAddress ? 'strict-origin' : 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}
