import { randomBytes } from 'node:crypto';

export const newNonce = (): string => randomBytes(18).toString('base64');

export interface PageHeaderOptions {
  /** True omits `form-action`, which Chromium also applies to redirects. A text lists the allowed targets. */
  readonly formLeavesOrigin?: boolean | string;
  /** Whether no Referer may reveal the page's address. `no-referrer` would make browsers send `Origin: null`. */
  readonly hasSecretAddress?: boolean;
  /** Whether a script with the nonce of the style submits the page's only form. */
  readonly sendsItself?: boolean;
}

/** Returns the headers of an HTML answer. `nonce` is the nonce of the page's only style. */
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
