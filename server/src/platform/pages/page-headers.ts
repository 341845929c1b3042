import { randomBytes } from 'node:crypto';

export const newNonce = (): string => randomBytes(18).toString('base64');

export interface PageHeaderOptions {
  /** True omits `form-action`, because Chromium also applies it to redirects. A string lists the allowed targets. */
  readonly formLeavesOrigin?: boolean | string;
  /**
   * Whether the page's address contains a secret that no Referer may reveal. `no-referrer` is not used for this,
   * because it would make browsers send `Origin: null`.
   */
  readonly hasSecretAddress?: boolean;
  /** Whether a script with the nonce of the style submits the page's only form. */
  readonly sendsItself?: boolean;
}

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
